import { setImmediate } from 'node:timers/promises'
import type { AnyDraft } from '../../../decode/draft.ts'
import type { LeftOut } from '../../../decode/left-out.ts'
import { createGrowingBodies } from '../../../decode/wire/growing-body.ts'
import type { Pipeline } from '../../../pipeline/pipeline.ts'
import type { TapMessage } from '../../../proxy/protocol/tap-protocol.ts'
import type { Redactor } from '../../../redaction/redactor.ts'
import type { LiveBatcher } from '../../live-batcher.ts'
import type { VitalSigns } from '../../vital-signs.ts'
import type { CommitGroup } from '../write/commit-queue.ts'
import type { AgentCalls } from './agent-calls.ts'
import type { Conversations } from './conversation.ts'
import { ContinuedRequests } from './continued-requests.ts'
import { SocketConnections } from '../../../decode/wire/websocket/socket-connections.ts'
import { RecentlyUsed } from '../../../base/recently-used.ts'
import { withStoredForm } from './stored-form.ts'
import { leftOutDraft } from './left-out-draft.ts'
import { ExchangeDecoder } from './exchange-decoder.ts'
import type { Unfinished, UnfinishedAnswers } from './unfinished-answers.ts'
import { UnnamedAgents } from './unnamed-agents.ts'
import type { UnnamedSessions } from './unnamed-sessions.ts'
import { errorMessage } from '../../../../shared/error-text.ts'

export interface ExchangesOptions {
  readonly redactor: Redactor
  readonly pipeline: Pick<Pipeline, 'redact'>
  readonly conversations: Conversations
  readonly agentCalls: AgentCalls
  readonly unnamed: UnnamedSessions
  readonly live: Pick<LiveBatcher, 'deltas' | 'close'>
  readonly unfinished: Pick<UnfinishedAnswers, 'begun' | 'grew' | 'ended'>
  readonly vitalSigns: Pick<VitalSigns, 'workOn'>
  /** Queues drafts for the next commit. */
  enqueue(group: CommitGroup): void
  /** Everything in the exchange is stored or spooled; unless `isRecorded`, parts of it are lost and counted. */
  acknowledge(exchange: string, isRecorded: boolean): void
  /** Called once for each exchange and reason if all or part of it could not be decoded. */
  onFailure(exchange: string, failure: LeftOut): void
}

type EndMessage = Extract<TapMessage, { readonly type: 'end' }>

/** Bounds the WebSockets whose newest exchange is remembered. */
const SOCKETS_KEPT = 1000

interface Exchange {
  readonly id: string
  readonly open: Extract<TapMessage, { readonly type: 'open' }>
  readonly decoder: ExchangeDecoder
  readonly unfinished: Unfinished
  /** Settles when all messages so far are decoded; never rejects. */
  work: Promise<void>
  /** Resolves when all drafts of the exchange are queued for the log, or when it is discarded. */
  readonly finished: PromiseWithResolvers<void>
  requestDone: boolean
  readonly failed: Set<LeftOut['reason']>
  discarded: boolean
  isLost: boolean
}

/** Decodes exchanges concurrently: each in the order of its messages, none waiting for another. */
export class Exchanges {
  readonly #options: ExchangesOptions & { readonly unnamedAgents: UnnamedAgents }
  readonly #open = new Map<string, Exchange>()
  readonly #bodies = createGrowingBodies()
  readonly #continued = new ContinuedRequests()
  readonly #sockets = new SocketConnections()
  /** The newest exchange of each WebSocket: they are decoded one after another. */
  readonly #newest = new RecentlyUsed<string, Exchange>(SOCKETS_KEPT)
  /** Exchanges whose end has arrived but is not decoded yet. */
  readonly #ending = new Map<string, PromiseWithResolvers<void>>()

  constructor(options: ExchangesOptions) {
    this.#options = { ...options, unnamedAgents: new UnnamedAgents(options.agentCalls) }
  }

  receive(message: TapMessage): void {
    if (message.type === 'open') return this.#begin(message)
    const exchange = this.#open.get(message.exchange)
    if (!exchange) return
    if (message.type !== 'discard') return this.#decodeNext(exchange, message)
    exchange.discarded = true
    exchange.finished.resolve()
    this.#open.delete(exchange.id)
    this.#options.live.close(exchange.id)
    this.#options.unfinished.ended(exchange.id)
  }

