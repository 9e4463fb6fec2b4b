import { naturalKey } from '../../../decode/draft.ts'
import type { AnyDraft } from '../../../decode/draft.ts'
import { isoTime } from '../../../decode/draft-base.ts'
import { createGrowingBodies } from '../../../decode/wire/anthropic-messages/growing-body.ts'
import type { Pipeline } from '../../../pipeline/pipeline.ts'
import type { TapMessage } from '../../../proxy/protocol/tap-protocol.ts'
import type { Redactor } from '../../../redaction/redactor.ts'
import type { AgentCalls } from './agent-calls.ts'
import type { CommitGroup } from '../write/commit-queue.ts'
import type { Conversations, TakenRequest } from './conversation.ts'
import { createExchangeDecoder } from './exchange-decoder.ts'
import type { ExchangeDecoder } from './exchange-decoder.ts'
import type { LiveFeed } from '../../live-feed.ts'
import type { VitalSigns } from '../../vital-signs.ts'

/** Decodes exchanges side by side: each in the order of its messages, none waiting for another. */
export interface Exchanges {
  receive(message: TapMessage): void
  /** Settles when all that was received is decoded. */
  idle(): Promise<void>
  /** It has been quiet for long: lets go of what only saves time. Whether there was any. */
  rest(): boolean
}

export interface ExchangesOptions {
  readonly redactor: Redactor
  readonly pipeline: Pipeline
  readonly conversations: Conversations
  readonly agentCalls: AgentCalls
  readonly live: LiveFeed
  readonly vitalSigns: Pick<VitalSigns, 'workOn'>
  commit(group: CommitGroup): void
  acknowledge(exchange: string): void
  /** Decoding failed, whole or in part; once an exchange. */
  onFailure(exchange: string, message: string): void
}

interface Exchange {
  readonly id: string
  readonly open: Extract<TapMessage, { readonly type: 'open' }>
  readonly decoder: ExchangeDecoder
  readonly arrivedAt: number
  /** Settles when all of its messages so far are decoded; never rejects. */
  work: Promise<void>
  requestDone: boolean
  failed: boolean
  discarded: boolean
}

