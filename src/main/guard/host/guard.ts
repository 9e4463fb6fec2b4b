import { isDeepStrictEqual } from 'node:util'
import { AspyError } from '../../../shared/contract/errors.ts'
import { GUARD_CAPS, type OverCap, type UnpricedReason } from '../../../shared/contract/guard.ts'
import type { OperationInput, OperationOutput } from '../../../shared/contract/index.ts'
import type { Gate, GatedRequest, GateVisit } from '../../proxy/gate.ts'
import { SYSTEM_CLOCK } from '../../base/clock.ts'
import { modelApiOf } from '../../proxy/protocol/api-path.ts'
import { NOBODY, type FromGuard, type GuardConfig, type GuardedRequest } from '../guard-protocol.ts'
import { ActionLog } from './action-log.ts'
import { hasCaps } from './caps-set.ts'
import type { GuardOptions } from './guard-options.ts'
import { GuardTally } from './guard-tally.ts'
import { GuardThread } from './guard-thread.ts'
import { IntroducedSockets } from './introduced-sockets.ts'
import { NotifiedCaps } from './notified-caps.ts'
import { heldOf, heldWith, inFlight, reportingTogether, type Pending } from './pending.ts'
import { limitAfter } from './limit-after.ts'
import { refusalOf, type RefusedBy } from './refusals.ts'
import { Visit } from './visit.ts'

/** A reservation outlives its response until the cost is stored, and at most this long. */
const SETTLE_MS = 30_000
/** Until a thread has answered for the first time, it may take this long: it loads code, prices and sums. */
const FIRST_ANSWER_MS = 10_000

/**
 * Holds or refuses requests over a cap of `[guard]`. Its thread prices them; this half keeps the waiting requests and
 * never reads a body. Without caps it has no thread and lets every request pass untouched.
 */
export class Guard implements Gate {
  readonly #options: GuardOptions
  readonly #pending = new Map<string, Pending>()
  readonly #notified = new NotifiedCaps()
  readonly #actions: ActionLog
  readonly #tally = new GuardTally()
  #config: GuardConfig
  #thread: GuardThread | null = null
  /** The WebSockets that the thread knows. */
  #introduced: IntroducedSockets
  /** A thread is about to be started, or replaced: `#early` asks it about what came meanwhile. */
  #isBetween = true
  #early: (() => void)[] = []
  #isClosed = false
  #isReplaced = false
  readonly #reportHeld: () => void

  constructor(options: GuardOptions) {
    this.#options = options
    this.#config = options.config
    this.#introduced = new IntroducedSockets(options.config)
    this.#actions = new ActionLog(options.record, options.logger)
    this.#reportHeld = reportingTogether(() => options.onHeld(heldOf(this.#pending)))
  }

