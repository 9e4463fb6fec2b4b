import type { Json, JsonObject } from '../../../../src/shared/event.ts'

/** A block of an answer. */
export type Block =
  | { readonly thinking: string }
  | { readonly text: string }
  | { readonly id: string; readonly tool: string; readonly input: JsonObject }

export interface ToldAnswer {
  readonly id: string
  readonly model: string
  readonly blocks: readonly Block[]
  readonly stopReason: string
  readonly inputUsage: JsonObject
  readonly outputTokens: number
  readonly thinkingTokens: number
  readonly ttftMs: number
  /** The API's view of the cache; absent: it was not asked. */
  readonly diagnostics?: Json
}

type Timed = readonly [afterMs: number, data: JsonObject]

/** Milliseconds a character: about 75 tokens a second. */
const MS_A_CHARACTER = 3.4

/** The block as a later request repeats it. */
export function contentOf(block: Block): JsonObject {
  if ('thinking' in block) return { type: 'thinking', thinking: block.thinking, signature: 'c2hvcnRlbmVk' }
  if ('text' in block) return { type: 'text', text: block.text }
  return { type: 'tool_use', id: block.id, name: block.tool, input: block.input }
}

export const lengthOf = (block: Block): number =>
  'thinking' in block ? block.thinking.length : 'text' in block ? block.text.length : JSON.stringify(block.input).length

/** Returns an answer of the Messages API as it is streamed, and how long it takes. */
export function messageEvents(answer: ToldAnswer): { readonly events: readonly Timed[]; readonly tookMs: number } {
  const { id, model, blocks, stopReason, inputUsage, outputTokens, thinkingTokens, ttftMs, diagnostics } = answer
  const message: JsonObject = {
    id,
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { ...inputUsage, output_tokens: 1 },
    ...(diagnostics === undefined ? {} : { diagnostics }),
  }
  const events: Timed[] = [[ttftMs, { type: 'message_start', message }]]
  let at = ttftMs + 40
  for (const [index, block] of blocks.entries()) {
    const [start, delta] = startAndDelta(block)
    events.push([at, { type: 'content_block_start', index, content_block: start }])
    events.push([at, { type: 'content_block_delta', index, delta }])
    at = Math.round(at + 60 + lengthOf(block) * MS_A_CHARACTER)
    events.push([at, { type: 'content_block_stop', index }])
  }
  const details = thinkingTokens > 0 ? { output_tokens_details: { thinking_tokens: thinkingTokens } } : {}
  events.push(
    [
      at,
      {
        type: 'message_delta',
        delta: { stop_reason: stopReason, stop_sequence: null },
        usage: { output_tokens: outputTokens, ...details },
      },
    ],
    [at, { type: 'message_stop' }],
  )
  return { events, tookMs: at + 10 }
}

function startAndDelta(block: Block): readonly [start: JsonObject, delta: JsonObject] {
  if ('thinking' in block)
    return [
      { type: 'thinking', thinking: '', signature: '' },
      { type: 'thinking_delta', thinking: block.thinking },
    ]
  if ('text' in block)
    return [
      { type: 'text', text: '' },
      { type: 'text_delta', text: block.text },
    ]
  return [
    { type: 'tool_use', id: block.id, name: block.tool, input: {} },
    { type: 'input_json_delta', partial_json: JSON.stringify(block.input) },
  ]
}
