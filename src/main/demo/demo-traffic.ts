import type { Json, JsonObject } from '../../shared/event.ts'
import { demoLimits } from './demo-limits.ts'
import type { DemoExchange } from './demo-file.ts'

/** Bodies of the demo's requests, as their clients would send them. */
export class DemoBodies {
  readonly #fields: ReadonlyMap<string, JsonObject>
  readonly #conversations = new Map<string, readonly JsonObject[]>()

  constructor(fields: ReadonlyMap<string, JsonObject>) {
    this.#fields = fields
  }

  /** Returns the body of a conversation's next request. */
  next({ conversation, keep, add, list, fields, set, mark }: DemoExchange): Buffer {
    const messages = [...(this.#conversations.get(conversation) ?? []).slice(0, keep), ...add]
    this.#conversations.set(conversation, messages)
    const sent = mark === undefined ? messages : withMark(messages, mark)
    return Buffer.from(JSON.stringify({ ...this.#fields.get(fields), ...set, [list]: sent }))
  }
}

/** Returns messages whose last block has a mark for the prompt cache. */
export function withMark(messages: readonly JsonObject[], mark: JsonObject): readonly JsonObject[] {
  const last = messages.at(-1)
  const content = last?.['content']
  if (last === undefined || !Array.isArray(content)) return messages
  const block = content.at(-1) as JsonObject
  return [...messages.slice(0, -1), { ...last, content: [...content.slice(0, -1), { ...block, cache_control: mark }] }]
}

/**
 * Returns the headers of an answer, name and value in turn. Those of Anthropic's API report the rest of the account's
 * limits.
 */
export function answerHeaders({ answerHeaders: own, list, events }: DemoExchange, wall: number): readonly string[] {
  const type = events === undefined ? 'application/json' : 'text/event-stream; charset=utf-8'
  const limits = list === 'messages' ? Object.entries(demoLimits(wall)) : []
  const said = limits.map(([name, value]) => [`anthropic-ratelimit-${name}`, String(value)])
  return [['content-type', type], ...own, ...said].flat()
}

/** Returns a server-sent event. */
export const serverSent = (data: JsonObject): Buffer =>
  Buffer.from(`event: ${String(data['type'])}\ndata: ${JSON.stringify(data)}\n\n`)

/** Characters that arrive at once while somebody watches. */
const PIECE = 30

/** Splits the text added by an event into pieces, as it is streamed; other events stay whole. */
export function streamedPieces(data: JsonObject): readonly JsonObject[] {
  const { delta } = data
  if (typeof delta === 'string') return cut(delta).map((piece) => ({ ...data, delta: piece }))
  if (typeof delta !== 'object' || delta === null || Array.isArray(delta)) return [data]
  const fields = delta as JsonObject
  const name = ['text', 'thinking', 'partial_json'].find((field) => typeof fields[field] === 'string')
  if (name === undefined) return [data]
  return cut(String(fields[name])).map((piece) => ({ ...data, delta: { ...fields, [name]: piece } as Json }))
}

/** By code points, so that no piece has half a character. */
function cut(text: string): readonly string[] {
  const points = [...text]
  const count = Math.max(1, Math.ceil(points.length / PIECE))
  return Array.from({ length: count }, (_, at) => points.slice(at * PIECE, (at + 1) * PIECE).join(''))
}
