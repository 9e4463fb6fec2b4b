import type { Json, JsonObject, StoredMessage, StoredRequest } from '../../shared/event.ts'
import { isObject } from '../../shared/json-fields.ts'

/** A request body split for storage: its blocks as hashes of stored texts, the rest as parameters. */
export interface RequestParts {
  readonly messages: readonly StoredMessage[]
  readonly system: readonly string[]
  readonly tools: readonly string[]
  /** Raw: the caller redacts them before storing. */
  readonly parameters: JsonObject
  /** The `cache_control` at each JSON pointer into the body. */
  readonly cacheControl: { readonly [pointer: string]: Json }
  /** The position of each `cache_control` among its object's fields, if it is not the last of them. */
  readonly markOrder: { readonly [pointer: string]: number }
}

/** The role of a message that names none. Without a frame, the message is stored whole, as one block. */
const NO_ROLE = ''

/** The field of a body with its conversation. */
type ListName = 'messages' | 'input'

/**
 * Stores neighbouring parts (the blocks of a message, the parts of the system prompt) and returns the hash of each.
 * `isItem`: the part is an item of the Responses API.
 */
export type KeepParts = (parts: readonly Json[], isItem?: boolean) => readonly string[]

/** Parts that were split before: each request repeats its history, its system prompt and its tools, as the same objects. */
export interface KnownParts {
  /** Only messages without `cache_control`, which is stored by its position in the body. */
  readonly messages: WeakMap<JsonObject, StoredMessage>
  /** System prompts and lists of tools. */
  readonly lists: WeakMap<readonly JsonObject[], SplitList>
}

/** Hashes of the parts of a list, and the marks that `withoutCacheControl` removed. */
interface SplitList {
  readonly hashes: readonly string[]
  readonly marks: Marks
}

/** Each `cache_control` that was removed, and its place if it was not the last field, by JSON pointer. */
interface Marks {
  readonly values: Record<string, Json>
  readonly order: Record<string, number>
}

const noMarks = (): Marks => ({ values: {}, order: {} })

/** Knows no parts yet. */
export const noKnownParts = (): KnownParts => ({ messages: new WeakMap(), lists: new WeakMap() })

/**
 * Splits a body. `list` names its field with the conversation: messages of the Messages API, items of the Responses
 * API. Blocks, tools and system parts go to `keep`, without their `cache_control`, which moves with every request while
 * the block stays the same. An empty list in the parameters keeps the position of each list among the fields. Parts of
 * an unexpected shape stay in the parameters or are stored whole, so nothing is lost.
 */
export function splitRequest(
  body: JsonObject,
  keep: KeepParts,
  known: KnownParts = noKnownParts(),
  list: ListName = 'messages',
): RequestParts {
  const marks = noMarks()
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
      addMarks(marks, split.marks)
      parameters[name] = []
    } else if (name === list && Array.isArray(value) && value.length > 0) {
      lists.messages = value.map((message: Json, index) => {
        const before = isObject(message) ? known.messages.get(message) : undefined
        if (before) return before
        const own = noMarks()
        const split = splitMessage(message, `/${list}/${index}`, own, keep, list)
        if (isObject(message) && Object.keys(own.values).length === 0) known.messages.set(message, split)
        addMarks(marks, own)
        return split
      })
      parameters[name] = []
    } else {
      define(parameters, name, value)
    }
  }
  return { ...lists, parameters, cacheControl: marks.values, markOrder: marks.order }
}

function addMarks(marks: Marks, more: Marks): void {
  Object.assign(marks.values, more.values)
  Object.assign(marks.order, more.order)
}

function splitList(list: readonly JsonObject[], name: 'system' | 'tools', keep: KeepParts): SplitList {
  const marks = noMarks()
  const parts = list.map((part, at) => withoutMarks(part, `/${name}/${at}`, marks))
  const hashes = name === 'system' ? keep(parts) : parts.flatMap((part) => keep([part]))
  return { hashes, marks }
}

/** Splits a message of any role and fields into its content and, unless it is `{role, content}`, a frame with the rest. */
function splitMessage(message: Json, pointer: string, marks: Marks, keep: KeepParts, list: ListName): StoredMessage {
  // An item of the Responses API that names a type is one block: it has no breakpoints.
  const isItem = list === 'input' && isObject(message) && message['type'] !== undefined
  if (!isObject(message) || isItem) return { role: NO_ROLE, blocks: keep([message], isItem) }
  const bare = withoutMarks(message, pointer, marks)
  const { role, content } = bare
  const name = typeof role === 'string' ? role : NO_ROLE
  const isPlain = content !== undefined && !Array.isArray(content)
  const blocks: readonly Json[] = Array.isArray(content) ? content : content === undefined ? [] : [content]
  const isFramed = name === NO_ROLE || Object.keys(bare).join() !== 'role,content'
  const frame = !isFramed ? [] : content === undefined ? [bare] : [{ ...bare, content: null }]
  return {
    role: name,
    blocks: keep([...blocks, ...frame]),
    ...(isPlain ? { plain: true } : {}),
    ...(isFramed ? { framed: true } : {}),
  }
}

