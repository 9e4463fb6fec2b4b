import { setTimeout as sleep } from 'node:timers/promises'
import type { ParsedInput } from '../../../../shared/contract/index.ts'
import { AspyError } from '../../../../shared/contract/errors.ts'
import type { AnyDraft } from '../../../decode/draft.ts'
import type { Filter } from '../../../pipeline/processors/filter.ts'
import type { Pipeline, PipelineOptions } from '../../../pipeline/pipeline.ts'
import type { TapParcel } from '../../../proxy/protocol/tap-protocol.ts'
import type { Redactor } from '../../../redaction/redactor.ts'
import type { LiveBatcher } from '../../live-batcher.ts'
import type { ToRecorder } from '../../protocol.ts'
import type { Tally } from '../../tally.ts'
import type { VitalSigns } from '../../vital-signs.ts'
import type { CommitGroup } from '../write/commit-queue.ts'
import type { StoreGate } from '../write/gate.ts'
import { SYSTEM_CLOCK } from '../../../base/clock.ts'
import { createAgentCalls } from './agent-calls.ts'
import { storedConversations } from './stored-conversations.ts'
import { UnnamedSessions } from './unnamed-sessions.ts'
import { createConversations, type Conversations } from './conversation.ts'
import { Exchanges } from './exchanges.ts'
import { HookIntake } from './hook-intake.ts'
import { HookOrder } from './hook-order.ts'
import { draftOfPost } from './post-event.ts'
import { UnfinishedAnswers } from './unfinished-answers.ts'
import { createTapInbox, type TapInbox } from './tap-inbox.ts'

/** A request's bytes arrive from the proxy sooner than this after it. */
const TAP_MS = 100

type HookMessage = Extract<ToRecorder, { readonly type: 'hook' }>

export interface CaptureOptions {
  readonly redactor: Redactor
  readonly pipeline: Pick<Pipeline, 'redact'>
  readonly filter: Filter | null
  /** Shows text while it is written. */
  readonly live: Pick<LiveBatcher, 'deltas' | 'close'>
  /** Keeps answers that have not ended; false if a later step may still change or drop their text. */
  readonly keepsUnfinished: boolean
  readonly tally: Pick<Tally, 'drop' | 'exchange'>
  readonly vitalSigns: Pick<VitalSigns, 'workOn'>
  readonly logger: PipelineOptions['logger']
  /** `performance.timeOrigin` of the main thread. */
  readonly timeOrigin: number
  readonly store: Pick<StoreGate, 'putContent' | 'awaitAnswer' | 'ask'>
  /** Queues drafts for the next commit. */
  enqueue(group: CommitGroup): void
  /** Called with drafts of which the filter drops some. */
  onFiltered(drafts: readonly AnyDraft[], dropped: ReadonlySet<AnyDraft>): void
  /** The hook is stored or spooled. */
  hookRecorded(id: string): void
}

/** Turns what arrives (tapped bytes, hooks, posted events) into redacted drafts and queues them. */
export class Capture {
  readonly #options: CaptureOptions
  readonly #conversations: Conversations
  readonly #exchanges: Exchanges
  readonly #inbox: TapInbox
  readonly #hooks: HookIntake
  readonly #order: HookOrder
  /** Exchanges that are stored or spooled and not yet acknowledged. */
  #stored: string[] = []
  /** The wait for the request that the guard judged last. */
  #judged: Promise<unknown> = Promise.resolve()

