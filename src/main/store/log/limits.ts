import type { Config } from '../../../shared/config.ts'
import type { AnyEvent, Json } from '../../../shared/event.ts'
import type { AnyDraft } from '../../decode/draft.ts'
import { jsonOrNull } from '../../../shared/json-fields.ts'

/** The settings of `[lifestats]` that limit the stored data. */
export type Limits = Pick<
  Config['lifestats'],
  'store_thinking' | 'store_tool_io' | 'max_thinking_size' | 'max_prompt_size'
>

const CUT_MARK = /\.\.\. \[truncated, \d+ bytes total\]$/

/** Cuts a text to at most `bytes` of UTF-8, between characters, and appends its full length. A text cut this way is not cut again. */
export function cutText(text: string, bytes: number): string {
  if (text.length * 3 <= bytes) return text
  const mark = text.slice(-60).match(CUT_MARK)
  if (mark && Buffer.byteLength(text) - mark[0].length <= bytes) return text
  const whole = Buffer.from(text)
  if (whole.length <= bytes) return text
  let end = bytes
  // A byte 10xxxxxx continues the character before it.
  while (end > 0 && ((whole[end] ?? 0) & 0xc0) === 0x80) end -= 1
  return `${whole.toString('utf8', 0, end)}... [truncated, ${whole.length} bytes total]`
}

/** Reduces a draft to what may be stored, before log, index, contents and sinks see it. */
export function limitDraft(draft: AnyDraft, limits: Limits): AnyDraft {
  switch (draft.kind) {
    case 'user_prompt': {
      const text = cutText(draft.payload.text, limits.max_prompt_size)
      return text === draft.payload.text ? draft : { ...draft, payload: { ...draft.payload, text } }
    }
    case 'thinking': {
      const text = limits.store_thinking ? cutText(draft.payload.text, limits.max_thinking_size) : ''
      if (text === draft.payload.text) return draft
      const leftOut = limits.store_thinking ? {} : ({ left_out: true } as const)
      return { ...draft, payload: { ...draft.payload, text, ...leftOut } }
    }
    case 'tool_call':
      if (limits.store_tool_io) return draft
      return { ...withoutToolTraffic(draft), payload: { ...draft.payload, input: null, left_out: true } }
    case 'tool_result': {
      if (limits.store_tool_io) return draft
      const { detail: _, ...payload } = draft.payload
      return {
        ...withoutToolTraffic(draft),
        error_message: null,
        payload: { ...payload, output: null, left_out: true },
      }
    }
    case 'file_seen':
      if (limits.store_tool_io) return draft
      return { ...draft, payload: { ...draft.payload, hash: null, text: null, left_out: true } }
    default:
      return draft
  }
}

/** Reduces a request's block (its JSON) to what may be stored. */
export function limitBlock(text: string, limits: Limits): string {
  const thinkingMatters = !limits.store_thinking || text.length * 3 > limits.max_thinking_size
  if (limits.store_tool_io && !(thinkingMatters && text.includes('thinking'))) return text
  const block = parseObject(text)
  if (!block) return text
  if (block.type === 'thinking' && typeof block.thinking === 'string') {
    const thinking = limits.store_thinking ? cutText(block.thinking, limits.max_thinking_size) : ''
    return thinking === block.thinking ? text : JSON.stringify({ ...block, thinking })
  }
  if (limits.store_tool_io || typeof block.type !== 'string') return text
  if (block.type.endsWith('tool_use')) return JSON.stringify({ ...block, input: {} })
  if (block.type.endsWith('tool_result')) return JSON.stringify({ ...block, content: [] })
  return text
}

/** Keeps a sighting's numbers and booleans (duration, success) and removes its texts. */
function withoutToolTraffic<T extends AnyDraft>(draft: T): T {
  if (!draft.sighting) return draft
  const kept = Object.entries(draft.sighting).filter(
    ([, value]) => typeof value === 'number' || typeof value === 'boolean',
  )
  return { ...draft, sighting: Object.fromEntries(kept) }
}

const parseObject = (text: string): { readonly [key: string]: Json } | null =>
  text.startsWith('{') ? (jsonOrNull(text) as { readonly [key: string]: Json } | null) : null

/** Takes only the fields that a step may change from an event that a pipeline step returned. */
export function changedByStep(placed: AnyEvent, given: AnyEvent): AnyEvent {
  if (given === placed) return placed
  const { payload, duration_ms, success, error_message, project, user_id } = given
  return { ...placed, payload, duration_ms, success, error_message, project, user_id } as AnyEvent
}
