import { randomBytes } from 'node:crypto'

/** A step of a response from the fake Messages API. */
export type Step =
  | { readonly thinking: string; readonly signature?: string }
  | { readonly withheldThinking: string }
  | { readonly text: string; readonly citations?: readonly object[] }
  | { readonly tool: string; readonly input: object; readonly id?: string }
  /** A block of any type: the block of its start event, then raw deltas. */
  | { readonly block: object; readonly deltas?: readonly object[] }
  /** Waits until the test calls `release` with this name. */
  | { readonly hold: string }
  | { readonly ping: true }
  /** An `error` event mid-stream, which ends the response. */
  | { readonly failure: { readonly type: string; readonly message: string } }
  /** Closes the connection. */
  | { readonly cut: true }
  /** Raw bytes that are not an event. */
  | { readonly raw: string }

/** Usage as the API reports it. Omitted fields are 0 or not sent. */
export interface AnswerUsage {
  readonly input_tokens?: number
  readonly output_tokens?: number
  readonly cache_read_input_tokens?: number
  /** Cache writes with a lifetime of five minutes, and of an hour. */
  readonly cache_creation_5m?: number
  readonly cache_creation_1h?: number
  readonly thinking_tokens?: number
  readonly web_search_requests?: number
  /** Extra fields for both usage objects (speed, inference_geo, iterations …). */
  readonly more?: object
}

/** One response: a message made of `steps`, or an error with `error` and a `status` over 299. */
export interface Answer {
  readonly steps?: readonly Step[]
  readonly usage?: AnswerUsage
  readonly stopReason?: string
  readonly messageId?: string
  /** Model named in the message; by default the requested one. */
  readonly model?: string
  readonly status?: number
  readonly error?: { readonly type: string; readonly message: string }
  readonly headers?: { readonly [name: string]: string }
  readonly encoding?: 'gzip' | 'br' | 'deflate' | 'zstd'
  /** Code points of text per delta; 12 by default. */
  readonly deltaLength?: number
  /** Writes the body in pieces of this many bytes; by default one event at a time. */
  readonly writeBytes?: number
}

/** A piece of a response: an SSE event, bytes or an action. */
export type Piece =
  | { readonly kind: 'event'; readonly type: string; readonly data: object }
  | { readonly kind: 'raw'; readonly text: string }
  | { readonly kind: 'hold'; readonly name: string }
  | { readonly kind: 'cut' }

const newId = (prefix: string) => `${prefix}_01${randomBytes(12).toString('hex')}`

const stopReasonOf = (answer: Answer) =>
  answer.stopReason ?? (answer.steps?.some((step) => 'tool' in step) ? 'tool_use' : 'end_turn')

function usageAtStart(usage: AnswerUsage): object {
  const shortWrites = usage.cache_creation_5m ?? 0
  const longWrites = usage.cache_creation_1h ?? 0
  return {
    input_tokens: usage.input_tokens ?? 10,
    cache_creation_input_tokens: shortWrites + longWrites,
    cache_read_input_tokens: usage.cache_read_input_tokens ?? 0,
    cache_creation: { ephemeral_5m_input_tokens: shortWrites, ephemeral_1h_input_tokens: longWrites },
    output_tokens: 1,
    service_tier: 'standard',
    ...usage.more,
  }
}

function usageAtEnd(usage: AnswerUsage): object {
  return {
    output_tokens: usage.output_tokens ?? 20,
    ...(usage.thinking_tokens === undefined
      ? {}
      : { output_tokens_details: { thinking_tokens: usage.thinking_tokens } }),
    ...(usage.web_search_requests === undefined
      ? {}
      : { server_tool_use: { web_search_requests: usage.web_search_requests } }),
    ...usage.more,
  }
}

/** Splits by code points, so that no delta contains half a character. */
function pieces(text: string, length: number): string[] {
  const points = [...text]
  const parts: string[] = []
  for (let at = 0; at < points.length; at += length) parts.push(points.slice(at, at + length).join(''))
  return parts
}