  /** Settles when everything received so far is decoded. */
  async idle(): Promise<void> {
    await Promise.all([...this.#open.values()].map((exchange) => exchange.work))
  }

  /** Resolves when the main agent's open exchanges of a session are queued for the log. */
  async answered(sessionId: string): Promise<void> {
    const open = [...this.#open.values()].filter(({ decoder }) => {
      const identity = decoder.identity()
      return identity.sessionId === sessionId && identity.agentId === null
    })
    await Promise.all(open.map(({ finished }) => finished.promise))
  }

  /** Drops the caches that only save time. Returns whether there were any. */
  releaseMemory(): boolean {
    const hadBodies = this.#bodies.forget()
    return this.#continued.forget() || hadBodies
  }

  #begin(open: Exchange['open']): void {
    const { conversations, agentCalls, unnamed, unnamedAgents, redactor } = this.#options
    const shared = { bodies: this.#bodies, continued: this.#continued, sockets: this.#sockets, unnamedAgents }
    const before = open.socket === undefined ? undefined : this.#newest.get(open.socket.connection)
    const decoder = new ExchangeDecoder({ open, conversations, agentCalls, unnamed, ...shared, hash: redactor.hash })
    const exchange: Exchange = {
      id: open.exchange,
      open,
      decoder,
      unfinished: {
        id: open.exchange,
        sessionId: () => decoder.identity().sessionId,
        soFar: () => decoder.soFar(),
      },
      work: before?.work ?? Promise.resolve(),
      finished: Promise.withResolvers(),
      requestDone: false,
      failed: new Set(),
      discarded: false,
      isLost: false,
    }
    this.#open.set(open.exchange, exchange)
    if (open.socket !== undefined) this.#newest.set(open.socket.connection, exchange)
  }

  #decodeNext(exchange: Exchange, message: TapMessage): void {
    const { vitalSigns } = this.#options
    const arrivedAt = performance.now()
    // A request may build on answers that were complete before it: they decide which conversation it continues.
    const before = message.type === 'request_end' ? [...this.#ending.values()].map(({ promise }) => promise) : []
    if (message.type === 'end') this.#ending.set(exchange.id, Promise.withResolvers())
    exchange.work = exchange.work.then(async () => {
      if (before.length > 0) await Promise.all(before)
      if (exchange.discarded) return this.#endDecoded(exchange)
      vitalSigns.workOn(exchange.id)
      try {
        await this.#decode(exchange, message, arrivedAt)
      } catch (error) {
        this.#fail(exchange, error)
      }
      vitalSigns.workOn(null)
      if (message.type !== 'end') return
      this.#endDecoded(exchange)
      this.#finish(exchange)
    })
  }

  #endDecoded({ id }: Exchange): void {
    this.#ending.get(id)?.resolve()
    this.#ending.delete(id)
  }

