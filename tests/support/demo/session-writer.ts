import type { EventKind, Payloads, RequestKind, Usage } from '../../../src/shared/event.ts'
import { type AnyDraft, type EventDraft, naturalKey } from '../../../src/main/decode/draft.ts'
import { DemoCache, type CachedRequest } from './prompt-cache.ts'
import type { Random } from '../../../src/main/base/fixtures/random.ts'

/** A response to write. */
export interface WrittenResponse {
  readonly blocks: readonly WrittenBlock[]
  readonly requestKind: RequestKind
  readonly stopReason: string
  /** Tokens that this request adds to the cache. */
  readonly newTokens: number
  readonly outputTokens: number
  readonly thinkingTokens: number | null
}
export type WrittenBlock =
  | { readonly kind: 'thinking'; readonly text: string }
  | { readonly kind: 'assistant_text'; readonly text: string }
  | {
      readonly kind: 'tool_call'
      readonly callId: string
      readonly name: string
      readonly input: Payloads['tool_call']['input']
    }

/** The conversation of the main agent or of a subagent. */
export interface Line {
  readonly agentId: string | null
  readonly model: string
  /** Keys of the events that the next request answers. */
  tail: readonly string[]
  /** Tokens in its context. */
  context: number
  messages: number
  /** The failed request that the next one retries. */
  retryOf: string | null
}

/** Writes a session's drafts with keys, parents and a clock that only moves forward. */
export interface SessionWriter {
  readonly sessionId: string
  /** Returns the session's clock, in ms since 1970. */
  now(): number
  /** Advances the clock. */
  wait(ms: number): void
  /** Writes a draft and returns its first key. */
  add<K extends EventKind>(
    kind: K,
    payload: Payloads[K],
    more: Partial<EventDraft<K>> & { agent?: string | null },
  ): string
  /** Writes a request, its blocks, usage and response, and advances the conversation. */
  exchange(line: Line, response: WrittenResponse): void
  /** Writes a failed request with its error. The conversation does not advance. */
  failure(line: Line, error: { type: string; message: string; status: number; retryAfterS: number | null }): void
  /** Returns and clears the drafts since the last call. */
  take(): AnyDraft[]
}

export const CLIENT = 'claude-cli/2.1.330 (external, cli)'

export function createSessionWriter(random: Random, project: string, startedAt: number): SessionWriter {
  return new DraftWriter(random, project, startedAt)
}

class DraftWriter implements SessionWriter {
  readonly sessionId: string
  readonly #random: Random
  readonly #project: string
  readonly #cache: DemoCache
  /** Most sessions are served in the standard tier, a few in another: a silent change. */
  readonly #tier: 'standard' | 'priority'
  #clock: number
  #drafts: AnyDraft[] = []

  constructor(random: Random, project: string, startedAt: number) {
    this.sessionId = random.uuid()
    this.#random = random
    this.#project = project
    this.#cache = new DemoCache(random.fork('prompt cache'))
    this.#tier = random.fork('tier').chance(0.05) ? 'priority' : 'standard'
    this.#clock = startedAt
  }

  now(): number {
    return this.#clock
  }

  wait(ms: number): void {
    this.#clock += ms
  }

  take(): AnyDraft[] {
    const drafts = this.#drafts
    this.#drafts = []
    return drafts
  }

  add<K extends EventKind>(
    kind: K,
    payload: Payloads[K],
    { agent = null, ...more }: Partial<EventDraft<K>> & { agent?: string | null },
  ): string {
    const keys = more.keys ?? [`demo:${this.#random.hex(16)}`]
    const draft = {
      kind,
      source: 'wire',
      payload,
      session_id: this.sessionId,
      agent_id: agent,
      ts_wall: new Date(this.#clock).toISOString(),
      ts_monotonic: null,
      account: 'demo',
      project: this.#project,
      parents: [],
      ...more,
      keys,
    } as const
    this.#drafts.push(draft as unknown as AnyDraft)
    return keys[0] ?? ''
  }

  #request(line: Line, kind: RequestKind): { exchangeId: string; requestKey: string; cached: CachedRequest } {
    const exchangeId = this.#random.uuid()
    const cached = this.#cache.send(line, exchangeId, this.#clock)
    const requestKey = this.add(
      'model_request',
      {
        exchange_id: exchangeId,
        request_kind: kind,
        method: 'POST',
        path: '/v1/messages?beta=true',
        model: line.model,
        headers: [['user-agent', CLIENT]],
        request: null,
        shape: cached.shape,
        message_count: line.messages,
        body_bytes: line.context * 4,
        retry_of: line.retryOf,
      },
      {
        agent: line.agentId,
        keys: [naturalKey.exchange(exchangeId, 'request')],
        parents: line.tail,
        uuid: exchangeId,
      },
    )
    line.retryOf = null
    return { exchangeId, requestKey, cached }
  }