/** Returns a content block as start block, deltas and whole block; null for other steps. */
function blockOf(step: Step, length: number): { start: object; deltas: object[]; whole: object } | null {
  if ('thinking' in step) {
    const signature = step.signature ?? randomBytes(48).toString('base64')
    return {
      start: { type: 'thinking', thinking: '', signature: '' },
      deltas: [
        ...pieces(step.thinking, length).map((thinking) => ({ type: 'thinking_delta', thinking })),
        { type: 'signature_delta', signature },
      ],
      whole: { type: 'thinking', thinking: step.thinking, signature },
    }
  }
  if ('withheldThinking' in step) {
    const whole = { type: 'redacted_thinking', data: step.withheldThinking }
    return { start: whole, deltas: [], whole }
  }
  if ('text' in step) {
    const citations = step.citations ?? []
    return {
      start: { type: 'text', text: '' },
      deltas: [
        ...pieces(step.text, length).map((text) => ({ type: 'text_delta', text })),
        ...citations.map((citation) => ({ type: 'citations_delta', citation })),
      ],
      whole: { type: 'text', text: step.text, ...(citations.length > 0 ? { citations } : {}) },
    }
  }
  if ('tool' in step) {
    const start = { type: 'tool_use', id: step.id ?? newId('toolu'), name: step.tool, input: {} }
    const partials = ['', ...pieces(JSON.stringify(step.input), length)]
    return {
      start,
      deltas: partials.map((partial_json) => ({ type: 'input_json_delta', partial_json })),
      whole: { ...start, input: step.input },
    }
  }
  if ('block' in step) return { start: step.block, deltas: [...(step.deltas ?? [])], whole: step.block }
  return null
}

const event = (type: string, rest: object): Piece => ({ kind: 'event', type, data: { type, ...rest } })

/** Returns the response as the API streams it. */
export function streamedPieces(answer: Answer, askedModel: string): Piece[] {
  const usage = answer.usage ?? {}
  const out: Piece[] = [
    event('message_start', {
      message: {
        id: answer.messageId ?? newId('msg'),
        type: 'message',
        role: 'assistant',
        model: answer.model ?? askedModel,
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: usageAtStart(usage),
      },
    }),
  ]
  let index = 0
  for (const step of answer.steps ?? []) {
    const block = blockOf(step, answer.deltaLength ?? 12)
    if (block) {
      out.push(event('content_block_start', { index, content_block: block.start }))
      for (const delta of block.deltas) out.push(event('content_block_delta', { index, delta }))
      out.push(event('content_block_stop', { index }))
      index += 1
    } else if ('hold' in step) out.push({ kind: 'hold', name: step.hold })
    else if ('ping' in step) out.push(event('ping', {}))
    else if ('raw' in step) out.push({ kind: 'raw', text: step.raw })
    else if ('cut' in step) return [...out, { kind: 'cut' }]
    else if ('failure' in step) return [...out, event('error', { error: step.failure })]
  }
  out.push(
    event('message_delta', {
      delta: { stop_reason: stopReasonOf(answer), stop_sequence: null },
      usage: usageAtEnd(usage),
    }),
    event('message_stop', {}),
  )
  return out
}

/** Returns the response as one JSON message (`stream: false`), after any holds and cuts. */
export function wholePieces(answer: Answer, askedModel: string): Piece[] {
  const usage = answer.usage ?? {}
  const waits: Piece[] = []
  const content: object[] = []
  for (const step of answer.steps ?? []) {
    const block = blockOf(step, 1_000)
    if (block) content.push(block.whole)
    else if ('hold' in step) waits.push({ kind: 'hold', name: step.hold })
    else if ('cut' in step) return [...waits, { kind: 'cut' }]
  }
  const message = {
    id: answer.messageId ?? newId('msg'),
    type: 'message',
    role: 'assistant',
    model: answer.model ?? askedModel,
    content,
    stop_reason: stopReasonOf(answer),
    stop_sequence: null,
    usage: { ...usageAtStart(usage), ...usageAtEnd(usage) },
  }
  return [...waits, { kind: 'raw', text: JSON.stringify(message) }]
}
