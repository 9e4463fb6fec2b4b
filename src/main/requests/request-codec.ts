import type { Json, JsonObject, StoredMessage, StoredRequest } from '../../shared/event.ts'

/** A request body split for storage: its blocks as hashes of stored texts, the rest as parameters. */
export interface RequestParts {
  readonly messages: readonly StoredMessage[]
  readonly system: readonly string[]
  readonly tools: readonly string[]
  /** Raw: the caller redacts them before storing. */
  readonly parameters: JsonObject
  /** The `cache_control` at each JSON pointer into the body. */
  readonly cacheControl: { readonly [pointer: string]: Json }
}

/** The role of a message that is not `{role, content}`: it is stored whole, as one block. */
const VERBATIM = ''

/** Stores neighbouring parts (the blocks of a message, the parts of the system prompt) and returns the hash of each. */
export type KeepParts = (parts: readonly Json[]) => readonly string[]

/** Parts that were split before: each request repeats its history, its system prompt and its tools, as the same objects. */
export interface KnownParts {
  /** Only messages without `cache_control`, which is stored by its position in the body. */
  readonly messages: WeakMap<JsonObject, StoredMessage>
  /** System prompts and lists of tools. */
  readonly lists: WeakMap<readonly JsonObject[], SplitList>
}

/** Hashes of the parts of a list, and what `withoutCacheControl` removed from them. */
interface SplitList {
  readonly hashes: readonly string[]
  readonly cacheControl: JsonObject
}

/** Knows no parts yet. */
export function noKnownParts(): KnownParts {
  return { messages: new WeakMap(), lists: new WeakMap() }
}

/**
 * Splits a body. `list` names its field with the conversation: messages of the Messages API, items of the Responses API. Blocks, tools and system parts go to `keep`, without their `cache_control`, which moves with
 * every request while the block stays the same. Anything of an unexpected shape stays in the parameters, so nothing is lost.
 */
export function splitRequest(
  body: JsonObject,
  keep: KeepParts,
  known: KnownParts = noKnownParts(),
  list: 'messages' | 'input' = 'messages',
): RequestParts {
  const cacheControl: Record<string, Json> = {}
  let moved = 0
  const bare = (part: JsonObject, pointer: string) => {
    const stripped = withoutCacheControl(part, pointer, cacheControl)
    if (stripped !== part) moved += 1
    return stripped
  }
  const parameters: Record<string, Json> = {}
  const lists: { system: string[]; tools: string[]; messages: StoredMessage[] } = {
    system: [],
    tools: [],
    messages: [],
  }
  for (const [name, value] of Object.entries(body)) {
    if ((name === 'system' || name === 'tools') && isListOfObjects(value) && value.length > 0) {
      const split = known.lists.get(value) ?? splitList(value, name, keep)
      known.lists.set(value, split)
      lists[name] = [...split.hashes]
      Object.assign(cacheControl, split.cacheControl)
    } else if (name === list && Array.isArray(value) && value.length > 0) {
      lists.messages = value.map((message: Json, index) => {
        const before = isObject(message) ? known.messages.get(message) : undefined
        if (before) return before
        const movedBefore = moved
        const split = splitMessage(message, `/${list}/${index}`, bare, keep)
        if (isObject(message) && moved === movedBefore) known.messages.set(message, split)
        return split
      })
    } else {
      define(parameters, name, value)
    }
  }
  return { ...lists, parameters, cacheControl }
}

function splitList(list: readonly JsonObject[], name: 'system' | 'tools', keep: KeepParts): SplitList {
  const cacheControl: Record<string, Json> = {}
  const parts = list.map((part, at) => withoutCacheControl(part, `/${name}/${at}`, cacheControl))
  const hashes = name === 'system' ? keep(parts) : parts.flatMap((part) => keep([part]))
  return { hashes, cacheControl }
}

