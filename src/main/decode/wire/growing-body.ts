import { randomUUID } from 'node:crypto'
import type { Json, JsonObject } from '../../../shared/event.ts'
import { parseJson, wellFormed } from '../json-access.ts'
import { isObject, listOf } from '../../../shared/json-fields.ts'
import { afterSpace, COMMA, commonBytes, elementEnds, listStart } from './message-bytes.ts'

/**
 * Parses bodies that grow: each request of a conversation repeats the whole history byte for byte. Messages shared with
 * an earlier body of the conversation are reused as the same objects, and only the rest is parsed. The part after the
 * history (system prompt, tools) is also reused if it has the same bytes. So each of a session's thousands of requests
 * costs only its new part.
 */
export interface GrowingBodies {
  /**
   * Parses a body; returns null if it is not JSON. `conversation` identifies the bodies that may share its beginning,
   * `list` names the field that holds the history (`Wire.list`).
   */
  parse(conversation: string, bytes: Buffer, list: string): Json | null
  /** Forgets all bodies, so the next body of each conversation is parsed whole. Returns whether there were any. */
  forget(): boolean
}

interface Body {
  readonly conversation: string
  readonly list: string
  readonly bytes: Buffer
  /** Offset just after the `[` of its messages. */
  readonly start: number
  readonly messages: readonly Json[]
  /** Offset just after each message. */
  readonly ends: readonly number[]
  /** Its other fields; null until a later body needs them. */
  readonly others: JsonObject | null
}

/** Raw bytes kept for comparison; their parsed form takes two or three times as much. */
const MAX_KEPT_BYTES = 32 * 1024 * 1024
/** Conversations remembered at once: a session's side calls are interleaved with the requests of its conversation. */
const MAX_KEPT_EACH = 3
const LONE_SURROGATE = /\\ud[89a-f]/i
/** Takes the place of the messages while the other fields are parsed. No body can contain it. */
const MARK = JSON.stringify(randomUUID())

/** Keeps at most `maxBytes` of bodies, those used most recently. */
export function createGrowingBodies(maxBytes = MAX_KEPT_BYTES): GrowingBodies {
  /** The bodies of each conversation, those used least recently first. */
  const kept = new Map<string, Body[]>()
  /** All bodies, in the same order. */
  const byUse = new Set<Body>()
  let keptBytes = 0

  function nearest(conversation: string, bytes: Buffer, list: string) {
    let best: { body: Body; shared: number } | null = null
    for (const body of kept.get(conversation) ?? []) {
      if (body.list !== list) continue
      const same = commonBytes(body.bytes, bytes)
      const shared = countUpTo(body.ends, same)
      if (shared > 0 && shared >= (best?.shared ?? 0)) best = { body, shared }
    }
    return best
  }

  function keep(body: Body, replaced: Body | null): void {
    if (replaced !== null) drop(replaced)
    const [eldest, ...others] = kept.get(body.conversation) ?? []
    if (eldest !== undefined && others.length + 1 >= MAX_KEPT_EACH) drop(eldest)
    kept.set(body.conversation, [...(kept.get(body.conversation) ?? []), body])
    byUse.add(body)
    keptBytes += body.bytes.length
    for (const oldest of byUse) {
      if (keptBytes <= maxBytes) break
      drop(oldest)
    }
  }

  function drop(body: Body): void {
    const others = (kept.get(body.conversation) ?? []).filter((other) => other !== body)
    if (others.length > 0) kept.set(body.conversation, others)
    else kept.delete(body.conversation)
    byUse.delete(body)
    keptBytes -= body.bytes.length
  }

  return {
    parse(conversation, bytes, list) {
      const known = nearest(conversation, bytes, list)
      if (known !== null) {
        const grown = parseGrown(bytes, known.body, known.shared)
        if (grown !== null) {
          keep({ conversation, list, bytes, ...grown }, known.body)
          return grown.json
        }
      }
      const json = parseText(bytes)
      const found = isObject(json) ? messagesOf(bytes, json, list) : null
      if (found !== null) keep({ conversation, list, bytes, ...found }, null)
      return json ?? null
    },
    forget() {
      const had = byUse.size > 0
      kept.clear()
      byUse.clear()
      keptBytes = 0
      return had
    },
  }
}