  constructor(options: CaptureOptions) {
    const { redactor, pipeline, filter, live, keepsUnfinished, tally, vitalSigns, logger, store, hookRecorded } =
      options
    this.#options = options
    this.#conversations = createConversations({
      redactor,
      putContent: (text) => store.putContent(filter?.block(text) ?? text),
      lastRequest: (sessionId, agentId) => store.ask(({ ingest }) => ingest.lastRequest(sessionId, agentId), null),
    })
    this.#exchanges = new Exchanges({
      redactor,
      pipeline,
      conversations: this.#conversations,
      agentCalls: createAgentCalls(redactor.hash),
      unnamed: new UnnamedSessions(redactor.hash, (beginning, limit) =>
        store.ask(({ ingest }) => storedConversations(ingest, beginning, limit), []),
      ),
      live,
      unfinished: new UnfinishedAnswers({
        redactor,
        pipeline,
        filter,
        logger,
        awaitAnswer: (answer) => keepsUnfinished && store.awaitAnswer(answer),
        store(question) {
          if (keepsUnfinished) store.ask(({ answersInProgress }) => question(answersInProgress), undefined)
        },
      }),
      vitalSigns,
      enqueue: (group) => this.#enqueue(group),
      acknowledge: (exchange, isRecorded) => {
        if (isRecorded) tally.exchange()
        this.#stored.push(exchange)
      },
      onFailure(exchange, { reason, message }) {
        tally.drop(reason)
        logger.warn({ exchange, reason, message }, 'an exchange could not be decoded')
      },
    })
    this.#inbox = createTapInbox({
      receive: (message) => {
        if (message.type === 'open') SYSTEM_CLOCK.heard(message.wall)
        this.#exchanges.receive(message)
      },
      idle: () => this.#exchanges.idle(),
    })
    this.#hooks = new HookIntake({
      redactor,
      pipeline,
      tally,
      vitalSigns,
      logger,
      enqueue: (group) => this.#enqueue(group),
      recorded: hookRecorded,
    })
    this.#order = new HookOrder({
      answered: async (sessionId) => {
        await this.#inbox.drained()
        await this.#exchanges.answered(sessionId)
      },
      take: (hook) => this.#hooks.take(hook),
    })
  }

  tap(parcels: readonly TapParcel[]): void {
    this.#inbox.add(parcels)
  }

  hook(message: HookMessage): void {
    SYSTEM_CLOCK.heard(message.wall)
    const hook = this.#hooks.parse(message)
    if (hook === null) return
    if ('tool_name' in hook.body) this.#conversations.heard(String(hook.body['session_id']), hook.wall)
    this.#order.receive(hook)
  }

  /** Adds an event that a caller posts. Resolves once it is stored or spooled. Throws `bad_input`. */
  async post(input: ParsedInput<'events.post'>): Promise<{ uuid: string }> {
    const { pipeline, timeOrigin } = this.#options
    const draft = draftOfPost(input, SYSTEM_CLOCK.wall(), performance.timeOrigin + performance.now() - timeOrigin)
    if (input.kind === 'guard_action' && input.payload['decided_by'] === 'rule') await this.#requestTaken()
    const drafts = [pipeline.redact(draft)]
    return new Promise((resolve, reject) =>
      this.#enqueue({
        drafts,
        arrivedAt: performance.now(),
        isPost: true,
        onSettled(outcome) {
          if (outcome === 'stored' || outcome === 'spooled') return resolve({ uuid: draft.uuid })
          const refusal = `the payload does not fit an event of kind ${draft.kind}; /api/openapi.json describes it`
          if (outcome === 'refused') return reject(new AspyError('bad_input', refusal))
          reject(new AspyError('store_unavailable', 'the event could not be stored; Health says why'))
        },
      }),
    )
  }

  /** Settles when the request that the guard just judged is decoded: its prompt comes first and begins the turn. */
  async #requestTaken(): Promise<void> {
    this.#judged = sleep(TAP_MS)
    await this.#judged
    await this.#inbox.drained()
  }

  /** Takes the exchanges that were stored or spooled since the last call. */
  takeStored(): readonly string[] {
    return this.#stored.splice(0)
  }

  /** Drops the cache of stored requests: they may have been deleted, or may be in the spool only. */
  forget(): void {
    this.#conversations.reset()
  }

  /** Drops the caches that only save time. Returns whether there were any. */
  releaseMemory(): boolean {
    return this.#exchanges.releaseMemory()
  }

  /** Settles when everything received so far is decoded. */
  async drained(): Promise<void> {
    await this.#judged
    await this.#inbox.drained()
    await this.#order.settled()
  }

  /** Filters drafts before they are queued, so that dropped drafts never reach the spool. */
  #enqueue(group: CommitGroup): void {
    const { filter, tally, enqueue, onFiltered } = this.#options
    const dropped = new Set(filter === null ? [] : group.drafts.filter((draft) => filter.dropsDraft(draft)))
    const drafts = dropped.size === 0 ? group.drafts : group.drafts.filter((draft) => !dropped.has(draft))
    tally.drop('filtered', dropped.size)
    if (dropped.size > 0) onFiltered(group.drafts, dropped)
    enqueue({ ...group, drafts })
    for (const { kind, source, session_id, payload } of group.drafts)
      if (kind === 'user_prompt' && source === 'wire' && !('seen_in_history' in payload)) this.#order.asked(session_id)
  }
}
