import { isDeepStrictEqual } from 'node:util'
import { AspyError } from '../../../shared/contract/errors.ts'
import type { OverCap, UnpricedReason } from '../../../shared/contract/guard.ts'
import type { OperationInput, OperationOutput } from '../../../shared/contract/index.ts'
import type { Gate, GatedRequest, GateVisit } from '../../proxy/gate.ts'
import { SYSTEM_CLOCK } from '../../base/clock.ts'
import { RecentlyUsed } from '../../base/recently-used.ts'
import type { LeftOutAnswer } from '../../../shared/left-out-answer.ts'
import { modelApiOf } from '../../proxy/protocol/api-path.ts'
import { hasCaps, NOBODY, type FromGuard, type GuardConfig, type GuardedRequest } from '../guard-protocol.ts'
import { actionLog } from './action-log.ts'
import { setCaps } from './caps-set.ts'
import type { GuardOptions } from './guard-options.ts'
import { GuardTally } from './guard-tally.ts'
import { GuardThread } from './guard-thread.ts'
import { IntroducedSockets } from './introduced-sockets.ts'
import { heldOf, heldTogether, heldWith, inFlight, reportingTogether, SETTLE_MS, type Pending } from './pending.ts'
import { limitAfter } from './limit-after.ts'
import { notWaiting, refusalOf, type RefusedBy } from './refusals.ts'
import { Visit } from './visit.ts'

/**
 * Holds or refuses requests over a cap of `[guard]`. Its thread prices them; this half keeps the waiting requests and
 * never reads a body. Without caps it has no thread and lets every request pass untouched.
 */
export class Guard implements Gate {
  readonly #options: GuardOptions
  readonly #pending = new Map<string, Pending>()
  /** The caps that were reported, so that each is reported once for its scope and limit. */
  readonly #notified = new RecentlyUsed<string, true>(1000)
  readonly #record: ReturnType<typeof actionLog>
  readonly tally = new GuardTally()
  #config: GuardConfig
  #thread: GuardThread | null = null
  /** The WebSockets that the thread knows. */
  #introduced: IntroducedSockets
  #isClosed = false
  #isReplaced = false
  readonly #reportHeld: () => void

  constructor(options: GuardOptions) {
    this.#options = options
    this.#config = options.config
    this.#introduced = new IntroducedSockets(options.config)
    this.#record = actionLog(options.record, options.logger)
    this.#reportHeld = reportingTogether(() => options.onHeld(heldOf(this.#pending)))
  }