function splitMessage(
  message: Json,
  pointer: string,
  bare: (part: JsonObject, pointer: string) => JsonObject,
  keep: KeepParts,
): StoredMessage {
  if (isObject(message) && Object.keys(message).length === 2 && typeof message['role'] === 'string') {
    const { role, content } = message
    if (role !== VERBATIM && typeof content === 'string') return { role, blocks: keep([content]), plain: true }
    if (role !== VERBATIM && content !== undefined && isListOfObjects(content)) {
      return { role, blocks: keep(content.map((block, at) => bare(block, `${pointer}/content/${at}`))) }
    }
  }
  return { role: VERBATIM, blocks: keep([message]) }
}

/** Joins the parts of a body again; `read` returns the part with a hash. */
export function joinRequest(
  request: Pick<StoredRequest, 'system' | 'tools' | 'parameters' | 'cache_control' | 'list'>,
  messages: readonly StoredMessage[],
  read: (hash: string) => Json,
): JsonObject {
  const body: Record<string, Json> = {}
  for (const [name, value] of Object.entries(request.parameters)) define(body, name, value)
  if (request.system.length > 0) body['system'] = request.system.map(read)
  if (messages.length > 0) body[request.list ?? 'messages'] = messages.map((message) => joinMessage(message, read))
  if (request.tools.length > 0) body['tools'] = request.tools.map(read)
  let whole: Json = body
  for (const [pointer, value] of Object.entries(request.cache_control ?? {})) {
    whole = withValueAt(whole, pointer.split('/').slice(1), value)
  }
  return isObject(whole) ? whole : body
}

function joinMessage(message: StoredMessage, read: (hash: string) => Json): Json {
  const blocks = message.blocks.map(read)
  if (message.role === VERBATIM) return blocks[0] ?? null
  return { role: message.role, content: message.plain ? (blocks[0] ?? '') : blocks }
}

/** Counts the messages that both lists start with. */
export function commonPrefix(a: readonly StoredMessage[], b: readonly StoredMessage[]): number {
  const limit = Math.min(a.length, b.length)
  let at = 0
  while (at < limit && sameMessage(a[at], b[at])) at += 1
  return at
}

function sameMessage(a: StoredMessage | undefined, b: StoredMessage | undefined): boolean {
  if (a === b) return true
  if (a === undefined || b === undefined || a.role !== b.role || a.plain !== b.plain) return false
  return a.blocks.length === b.blocks.length && a.blocks.every((hash, at) => hash === b.blocks[at])
}

/** Removes the `cache_control` of a block and of the blocks in its `content` (tool results). */
function withoutCacheControl(part: JsonObject, pointer: string, moved: Record<string, Json>): JsonObject {
  const { cache_control: own, ...rest } = part
  if (own !== undefined) moved[`${pointer}/cache_control`] = own
  const bare = own === undefined ? part : rest
  const { content } = bare
  if (!Array.isArray(content)) return bare
  let found = false
  const inner = content.map((block: Json, at) => {
    if (!isObject(block) || !('cache_control' in block)) return block
    found = true
    return withoutCacheControl(block, `${pointer}/content/${at}`, moved)
  })
  return found ? { ...bare, content: inner } : bare
}

/** Returns a copy with `value` at a path that `withoutCacheControl` emptied. */
function withValueAt(whole: Json, [step, ...rest]: readonly string[], value: Json): Json {
  if (step === undefined) return value
  if (Array.isArray(whole)) {
    return whole.map((item: Json, at) => (String(at) === step ? withValueAt(item, rest, value) : item))
  }
  return isObject(whole) ? { ...whole, [step]: withValueAt(whole[step] ?? null, rest, value) } : whole
}

/** Sets a field as a JSON parser does: `__proto__` is only a name. */
function define(target: Record<string, Json>, name: string, value: Json): void {
  Object.defineProperty(target, name, { value, enumerable: true, writable: true, configurable: true })
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isListOfObjects(value: Json): value is readonly JsonObject[] {
  return Array.isArray(value) && value.every((item: Json) => isObject(item))
}