  #block(line: Line, item: WrittenBlock, messageId: string, index: number): string {
    const key = naturalKey.block(messageId, index)
    const parents = index > 0 ? [naturalKey.block(messageId, index - 1)] : line.tail
    const common = { message_id: messageId, index }
    const more = { agent: line.agentId, parents }
    switch (item.kind) {
      case 'thinking':
        return this.add('thinking', { text: item.text, signature_only: false, ...common }, { ...more, keys: [key] })
      case 'assistant_text':
        return this.add('assistant_text', { text: item.text, ...common }, { ...more, keys: [key] })
      case 'tool_call':
        return this.add(
          'tool_call',
          { call_id: item.callId, tool_name: item.name, input: item.input, ...common },
          { ...more, keys: [key, naturalKey.call(item.callId)] },
        )
    }
  }

  exchange(line: Line, response: WrittenResponse): void {
    const { exchangeId, requestKey, cached } = this.#request(line, response.requestKind)
    const messageId = `msg_01${this.#random.hex(22)}`
    const requestId = `req_01${this.#random.hex(22)}`
    const startedAtMs = this.#clock
    const ttft = this.#random.int(380, 2_800)
    this.#clock += ttft
    let last = ''
    response.blocks.forEach((item, index) => {
      last = this.#block(line, item, messageId, index)
      this.#clock +=
        this.#random.int(40, 200) +
        Math.round((response.outputTokens * this.#random.int(6, 14)) / response.blocks.length)
    })
    const usage = usageOf(this.#random, line, response, cached)
    const duration = this.#clock - startedAtMs
    const agent = line.agentId
    this.add(
      'api_usage',
      {
        message_id: messageId,
        model: line.model,
        usage,
        request_kind: response.requestKind,
        basis: 'measured',
        ttft_ms: ttft,
      },
      {
        agent,
        request_id: requestId,
        duration_ms: duration,
        keys: [naturalKey.usage(messageId)],
        parents: last === '' ? line.tail : [last],
      },
    )
    this.add(
      'model_response',
      {
        exchange_id: exchangeId,
        message_id: messageId,
        model: line.model,
        status: 200,
        stop_reason: response.stopReason,
        streamed: true,
        cut_by: null,
        ttft_ms: ttft,
        headers: [['request-id', requestId]],
        body_bytes: response.outputTokens * 90 + 900,
        ...this.#terms(line, cached),
        ...(cached.verdict === null ? {} : { cache_verdict: { ...cached.verdict, tokens: line.context } }),
      },
      {
        agent,
        request_id: requestId,
        duration_ms: duration,
        success: true,
        keys: [naturalKey.exchange(exchangeId, 'response'), naturalKey.response(messageId)],
        parents: [requestKey],
      },
    )
    line.messages += 2
    line.context += response.newTokens + response.outputTokens
    if (last !== '') line.tail = [last]
  }

  /** What was asked and served. No request asks for a tier. */
  #terms({ model }: Line, { shape, ttl }: CachedRequest): Pick<Payloads['model_response'], 'asked' | 'served'> {
    const open = { speed: null, service_tier: null, inference_geo: null }
    const effort = shape.parameters['effort']
    return {
      asked: { ...open, model, betas: shape.betas, effort: typeof effort === 'string' ? effort : null, cache_ttl: ttl },
      served: { ...open, service_tier: this.#tier, inference_geo: 'global', cache_ttl: ttl },
    }
  }

  failure(line: Line, { type, message, status, retryAfterS }: Parameters<SessionWriter['failure']>[1]): void {
    const { exchangeId, requestKey } = this.#request(line, line.agentId ? 'subagent' : 'loop')
    line.retryOf = exchangeId
    this.#clock += this.#random.int(90, 900)
    const facts = { agent: line.agentId, success: false, parents: [requestKey] }
    this.add(
      'error',
      { origin: 'upstream', type, message, status, retry_after_s: retryAfterS },
      { ...facts, error_message: message, keys: [naturalKey.exchange(exchangeId, 'error')] },
    )
    this.add(
      'model_response',
      {
        exchange_id: exchangeId,
        message_id: null,
        model: line.model,
        status,
        stop_reason: null,
        streamed: false,
        cut_by: null,
        ttft_ms: null,
        headers: [],
        body_bytes: 120,
      },
      { ...facts, keys: [naturalKey.exchange(exchangeId, 'response')] },
    )
    this.#clock += (retryAfterS ?? this.#random.int(1, 8)) * 1000
  }
}

/** Reads the context from the cache, except for new tokens. After a miss it is written again. */
function usageOf(random: Random, line: Line, response: WrittenResponse, { isHit, ttl }: CachedRequest): Usage {
  const cached = isHit ? line.context : 0
  const creation = line.context - cached + response.newTokens
  return {
    input_tokens: random.int(2, 12),
    output_tokens: response.outputTokens,
    cache_read_input_tokens: cached,
    cache_creation_input_tokens: creation,
    cache_creation_1h_input_tokens: ttl === '1h' ? creation : 0,
    thinking_tokens: response.thinkingTokens,
    web_search_requests: 0,
    service_tier: 'standard',
    speed: 'standard',
    inference_geo: null,
  }
}
