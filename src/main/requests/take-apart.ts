import type { Json, JsonObject, StoredMessage, StoredRequest } from '../../shared/event.ts'

/** A request body taken apart: its blocks as hashes of kept texts, the rest as parameters. */
export interface RequestParts {
  readonly messages: readonly StoredMessage[]
  readonly system: readonly string[]
  readonly tools: readonly string[]
  /** Raw, to be redacted by whoever stores them. */
  readonly parameters: JsonObject
  /** JSON pointer into the body → the `cache_control` that stood there. */
  readonly cacheControl: { readonly [pointer: string]: Json }
}

/** A message whose shape is not `{role, content}` is kept whole, as one block under this role. */
const VERBATIM = ''

/** Keeps parts that stand next to each other (the blocks of one message, the parts of the system prompt), and gives the hash of each. */
export type KeepParts = (parts: readonly Json[]) => readonly string[]

/**
 * Messages that were taken apart before: a history's come again, as the same objects, with each request. Only those
 * without `cache_control` are here, which is set aside by its place in the body.
 */
export type KnownMessages = WeakMap<JsonObject, StoredMessage>

/**
 * Takes a Messages API body apart. Blocks, tools and system parts go to `keep`; `cache_control` is set aside first, since
 * it moves with every request while the block stays the same. What has not the expected shape stays in the parameters, so
 * that nothing is lost.
 */
export function splitRequest(body: JsonObject, keep: KeepParts, known: KnownMessages = new WeakMap()): RequestParts {
  const cacheControl: Record<string, Json> = {}
  let aside = 0
  const bare = (part: JsonObject, pointer: string) => {
    const stripped = withoutCacheControl(part, pointer, cacheControl)
    if (stripped !== part) aside += 1
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
      const parts = value.map((part, at) => bare(part, `/${name}/${at}`))
      lists[name] = name === 'system' ? [...keep(parts)] : parts.flatMap((part) => keep([part]))
    } else if (name === 'messages' && Array.isArray(value) && value.length > 0) {
      lists.messages = value.map((message: Json, index) => {
        const before = isObject(message) ? known.get(message) : undefined
        if (before) return before
        const asideBefore = aside
        const split = splitMessage(message, `/messages/${index}`, bare, keep)
        if (isObject(message) && aside === asideBefore) known.set(message, split)
        return split
      })
    } else {
      define(parameters, name, value)
    }
  }
  return { ...lists, parameters, cacheControl }
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

/** The body back from its parts; `read` gives the part that a hash stands for. */
export function joinRequest(
  request: Pick<StoredRequest, 'system' | 'tools' | 'parameters' | 'cache_control'>,
  messages: readonly StoredMessage[],
  read: (hash: string) => Json,
): JsonObject {
  const body: Record<string, Json> = {}
  for (const [name, value] of Object.entries(request.parameters)) define(body, name, value)
  if (request.system.length > 0) body['system'] = request.system.map(read)
  if (messages.length > 0) body['messages'] = messages.map((message) => joinMessage(message, read))
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

/** How many messages at the beginning of both lists are the same. */
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

/** A block without its own `cache_control` and those of the blocks in its `content` (tool results). */
function withoutCacheControl(part: JsonObject, pointer: string, aside: Record<string, Json>): JsonObject {
  const { cache_control: own, ...rest } = part
  if (own !== undefined) aside[`${pointer}/cache_control`] = own
  const bare = own === undefined ? part : rest
  const { content } = bare
  if (!Array.isArray(content)) return bare
  let found = false
  const inner = content.map((block: Json, at) => {
    if (!isObject(block) || !('cache_control' in block)) return block
    found = true
    return withoutCacheControl(block, `${pointer}/content/${at}`, aside)
  })
  return found ? { ...bare, content: inner } : bare
}

/** A copy of the value with `value` put where the path leads; only places that `withoutCacheControl` left are named. */
function withValueAt(whole: Json, [step, ...rest]: readonly string[], value: Json): Json {
  if (step === undefined) return value
  if (Array.isArray(whole)) {
    return whole.map((item: Json, at) => (String(at) === step ? withValueAt(item, rest, value) : item))
  }
  return isObject(whole) ? { ...whole, [step]: withValueAt(whole[step] ?? null, rest, value) } : whole
}

/** A field set as the parser sets it: `__proto__` too is only a name. */
function define(target: Record<string, Json>, name: string, value: Json): void {
  Object.defineProperty(target, name, { value, enumerable: true, writable: true, configurable: true })
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isListOfObjects(value: Json): value is readonly JsonObject[] {
  return Array.isArray(value) && value.every((item: Json) => isObject(item))
}
