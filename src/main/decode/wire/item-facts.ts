import type { Json, JsonObject } from '../../../shared/event.ts'
import { isObject, listOf, objectOf, stringOf } from '../../../shared/json-fields.ts'
import { calledFile } from '../client/file-tools.ts'
import { callOf, resultCallId } from './openai-responses/items.ts'

/** Facts of an item of a conversation that is a block by itself. */
export interface ItemFacts {
  readonly tool: string | null
  /** The id of the tool call that it makes or answers. */
  readonly call: string | null
  /** The file that its call names. */
  readonly name: string | null
  /** What the model reads of it, the same whoever wrote it down: the API, its stream or the client. */
  readonly content: JsonObject
}

/** Fields that say nothing to the model: an API or a client gives others to the same item. */
const ENVELOPE: ReadonlySet<string> = new Set(['id', 'status'])
const NOTES: ReadonlySet<string> = new Set(['annotations', 'logprobs'])
/** Fields in which a client keeps notes for itself, such as the time of a message. */
const INTERNAL = /^internal_/
const PATCHED_FILE = /^\*\*\* (?:Add|Update|Delete) File: (.{1,1000})$/m

/** Reads an item of the Responses API. */
export function itemFacts(item: JsonObject): ItemFacts {
  const call = callOf(item)
  const patch = stringOf(objectOf(call?.input)['input']) ?? ''
  return {
    tool: call?.tool ?? null,
    call: call?.callId ?? resultCallId(item),
    name: calledFile(call?.input) ?? PATCHED_FILE.exec(patch)?.[1] ?? null,
    content: contentOf(item),
  }
}

function contentOf(item: JsonObject): JsonObject {
  const content = without(item, (name) => ENVELOPE.has(name) || INTERNAL.test(name))
  const parts = content['content']
  if (!Array.isArray(parts)) return content
  const bare = listOf(parts).map((part: Json) => (isObject(part) ? without(part, (name) => NOTES.has(name)) : part))
  return { ...content, content: bare }
}

/** Returns the fields in the order of their names; absent, null and empty say the same. */
function without(fields: JsonObject, isLeftOut: (name: string) => boolean): JsonObject {
  const kept = Object.entries(fields).filter(
    ([name, value]) => !isLeftOut(name) && value !== null && !(Array.isArray(value) && value.length === 0),
  )
  return Object.fromEntries(kept.sort(([one], [other]) => (one < other ? -1 : 1)))
}