/** Returns the hashes of a message's content, and of its frame: the message without content; null if it has no other fields. */
export function messageParts({ blocks, framed }: StoredMessage): {
  readonly content: readonly string[]
  readonly frame: string | null
} {
  const frame = framed ? (blocks.at(-1) ?? null) : null
  return { content: frame === null ? blocks : blocks.slice(0, -1), frame }
}

/** Joins the parts of a body again; `read` returns the part with a hash. */
export function joinRequest(
  request: Omit<StoredRequest, 'base' | 'keep' | 'add'>,
  messages: readonly StoredMessage[],
  read: (hash: string) => Json,
): JsonObject {
  const body: Record<string, Json> = {}
  for (const [name, value] of Object.entries(request.parameters)) define(body, name, value)
  if (request.system.length > 0) body['system'] = request.system.map(read)
  if (messages.length > 0) body[request.list ?? 'messages'] = messages.map((message) => joinMessage(message, read))
  if (request.tools.length > 0) body['tools'] = request.tools.map(read)
  let whole: Json = body
  for (const [pointer, value] of Object.entries(request.cache_control ?? {}))
    whole = withMark(whole, pointer.split('/').slice(1), value, request.mark_order?.[pointer])
  return isObject(whole) ? whole : body
}

/** Joins the parts of a message again, without its `cache_control`. */
export function joinMessage(message: StoredMessage, read: (hash: string) => Json): Json {
  const { content, frame } = messageParts(message)
  const blocks = content.map(read)
  if (message.role === NO_ROLE && frame === null) return blocks[0] ?? null
  const whole = message.plain ? (blocks[0] ?? null) : blocks
  if (frame === null) return { role: message.role, content: whole }
  const fields = read(frame)
  return isObject(fields) && 'content' in fields ? { ...fields, content: whole } : fields
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
  if (a === undefined || b === undefined || a.role !== b.role) return false
  if (a.plain !== b.plain || a.framed !== b.framed) return false
  return a.blocks.length === b.blocks.length && a.blocks.every((hash, at) => hash === b.blocks[at])
}

/** The fields of a message or block that hold blocks: results, and documents made of text blocks. */
const NESTING = ['content', 'source']

/** Removes the `cache_control` of a message or block, and of the blocks in it at any depth. */
function withoutMarks(part: JsonObject, pointer: string, marks: Marks): JsonObject {
  const { cache_control: own, ...rest } = part
  if (own !== undefined) {
    const place = `${pointer}/cache_control`
    const names = Object.keys(part)
    marks.values[place] = own
    if (names.at(-1) !== 'cache_control') marks.order[place] = names.indexOf('cache_control')
  }
  let bare: JsonObject = own === undefined ? part : rest
  for (const name of NESTING) {
    const field = bare[name]
    if (field === undefined) continue
    const inner = withoutInnerMarks(field, `${pointer}/${name}`, marks)
    if (inner !== field) bare = { ...bare, [name]: inner }
  }
  return bare
}

function withoutInnerMarks(value: Json, pointer: string, marks: Marks): Json {
  if (isObject(value)) return withoutMarks(value, pointer, marks)
  if (!Array.isArray(value)) return value
  const items = value.map((item: Json, at) => withoutInnerMarks(item, `${pointer}/${at}`, marks))
  return items.some((item, at) => item !== value[at]) ? items : value
}

/** Returns a copy with a mark at a path that `withoutMarks` emptied; without `place`, it is the last field. */
function withMark(whole: Json, [step, ...rest]: readonly string[], value: Json, place: number | undefined): Json {
  if (step === undefined) return value
  if (Array.isArray(whole))
    return whole.map((item: Json, at) => (String(at) === step ? withMark(item, rest, value, place) : item))
  if (!isObject(whole)) return whole
  if (rest.length > 0) return { ...whole, [step]: withMark(whole[step] ?? null, rest, value, place) }
  const fields = Object.entries(whole)
  return Object.fromEntries(fields.toSpliced(place ?? fields.length, 0, [step, value]))
}

/** Sets a field as a JSON parser does: `__proto__` is only a name. */
function define(target: Record<string, Json>, name: string, value: Json): void {
  Object.defineProperty(target, name, { value, enumerable: true, writable: true, configurable: true })
}

const isListOfObjects = (value: Json): value is readonly JsonObject[] =>
  Array.isArray(value) && value.every((item: Json) => isObject(item))