  async #decode(exchange: Exchange, message: TapMessage, arrivedAt: number): Promise<void> {
    const { decoder } = exchange
    switch (message.type) {
      case 'open':
      case 'discard':
        return
      case 'request_bytes':
        return decoder.requestBytes(message)
      case 'request_end':
        return this.#endRequest(exchange, arrivedAt)
      case 'response_head':
        // The upstream may answer before it has received the whole request.
        return decoder.responseHead(message)
      case 'response_bytes': {
        // On a WebSocket, the upstream may speak before the client's message is whole.
        if (!exchange.requestDone && exchange.open.socket === undefined) this.#endRequest(exchange, arrivedAt)
        for await (const pieces of decoder.responseBytes(message)) {
          if (exchange.discarded) continue
          const { sessionId, agentId } = decoder.identity()
          const origin = { session_id: sessionId, agent_id: agentId, exchange_id: exchange.id }
          this.#options.live.deltas(origin, pieces)
        }
        if (exchange.discarded) return
        this.#options.unfinished.grew(exchange.unfinished)
        if (!decoder.isAnswered) return
        return this.#endResponse(exchange, { ...message, type: 'end', outcome: 'complete', error: null }, arrivedAt)
      }
      case 'end': {
        if (!exchange.requestDone) this.#endRequest(exchange, arrivedAt)
        return this.#endResponse(exchange, message, arrivedAt)
      }
    }
  }

  async #endResponse(exchange: Exchange, message: EndMessage, arrivedAt: number): Promise<void> {
    const drafts = await exchange.decoder.end(message)
    if (exchange.discarded) return
    const redacted = this.#redactEach(exchange, this.#redactNeighbours(exchange, drafts))
    this.#options.enqueue(this.#group(exchange, redacted, arrivedAt))
    this.#recordLeftOut(exchange)
    this.#endDecoded(exchange)
    return this.#takeBatch(exchange, arrivedAt)
  }

  /** A batch may hold thousands of requests: other work runs between its parts. */
  async #takeBatch(exchange: Exchange, arrivedAt: number): Promise<void> {
    for (const { drafts, taken } of exchange.decoder.batch()) {
      const redacted = this.#redactEach(exchange, drafts).map((draft) => withStoredForm(draft, taken))
      this.#options.enqueue(this.#group(exchange, redacted, arrivedAt))
      await setImmediate()
    }
  }

  /** Queues the request's events at once, so that the prompt is on screen before its answer arrives. */
  #endRequest(exchange: Exchange, arrivedAt: number): void {
    exchange.requestDone = true
    try {
      const { drafts, taken, isStored } = exchange.decoder.requestEnd()
      if (isStored) return
      const redacted = this.#redactEach(exchange, drafts).map((draft) => withStoredForm(draft, taken))
      this.#options.enqueue({
        ...this.#group(exchange, redacted, arrivedAt),
        // A kill between the two must not leave a request without an end; an end without a request is forgotten.
        onWrite: () => {
          if (this.#open.has(exchange.id)) this.#options.unfinished.begun(exchange.unfinished)
        },
      })
      this.#recordLeftOut(exchange)
    } catch (error) {
      this.#fail(exchange, error)
    }
  }

  #group(exchange: Exchange, drafts: readonly AnyDraft[], arrivedAt: number): CommitGroup {
    return { drafts, arrivedAt, onSettled: (outcome) => this.#settled(exchange, outcome) }
  }

  #settled(exchange: Exchange, outcome: Parameters<CommitGroup['onSettled']>[0]): void {
    if (outcome !== 'lost') return
    exchange.isLost = true
    this.#options.conversations.reset()
  }

  /** Redacts secrets that are split across blocks of an answer. If that fails, the answer's texts are left out. */
  #redactNeighbours(exchange: Exchange, drafts: readonly AnyDraft[]): readonly AnyDraft[] {
    try {
      return this.#options.redactor.neighbours(drafts)
    } catch (error) {
      this.#fail(exchange, error)
      return drafts.filter(({ kind }) => kind !== 'thinking' && kind !== 'assistant_text' && kind !== 'turn_ended')
    }
  }

  /** Redacts each draft. One that cannot be redacted is left out, never stored raw. */
  #redactEach(exchange: Exchange, drafts: readonly AnyDraft[]): AnyDraft[] {
    return drafts.flatMap((draft) => {
      try {
        return [this.#options.pipeline.redact(draft)]
      } catch (error) {
        this.#fail(exchange, error)
        return []
      }
    })
  }

  #fail(exchange: Exchange, error: unknown): void {
    const message = errorMessage(error)
    this.#leaveOut(exchange, { reason: 'decode_failed', message })
  }

  #recordLeftOut(exchange: Exchange): void {
    for (const part of exchange.decoder.takeLeftOut()) this.#leaveOut(exchange, part)
  }

  /** Records each kind of failure once, as an event of the exchange. Decoding continues with the other messages. */
  #leaveOut(exchange: Exchange, { reason, message }: LeftOut): void {
    if (exchange.failed.has(reason)) return
    exchange.failed.add(reason)
    const failure = { reason, message: this.#options.redactor.text(message) }
    this.#options.onFailure(exchange.id, failure)
    const draft = leftOutDraft(exchange.open, exchange.decoder.identity(), failure)
    this.#options.enqueue(this.#group(exchange, [draft], performance.now()))
  }

  /** Queues the acknowledgement behind all drafts of the exchange: they are stored or spooled when it settles. */
  #finish(exchange: Exchange): void {
    const { live, enqueue } = this.#options
    this.#open.delete(exchange.id)
    live.close(exchange.id)
    exchange.finished.resolve()
    if (exchange.discarded) return
    enqueue({ drafts: [], arrivedAt: performance.now(), onSettled: () => this.#acknowledge(exchange) })
  }

  #acknowledge({ id, isLost }: Exchange): void {
    this.#options.unfinished.ended(id)
    this.#options.acknowledge(id, !isLost)
  }
}