  /** Starts the thread if a cap is set. Resolves once it can answer, at the latest after `deadlineMs`. */
  async start(deadlineMs: number): Promise<void> {
    if (!hasCaps(this.#config) || this.#isClosed) return this.#askEarly()
    const { databasePath, prices, logger } = this.#options
    const thread = new GuardThread({
      start: { databasePath, prices, config: this.#config },
      logger,
      onVerdict: (verdict) => this.#receive(verdict),
      onKept: (kept) => (this.#tally.kept = kept),
      onExit: () => this.#onThreadExit(),
    })
    this.#thread = thread
    this.#askEarly()
    await thread.readyWithin(deadlineMs)
  }

  /** Applies other settings. Requests that wait are compared with the new caps. */
  async reconfigure(config: GuardConfig, deadlineMs: number): Promise<void> {
    if (isDeepStrictEqual(config, this.#config)) return
    this.#config = config
    const before = this.#thread
    this.#thread = null
    this.#isBetween = true
    await before?.close()
    for (const pending of this.#pending.values()) if (pending.hold !== null) this.#allow(pending, 'rule')
    this.#onThreadExit()
    await this.start(deadlineMs)
  }

  gatesSocket(path: string): boolean {
    return this.#isOn() && modelApiOf(path) !== null
  }

  enter(request: GatedRequest): GateVisit | null {
    const { method, path, socket } = request
    const api = modelApiOf(path)
    if (!this.#isOn() || (method !== 'POST' && socket === undefined) || api === null) return null
    return new Visit(request, api, {
      onBody: (visit, body) => this.#ask(visit, body),
      onTooLarge: (visit) => this.#passUnpriced({ visit, timer: null, hold: null, isSent: false }, 'too_large'),
      onLeave: (visit) => this.#onLeave(visit),
      onFinish: (visit) => this.recorded(visit.id),
    })
  }

  /** The cost of an exchange is stored: its reservation ends. */
  recorded(exchange: string): void {
    if (this.#pending.get(exchange)?.isSent === true) this.#end(exchange, 'settle')
  }

  status(): OperationOutput<'guard.get'> {
    const caps = GUARD_CAPS.flatMap((cap) => (this.#config[cap] > 0 ? [{ cap, limit: this.#config[cap] }] : []))
    return {
      enabled: this.#thread !== null,
      action: this.#config.action,
      caps,
      held: heldOf(this.#pending),
      in_flight: inFlight(this.#pending),
      ...this.#tally.status(),
    }
  }

  /**
   * Carries out a person's decision. Throws `not_found` if the request is not (or no longer) waiting, and `bad_input`
   * for an invalid limit.
   */
  release({ id, decision, to }: OperationInput<'guard.release'>): OperationOutput<'guard.release'> {
    const pending = this.#pending.get(id)
    if (pending === undefined || pending.hold === null)
      throw new AspyError('not_found', `no request ${id} waits for a decision; aspy guard lists those that do`)
    const { over, request } = pending.hold
    const limit = limitAfter(over, decision, to)
    if (decision === 'once') {
      this.#allow(pending, 'person')
      return { released: 1 }
    }
    if (decision === 'stop') {
      const session = request.session_id
      const together = heldWith(
        this.#pending,
        (hold) => hold === pending.hold || (session !== null && hold.request.session_id === session),
      )
      for (const each of together) this.#refuse(each, 'person')
      return { released: together.length }
    }
    this.#thread?.post({ type: 'raise', over, to: limit })
    this.#actions.record(pending.visit.id, 'raised', 'person', over, request, limit)
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
    this.#askEarly()
    for (const pending of this.#pending.values()) {
      if (pending.hold !== null) this.#refuse(pending, this.#isReplaced ? 'replaced' : 'stop')
      else if (!pending.visit.isDecided) this.#send(pending)
    }
    const thread = this.#thread
    this.#thread = null
    await thread?.close()
  }

  #isOn = (): boolean => this.#thread !== null || (this.#isBetween && hasCaps(this.#config))

  #askEarly(): void {
    this.#isBetween = false
    for (const ask of this.#early.splice(0)) ask()
  }

  #ask(visit: Visit, body: Uint8Array<ArrayBuffer>): void {
    const pending: Pending = { visit, timer: null, hold: null, isSent: false }
    const { id, headers, socket, hasLeft } = visit
    if (hasLeft) return
    if (this.#isBetween) return void this.#early.push(() => this.#ask(visit, body))
    const place = socket === undefined ? {} : { socket: this.#introduced.place(socket) }
    const wall = SYSTEM_CLOCK.wall()
    if (this.#thread?.post({ type: 'ask', id, headers, body, wall, ...place }, [body.buffer]) !== true) {
      this.#introduced = new IntroducedSockets(this.#config)
      return this.#passUnpriced(pending, 'down')
    }
    this.#pending.set(id, pending)
    const waitMs = this.#thread.hasAnswered ? 0 : FIRST_ANSWER_MS
    pending.timer = setTimeout(() => this.#passUnpriced(pending, 'late'), Math.max(waitMs, this.#config.decide_ms))
  }

  #receive({ id, request, over, unpriced, isExempt }: Extract<FromGuard, { type: 'verdict' }>): void {
    const pending = this.#pending.get(id)
    if (pending === undefined) return void this.#thread?.post({ type: 'forget', id })
    if (pending.timer !== null) clearTimeout(pending.timer)
    pending.timer = null
    // It was forwarded before this answer: its estimate still counts for others.
    if (pending.isSent) return void this.#thread?.post({ type: 'admit', id })
    if (isExempt === true) {
      this.#pending.delete(id)
      return pending.visit.decide(null)
    }
    if (over === null && unpriced !== null) return this.#passUnpriced(pending, unpriced, request)
    this.#tally.counts.checked += pending.hold === null ? 1 : 0
    if (over === null) {
      if (pending.hold === null) this.#send(pending)
      else this.#allow(pending, 'person')
    } else this.#stop(pending, over, request)
  }

  #stop(pending: Pending, over: OverCap, request: GuardedRequest): void {
    const { id } = pending.visit
    // A request that already waits for this cap continues to wait.
    if (pending.hold !== null) return
    if (this.#config.action === 'notify') {
      if (this.#notified.add(over)) {
        this.#tally.counts.notified += 1
        this.#actions.record(id, 'notified', 'rule', over, request)
      }
      this.#thread?.post({ type: 'admit', id })
      return this.#send(pending)
    }
    const since = Date.now()
    const waitMs = this.#config.action === 'hold' && !this.#isReplaced ? this.#config.hold_seconds * 1000 : 0
    const timer = setTimeout(() => this.#refuse(pending, 'timeout'), waitMs)
    pending.hold = { over, request, since, until: since + waitMs, timer }
    if (waitMs === 0) return this.#refuse(pending, this.#isReplaced ? 'replaced' : 'rule')
    this.#tally.counts.held += 1
    this.#actions.record(id, 'held', 'rule', over, request)
    this.#reportHeld()
  }

  #passUnpriced(pending: Pending, reason: UnpricedReason, request: GuardedRequest = NOBODY): void {
    if (pending.timer !== null) clearTimeout(pending.timer)
    pending.timer = null
    if (pending.visit.isDecided) return
    this.#tally.counts.unpriced += 1
    if (this.#config.fail_open || this.#isClosed) {
      this.#tally.pass(reason, request.session_id)
      return this.#send(pending)
    }
    this.#pending.set(pending.visit.id, pending)
    this.#stop(pending, { cap: 'unpriced', scope: reason, limit: 0, used: 0, guess: 0 }, request)
  }

  #send(pending: Pending): void {
    pending.isSent = true
    pending.visit.decide(null)
  }

  #allow(pending: Pending, by: 'person' | 'rule'): void {
    const { hold, visit } = pending
    if (hold === null) return
    clearTimeout(hold.timer)
    pending.hold = null
    this.#tally.counts.allowed += 1
    this.#thread?.post({ type: 'admit', id: visit.id })
    this.#actions.record(visit.id, 'allowed', by, hold.over, hold.request)
    this.#send(pending)
    this.#reportHeld()
  }

  #refuse(pending: Pending, by: RefusedBy): void {
    const { hold, visit } = pending
    if (hold === null) return
    clearTimeout(hold.timer)
    pending.hold = null
    this.#tally.counts.refused += 1
    this.#end(visit.id, 'forget')
    this.#actions.record(visit.id, 'refused', by === 'replaced' ? 'stop' : by, hold.over, hold.request)
    visit.decide(refusalOf(hold.over, by, visit.api))
    this.#reportHeld()
  }

  #onLeave(visit: Visit): void {
    const pending = this.#pending.get(visit.id)
    if (pending === undefined) return
    const { hold, isSent } = pending
    // Its cost is stored soon, but never if capture is off.
    if (isSent) return void setTimeout(() => this.#end(visit.id, 'settle'), SETTLE_MS).unref()
    if (pending.timer !== null) clearTimeout(pending.timer)
    this.#end(visit.id, 'forget')
    if (hold === null) return
    clearTimeout(hold.timer)
    this.#tally.counts.gave_up += 1
    this.#actions.record(visit.id, 'ended', 'client', hold.over, hold.request)
    this.#reportHeld()
  }

  #end(id: string, type: 'forget' | 'settle'): void {
    if (this.#pending.delete(id)) this.#thread?.post({ type, id })
  }

  #onThreadExit(): void {
    this.#tally.forgetKept()
    this.#introduced = new IntroducedSockets(this.#config)
    for (const pending of this.#pending.values()) {
      if (!pending.isSent && pending.hold === null) this.#passUnpriced(pending, 'down')
    }
  }
}
