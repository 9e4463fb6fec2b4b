import { rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { AspyError, toErrorAnswer } from '../../../../shared/contract/errors.ts'
import type { AnyDraft } from '../../../decode/draft.ts'
import { sqliteCodeOf } from '../../../store/database/store-error.ts'
import type { Damage } from '../../../store/database/damage.ts'
import type { AppendOptions, AppendResult } from '../../../store/ingest/ingest.ts'
import { createKeyedHash } from '../../../base/keyed-hash.ts'
import type { AwaitedAnswer } from '../../../store/log/answers-in-progress.ts'
import { limitBlock } from '../../../store/log/limits.ts'
import { PassingOn, passedOnBy, passedOnIn } from '../../../store/transfer/passed-on.ts'
import type { Spool } from '../../../store/transfer/spool.ts'
import type { Store } from '../../../store/store.ts'
import type { GateState, StoreGate, StoreGateOptions, WriteOutcome } from './gate.ts'
import { isOfLostTable, Repair } from './repair.ts'
import { endInterrupted, isUnavailable, openSpool, replaySlice } from './replay-spool.ts'

const FIRST_RETRY_MS = 250
const LAST_RETRY_MS = 10_000
/** How often the pieces of an app whose place this one took are looked for. */
const LOOK_MS = 250

export class SpoolingGate implements StoreGate {
  readonly #options: StoreGateOptions
  readonly #spool: Spool
  /** Set while another app has the store, which may also be one that is about to leave it. */
  #passingOn: PassingOn | null = null
  #isHandedOver = false
  /** The piece that is being read, whichever is the oldest by now. */
  #piece: { readonly path: string; readonly spool: Spool } | null = null
  #look: NodeJS.Timeout | null = null
  readonly #hash: (text: string) => string
  /** Blocks that no committed request refers to yet. */
  readonly #unsaved = new Map<string, string>()
  #store: Store | null = null
  /** The store with a transaction left open by `writeStored`. */
  #leftOpen: Store | null = null
  #state: GateState = { state: 'spooling', reason: 'the database is being opened' }
  #retry: NodeJS.Timeout | null = null
  #retryMs = FIRST_RETRY_MS
  readonly #repair: Repair
  #reportedFault: string | null = null

  constructor(options: StoreGateOptions) {
    this.#options = options
    this.#repair = new Repair(options)
    this.#hash = createKeyedHash(options.hashKey)
    this.#spool = this.#openSpool(options.spoolPath)
  }

  open(): void {
    if (this.#options.isHandedOver) this.handOver()
    else this.#recover()
  }

  #openSpool(path: string): Spool {
    return openSpool(path, this.#options, {
      unsaved: (hash) => this.#unsaved.get(hash) ?? null,
      store: () => this.#store,
      maxBytes: () => this.#repair.spoolBytes(),
    })
  }

  write(drafts: readonly AnyDraft[]): WriteOutcome {
    if (drafts.length === 0) return this.#state.state === 'running' ? 'stored' : 'spooled'
    if (this.#store === null || this.#state.state === 'spooling') return this.#writeSpool(drafts)
    try {
      this.#options.onStored(this.#store.ingest.append(drafts, this.#options.accept))
      this.#unsaved.clear()
      return 'stored'
    } catch (error) {
      if (!isUnavailable(error) && !isOfLostTable(error)) throw error
      this.#unavailable(error)
      return this.#writeSpool(drafts)
    }
  }

  writeStored(drafts: readonly AnyDraft[], options?: AppendOptions): AppendResult {
    if (this.#store === null || this.#state.state === 'spooling') {
      const why = this.#state.reason ?? 'no database is open'
      throw new AspyError('store_unavailable', `nothing can be imported now: ${why}`)
    }
    if (options?.staysOpen) this.#leftOpen = this.#store
    return this.#store.ingest.append(drafts, this.#options.accept, options)
  }

  *settleInSteps(): Generator<void, void, void> {
    const left = this.#leftOpen
    this.#leftOpen = null
    if (left !== null && left !== this.#store)
      throw new AspyError('store_unavailable', 'the database was closed before the import was committed')
    if (this.#store !== null) yield* this.#store.ingest.settleInSteps()
  }

  putContent(text: string): string {
    const { limits } = this.#options
    const limited = limitBlock(text, limits)
    const hash = this.#hash(limited)
    this.#unsaved.set(hash, limited)
    this.#store?.ingest.putContent(text)
    return hash
  }

  awaitAnswer(answer: AwaitedAnswer): void {
    const isKept = this.ask(({ answersInProgress }) => (answersInProgress.keep(answer), true), false)
    if (!isKept) this.#spoolNow().awaitAnswer(answer, this.#options.run)
  }

  ask<T>(question: (store: Store) => T, otherwise: T): T {
    try {
      return this.#store === null ? otherwise : question(this.#store)
    } catch (error) {
      if (isUnavailable(error)) return otherwise
      throw error
    }
  }

  store(): Store {
    if (this.#store !== null && this.#state.state === 'running') return this.#store
    const why = this.#state.reason ?? 'it is not open'
    throw new AspyError('store_unavailable', `the database cannot be used now: ${why}`)
  }

  opened(): Store {
    if (this.#store !== null) return this.#store
    throw new AspyError('store_unavailable', this.#state.reason ?? 'no database is open')
  }

  repair(damage: Damage): void {
    // It may be under way already.
    if (this.#isHandedOver || this.#repair.isUnderWay(damage)) return
    this.#repair.damaged(damage)
    if (!damage.isText) this.#closeStore()
    this.#enterRepair()
    this.#schedule(0)
  }

  state(): GateState {
    return this.#state
  }

  spooled(): number {
    return this.#spoolNow().pending()
  }

  unpricedModels(): readonly string[] {
    return this.#store?.ingest.unpricedModels() ?? []
  }

  checkpoint(): void {
    try {
      if (this.#state.state === 'running') this.#store?.maintenance.checkpoint()
    } catch (error) {
      if (!isUnavailable(error)) throw error
      this.#unavailable(error)
    }
  }

  handOver(): void {
    this.#isHandedOver = true
    this.#passOn()
    this.#stopTimers()
    this.#closeStore()
    this.#enter({ state: 'spooling', reason: 'another Aspy has taken over' })
  }

  #spoolNow(): Pick<Spool, 'write' | 'awaitAnswer' | 'pending'> {
    return this.#passingOn ?? this.#spool
  }

  /** Writes to files of this process: the spool is read by the app that has the store, and nobody else may write to it. */
  #passOn(): void {
    this.#passingOn ??= new PassingOn(dirname(this.#options.spoolPath), (path) => this.#openSpool(path))
  }

  close(): void {
    this.#stopTimers()
    this.#closeStore()
    this.#passingOn?.close()
  }

  #stopTimers(): void {
    for (const timer of [this.#retry, this.#look]) if (timer !== null) clearTimeout(timer)
    this.#retry = null
    this.#look = null
  }

  #enter(next: GateState): void {
    if (next.state === this.#state.state && next.reason === this.#state.reason) return
    this.#state = next
    this.#options.onState(next)
  }

  #enterRepair(): void {
    this.#enter({ state: 'spooling', reason: this.#repair.reason(), isRepairing: true })
  }

  /** Opens the store, then repairs full text and replays the spool within one slice. */
  #recover(): void {
    this.#retry = null
    try {
      if (this.#store === null && !this.#repair.salvageSlice()) {
        this.#enterRepair()
        return this.#schedule(0)
      }
      this.#store ??= this.#options.openStore()
      if (!this.#repair.healSlice(this.#store)) {
        this.#enterRepair()
        return this.#schedule(0)
      }
      if (!this.#replaySlice(this.#store)) {
        this.#enter({ state: 'spooling', reason: 'spooled events are being restored' })
        return this.#schedule(0)
      }
      this.#retryMs = FIRST_RETRY_MS
      this.#reportedFault = null
      this.#enter({ state: 'running', reason: null })
      this.#readPassedOn()
    } catch (error) {
      this.#unavailable(error)
    }
  }

  /** Replays an earlier spool, what was written while another app had the store, and what came since; true at the end. */
  #replaySlice(store: Store): boolean {
    const [next] = this.#passingOn === null ? passedOnBy(process.pid, dirname(this.#options.spoolPath)) : []
    if (next !== undefined) this.#readPiece(next, store)
    else if (replaySlice(this.#spool, store.ingest, this.#options)) {
      if (this.#passingOn === null) return true
      this.#passingOn.close()
      this.#passingOn = null
    }
    return false
  }

  /** Reads what an app whose place this one took still records of its last streams, a slice at a time. */
  #readPassedOn(): void {
    this.#look = null
    if (this.#store === null || this.#state.state === 'spooling') return
    const { whole, isMore } = passedOnIn(dirname(this.#options.spoolPath))
    const [next] = whole
    try {
      if (next !== undefined) this.#readPiece(next, this.#store)
      else if (!isMore) endInterrupted(this.#store, this.#options)
    } catch (error) {
      return this.#unavailable(error)
    }
    if (next !== undefined || isMore)
      this.#look = setTimeout(() => this.#readPassedOn(), next === undefined ? LOOK_MS : 0)
  }

  #readPiece(next: string, { ingest }: Store): void {
    const { path, spool } = (this.#piece ??= { path: next, spool: this.#openSpool(next) })
    if (!replaySlice(spool, ingest, this.#options)) return
    this.#piece = null
    rmSync(path, { force: true })
  }

  #unavailable(error: unknown): void {
    const answer = toErrorAnswer(error)
    this.#piece = null
    // Closing may move the whole WAL, so a busy database stays open.
    if (this.#store === null) this.#repair.noteOpening(error)
    else if (!this.#repair.note(error) && !/^SQLITE_(BUSY|LOCKED)/.test(sqliteCodeOf(error))) this.#closeStore()
    // After a fault, any other reason is reported too, since the fault no longer applies.
    const isFault = answer.code !== 'store_unavailable' || this.#reportedFault !== null
    if (isFault && this.#reportedFault !== answer.message) {
      this.#reportedFault = answer.message
      this.#options.onFault(answer)
    }
    this.#enter({ state: 'spooling', reason: answer.message })
    this.#schedule(this.#retryMs)
    // Another app has the store: while this one takes its place, it leaves it any moment.
    if (answer.code === 'already_running') return this.#passOn()
    this.#retryMs = Math.min(LAST_RETRY_MS, this.#retryMs * 2)
  }

  #schedule(ms: number): void {
    this.#retry ??= setTimeout(() => this.#recover(), ms)
  }

  #closeStore(): void {
    const open = this.#store
    this.#store = null
    this.#repair.stop()
    try {
      open?.close()
    } catch (error) {
      this.#options.onLost(0, `the database did not close cleanly: ${toErrorAnswer(error).message}`)
    }
  }

  #writeSpool(drafts: readonly AnyDraft[]): WriteOutcome {
    const { lost, error } = this.#spoolNow().write(drafts)
    this.#unsaved.clear()
    if (lost === 0) return 'spooled'
    this.#options.onLost(lost, error?.message ?? 'the spool is full')
    return 'lost'
  }
}