export function createExchanges(options: ExchangesOptions): Exchanges {
  const { redactor, pipeline, conversations, agentCalls, live, vitalSigns } = options
  const exchanges = new Map<string, Exchange>()
  const bodies = createGrowingBodies()

  function open(message: Exchange['open']): void {
    const decoder = createExchangeDecoder({ open: message, conversations, agentCalls, bodies, hash: redactor.hash })
    exchanges.set(message.exchange, {
      id: message.exchange,
      open: message,
      decoder,
      arrivedAt: performance.now(),
      work: Promise.resolve(),
      requestDone: false,
      failed: false,
      discarded: false,
    })
  }

  function enqueue(exchange: Exchange, message: TapMessage): void {
    const arrivedAt = performance.now()
    exchange.work = exchange.work.then(async () => {
      if (exchange.discarded) return
      vitalSigns.workOn(exchange.id)
      try {
        await handle(exchange, message, arrivedAt)
      } catch (error) {
        fail(exchange, error)
      }
      vitalSigns.workOn(null)
      if (message.type === 'end') finish(exchange)
    })
  }

  async function handle(exchange: Exchange, message: TapMessage, arrivedAt: number): Promise<void> {
    const { decoder } = exchange
    switch (message.type) {
      case 'open':
      case 'discard':
        return
      case 'request_bytes':
        return decoder.requestBytes(message)
      case 'request_end':
        return endRequest(exchange, arrivedAt)
      case 'response_head':
        // Upstream may answer before it has heard all.
        return decoder.responseHead(message)
      case 'response_bytes': {
        if (!exchange.requestDone) endRequest(exchange, arrivedAt)
        const pieces = await decoder.responseBytes(message)
        if (exchange.discarded) return
        const { sessionId, agentId } = decoder.identity()
        live.deltas({ session_id: sessionId, agent_id: agentId, exchange_id: exchange.id }, pieces)
        return
      }
      case 'end': {
        if (!exchange.requestDone) endRequest(exchange, arrivedAt)
        const { drafts } = await decoder.end(message)
        if (exchange.discarded) return
        options.commit(group(redactEach(exchange, joinNeighbours(exchange, drafts)), arrivedAt))
      }
    }
  }

  /** The request's events are committed at once: the prompt is on screen before its answer comes. */
  function endRequest(exchange: Exchange, arrivedAt: number): void {
    exchange.requestDone = true
    try {
      const { drafts, taken } = exchange.decoder.requestEnd()
      if (taken?.alreadyStored) return
      options.commit({
        ...group(
          redactEach(exchange, drafts).map((draft) => withStoredForm(draft, taken)),
          arrivedAt,
        ),
        onSettled: (outcome) => {
          if (outcome === 'lost') conversations.reset()
        },
      })
    } catch (error) {
      fail(exchange, error)
    }
  }

  /** A secret may be cut over the blocks of an answer; where that cannot be looked for, its texts are left out. */
  function joinNeighbours(exchange: Exchange, drafts: readonly AnyDraft[]): readonly AnyDraft[] {
    try {
      return redactor.neighbours(drafts)
    } catch (error) {
      fail(exchange, error)
      return drafts.filter(({ kind }) => kind !== 'thinking' && kind !== 'assistant_text' && kind !== 'turn_ended')
    }
  }

  /** A draft that cannot be redacted is left out, never stored raw; the others stay. */
  function redactEach(exchange: Exchange, drafts: readonly AnyDraft[]): AnyDraft[] {
    return drafts.flatMap((draft) => {
      try {
        return [pipeline.redact(draft)]
      } catch (error) {
        fail(exchange, error)
        return []
      }
    })
  }

  /** After the redaction: the stored form is redacted already, and its hashes must stay as they are. */
  function withStoredForm(draft: AnyDraft, taken: TakenRequest | undefined): AnyDraft {
    if (draft.kind !== 'model_request' || taken === undefined) return draft
    return { ...draft, payload: { ...draft.payload, request: taken.request } }
  }

  const group = (drafts: readonly AnyDraft[], arrivedAt: number): CommitGroup => ({
    drafts,
    arrivedAt,
    onSettled: () => undefined,
  })

  /** Told in the record itself, once; what else the exchange says is still taken. */
  function fail(exchange: Exchange, error: unknown): void {
    if (exchange.failed) return
    exchange.failed = true
    const text = redactor.text(error instanceof Error ? error.message : String(error))
    options.onFailure(exchange.id, text)
    const { sessionId, agentId } = exchange.decoder.identity()
    const { wall, at } = exchange.open
    const message = `a part of this exchange could not be decoded: ${text}`
    const draft: AnyDraft = {
      kind: 'error',
      source: 'wire',
      payload: { origin: 'capture', type: 'decode_failed', message, status: null },
      session_id: sessionId,
      agent_id: agentId,
      ts_wall: isoTime(wall),
      ts_monotonic: at,
      success: false,
      error_message: message,
      keys: [`${naturalKey.exchange(exchange.id, 'error')}:capture`],
      parents: [naturalKey.exchange(exchange.id, 'request')],
    }
    options.commit(group([draft], performance.now()))
  }

  /** Behind all that was committed of it: what it said is safe when this group is. */
  function finish(exchange: Exchange): void {
    exchanges.delete(exchange.id)
    live.close(exchange.id)
    if (exchange.discarded) return
    options.commit({ drafts: [], arrivedAt: performance.now(), onSettled: () => options.acknowledge(exchange.id) })
  }

  return {
    receive(message) {
      if (message.type === 'open') return open(message)
      const exchange = exchanges.get(message.exchange)
      if (!exchange) return
      if (message.type !== 'discard') return enqueue(exchange, message)
      exchange.discarded = true
      exchanges.delete(exchange.id)
      live.close(exchange.id)
    },
    async idle() {
      await Promise.all([...exchanges.values()].map((exchange) => exchange.work))
    },
    rest: bodies.forget,
  }
}