function parseText(bytes: Uint8Array): Json | undefined {
  const text = new TextDecoder().decode(bytes)
  const parsed = parseJson(text)
  // JSON may contain lone surrogates as escapes; only then is a walk through the body worth its time.
  return parsed !== undefined && LONE_SURROGATE.test(text) ? wellFormed(parsed) : parsed
}

type Found = Pick<Body, 'start' | 'messages' | 'ends' | 'others'>

/** Finds the byte ranges of a parsed body's messages; null if that is not certain. */
function messagesOf(bytes: Buffer, json: JsonObject, list: string): Found | null {
  const messages = listOf(json[list])
  const start = listStart(bytes, list)
  if (start === null || messages.length === 0) return null
  const ends = elementEnds(bytes, start)
  return ends !== null && areThose(bytes, start, ends, messages) ? { start, messages, ends, others: null } : null
}

/** Parses the body without the part shared with an earlier one; null if that is not possible. */
function parseGrown(bytes: Buffer, body: Body, shared: number): (Found & { readonly json: JsonObject }) | null {
  const from = behindComma(bytes, body.ends[shared - 1] ?? 0)
  const added = elementEnds(bytes, from)
  const hasComma = bytes[from - 1] === COMMA
  if (added === null || hasComma !== added.length > 0) return null
  const ends = [...body.ends.slice(0, shared), ...added]
  const end = ends.at(-1)
  const rest = bytes.subarray(end)
  const isSame = body.others !== null && rest.equals(body.bytes.subarray(body.ends.at(-1)))
  const others = isSame ? body.others : parseOthers(bytes.subarray(0, body.start), rest, body.list)
  const parsed = added.length === 0 ? [] : parseMessages(bytes.subarray(from, end))
  if (others === null || parsed.length !== added.length) return null
  const messages = [...body.messages.slice(0, shared), ...parsed]
  return { json: { ...others, [body.list]: messages }, start: body.start, messages, ends, others }
}

/** Parses a body without its messages; null if it is invalid or names its list twice. */
function parseOthers(head: Uint8Array, rest: Uint8Array, list: string): JsonObject | null {
  const json = parseText(Buffer.concat([head, Buffer.from(MARK), rest]))
  return isObject(json) && JSON.stringify(json[list]) === `[${MARK}]` ? { ...json, [list]: [] } : null
}

/** Parses neighbouring messages, as deep in the JSON as in their body. */
function parseMessages(bytes: Uint8Array): readonly Json[] {
  const json = parseText(Buffer.concat([Buffer.from('{"list":['), bytes, Buffer.from(']}')]))
  return isObject(json) ? listOf(json['list']) : []
}

/** Checks that the parsed list is the measured one: a body may name its list twice. */
function areThose(bytes: Buffer, from: number, ends: readonly number[], messages: readonly Json[]): boolean {
  if (ends.length !== messages.length) return false
  const last = ends.at(-1)
  if (last === undefined) return true
  const begin = ends.length === 1 ? from : behindComma(bytes, ends.at(-2) ?? from)
  return JSON.stringify(parseText(bytes.subarray(begin, last))) === JSON.stringify(messages.at(-1))
}

function behindComma(bytes: Buffer, at: number): number {
  const next = afterSpace(bytes, at)
  return bytes[next] === COMMA ? next + 1 : next
}

/** Counts the ascending offsets that are not greater than `limit`. */
function countUpTo(offsets: readonly number[], limit: number): number {
  let [low, high] = [0, offsets.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((offsets[middle] ?? 0) <= limit) low = middle + 1
    else high = middle
  }
  return low
}