  /** Starts the thread if a cap is set. Resolves once it can answer, at the latest after `deadlineMs`. */
  async start(deadlineMs: number): Promise<void> {
    if (!hasCaps(this.#config) || this.#isClosed) return
    const { databasePath, prices, logger } = this.#options
    this.#thread = new GuardThread({
      start: { databasePath, prices, config: this.#config },
      logger,
      onVerdict: (verdict) => this.#receive(verdict),
      onKept: (kept) => (this.tally.kept = kept),
      onExit: () => this.#onThreadExit(),
    })
    await this.#thread.readyWithin(deadlineMs)
  }

  /** Applies other settings. Requests that wait are compared with the new caps. */
  async reconfigure(config: GuardConfig, deadlineMs: number): Promise<void> {
    if (isDeepStrictEqual(config, this.#config)) return
    this.#config = config
    this.#introduced = new IntroducedSockets(config)
    const thread = this.#thread
    if (thread === null) return this.start(deadlineMs)
    if (hasCaps(config)) {
      thread.configure(config, SYSTEM_CLOCK.wall())
      // Those without a price are in no list of the thread.
      for (const pending of heldWith(this.#pending, ({ over }) => over.cap === 'unpriced')) this.#stopAgain(pending)
      return
    }
    this.#thread = null
    this.tally.forgetKept()
    for (const pending of this.#pending.values()) {
      if (pending.hold !== null) this.#allow(pending, 'rule')
      else if (!pending.visit.isDecided) this.#send(pending)
    }
    await thread.close()
  }

  gatesSocket(path: string): boolean {
    return this.#thread !== null && modelApiOf(path) !== null
  }

  enter(request: GatedRequest): GateVisit | null {
    const { method, path, socket } = request
    const api = modelApiOf(path)
    if (this.#thread === null || (method !== 'POST' && socket === undefined) || api === null) return null
    return new Visit(request, api, {
      onBody: (visit, body) => this.#ask(visit, body),
      onTooLarge: (visit) => this.#passUnpriced({ visit, hold: null, isSent: false }, 'too_large'),
      onLeave: (visit) => this.#onLeave(visit),
      onFinish: (visit) => this.recorded(visit.id),
    })
  }

  /** The cost of an exchange is stored: its reservation ends. */
  recorded(exchange: string): void {
    if (this.#pending.get(exchange)?.isSent === true) this.#end(exchange, 'settle')
  }

  readonly leftOut = (answers: readonly LeftOutAnswer[]) => void this.#thread?.post({ type: 'left_out', answers })

  async status(): Promise<OperationOutput<'guard.get'>> {
    const fill = (await this.#thread?.fill(SYSTEM_CLOCK.wall())) ?? []
    return {
      enabled: this.#thread !== null,
      ...setCaps(this.#config, fill),
      held: heldOf(this.#pending),
      in_flight: inFlight(this.#pending),
      ...this.tally.status(),
    }
  }

  /**
   * Carries out a person's decision. Throws `not_found` if the request is not (or no longer) waiting, and `bad_input`
   * for an invalid limit.
   */
  release({ id, decision, to }: OperationInput<'guard.release'>): OperationOutput<'guard.release'> {
    const pending = this.#pending.get(id)
    if (pending === undefined || pending.hold === null)
      throw new AspyError('not_found', notWaiting(id, this.#options.dataDir))
    const { over, request } = pending.hold
    const limit = limitAfter(over, decision, to)
    if (decision === 'once') {
      this.#allow(pending, 'person')
      return { released: 1 }
    }
    if (decision === 'stop') {
      const together = heldTogether(this.#pending, pending.hold)
      for (const each of together) this.#refuse(each, 'person')
      return { released: together.length }
    }
    this.#thread?.post({ type: 'raise', over, to: limit })
    this.#record(pending.visit.id, 'raised', 'person', over, request, limit)
    this.#allow(pending, 'person')
    const others = heldWith(this.#pending, (held) => held.over.cap === over.cap && held.over.scope === over.scope)
    for (const other of others) this.#thread?.post({ type: 'recheck', id: other.visit.id })
    return { released: 1 }
  }

  /** Ends all waits, because another app has this one's place: each client sends its request to that one. */
  handOver(): void {
    this.#isReplaced = true
    for (const pending of heldWith(this.#pending, () => true)) this.#refuse(pending, 'replaced')
  }

  /** Ends all waits, because the app stops, and then the thread. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const pending of this.#pending.values()) {
      if (pending.hold !== null) this.#refuse(pending, this.#isReplaced ? 'replaced' : 'stop')
      else if (!pending.visit.isDecided) this.#send(pending)
    }
    const thread = this.#thread
    this.#thread = null
    await thread?.close()
  }

  #ask(visit: Visit, body: Uint8Array<ArrayBuffer>): void {
    const pending: Pending = { visit, hold: null, isSent: false }
    const { id, headers, socket, hasLeft } = visit
    if (hasLeft) return
    const place = socket === undefined ? {} : { socket: this.#introduced.place(socket) }
    if (this.#thread === null) return this.#send(pending)
    const question = { type: 'ask', id, headers, body, wall: SYSTEM_CLOCK.wall(), ...place } as const
    if (!this.#thread.post(question, [body.buffer])) {
      this.#introduced = new IntroducedSockets(this.#config)
      return this.#passUnpriced(pending, 'down')
    }
    this.#pending.set(id, pending)
    const waitMs = Math.max(this.#thread.leastWaitMs, this.#config.decide_ms)
    pending.timer = setTimeout(() => this.#passUnpriced(pending, 'late'), waitMs)
  }

  #receive({ id, request, over, by, unpriced, isExempt }: Extract<FromGuard, { type: 'verdict' }>): void {
    const pending = this.#pending.get(id)
    if (pending === undefined) return void this.#thread?.post({ type: 'forget', id })
    if (pending.hold === null) clearTimeout(pending.timer)
    // It was forwarded before this answer: its estimate still counts for others.
    if (pending.isSent) return void this.#thread?.post({ type: 'admit', id })
    if (isExempt === true) {
      this.#pending.delete(id)
      return pending.visit.decide(null)
    }
    if (over === null && unpriced !== null) return this.#passUnpriced(pending, unpriced, request)
    this.tally.counts.checked += pending.hold === null ? 1 : 0
    if (over !== null) this.#stop(pending, over, request)
    else if (pending.hold === null) this.#send(pending)
    else this.#allow(pending, by)
  }

  #stop(pending: Pending, over: OverCap, request: GuardedRequest): void {
    const { id } = pending.visit
    if (pending.hold !== null) return this.#stopAgain(pending, over)
    if (this.#thread === null) return this.#send(pending)
    if (this.#config.action === 'notify') {
      const key = `${over.cap} ${over.scope} ${over.limit}`
      if (this.#notified.get(key) === undefined) {
        this.#notified.set(key, true)
        this.tally.counts.notified += 1
        this.#record(id, 'notified', 'rule', over, request)
      }
      this.#thread.post({ type: 'admit', id })
      return this.#send(pending)
    }
    const since = Date.now()
    const waitMs = this.#config.action === 'hold' && !this.#isReplaced ? this.#config.hold_seconds * 1000 : 0
    pending.hold = { over, request, since, until: since + waitMs }
    if (waitMs === 0) return this.#refuse(pending, this.#isReplaced ? 'replaced' : 'rule')
    pending.timer = setTimeout(() => this.#refuse(pending, 'timeout'), waitMs)
    this.tally.counts.held += 1
    this.#record(id, 'held', 'rule', over, request)
    this.#reportHeld()
  }

  /** A request waits, and is over a cap still: the cap, its limit or what happens there may have changed. */
  #stopAgain(pending: Pending, over?: OverCap): void {
    if (pending.hold === null) return
    const { action, fail_open: isOpen } = this.#config
    if (action === 'notify' || (over === undefined && isOpen)) return this.#allow(pending, 'rule')
    if (action === 'refuse') return this.#refuse(pending, 'rule')
    pending.hold = { ...pending.hold, over: over ?? pending.hold.over }
    this.#reportHeld()
  }

  #passUnpriced(pending: Pending, reason: UnpricedReason, request: GuardedRequest = NOBODY): void {
    if (pending.hold === null) clearTimeout(pending.timer)
    if (pending.visit.isDecided) return
    this.tally.counts.unpriced += 1
    this.#pending.set(pending.visit.id, pending)
    if (this.#config.fail_open) {
      this.tally.pass(reason, request.session_id)
      return this.#send(pending)
    }
    this.#stop(pending, { cap: 'unpriced', scope: reason, limit: 0, used: 0, guess: 0 }, request)
  }

  #send(pending: Pending): void {
    pending.isSent = true
    this.tally.sent(inFlight(this.#pending))
    pending.visit.decide(null)
  }

  #allow(pending: Pending, by: 'person' | 'rule'): void {
    const { hold, visit } = pending
    if (hold === null) return
    clearTimeout(pending.timer)
    pending.hold = null
    this.tally.counts.allowed += 1
    this.#thread?.post({ type: 'admit', id: visit.id })
    this.#record(visit.id, 'allowed', by, hold.over, hold.request)
    this.#send(pending)
    this.#reportHeld()
  }

  #refuse(pending: Pending, by: RefusedBy): void {
    const { hold, visit } = pending
    if (hold === null) return
    clearTimeout(pending.timer)
    pending.hold = null
    this.tally.counts.refused += 1
    this.#end(visit.id, 'forget')
    this.#record(visit.id, 'refused', by === 'replaced' ? 'stop' : by, hold.over, hold.request)
    visit.decide(refusalOf(hold.over, by, visit.api, this.#options.dataDir))
    this.#reportHeld()
  }

  #onLeave(visit: Visit): void {
    const pending = this.#pending.get(visit.id)
    if (pending === undefined) return
    const { hold, isSent } = pending
    // Its cost is stored soon, but never if capture is off.
    if (isSent) return void setTimeout(() => this.#end(visit.id, 'settle'), SETTLE_MS).unref()
    clearTimeout(pending.timer)
    this.#end(visit.id, 'forget')
    if (hold === null) return
    this.tally.counts.gave_up += 1
    this.#record(visit.id, 'ended', 'client', hold.over, hold.request)
    this.#reportHeld()
  }

  #end(id: string, type: 'forget' | 'settle'): void {
    if (this.#pending.delete(id)) this.#thread?.post({ type, id })
  }

  #onThreadExit(): void {
    this.tally.forgetKept()
    this.#introduced = new IntroducedSockets(this.#config)
    for (const pending of this.#pending.values())
      if (!pending.isSent && pending.hold === null) this.#passUnpriced(pending, 'down')
  }
}
