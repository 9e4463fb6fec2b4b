import { AspyError, toErrorAnswer, type ErrorAnswer } from '../../../../shared/contract/errors.ts'
import type { AnyEvent } from '../../../../shared/event.ts'
import type { AnyDraft } from '../../../decode/draft.ts'
import { sqliteCodeOf } from '../../../store/database/connection.ts'
import type { AppendOptions, AppendResult } from '../../../store/ingest/ingest.ts'
import { createKeyedHash } from '../../../base/keyed-hash.ts'
import { limitBlock, type Limits } from '../../../store/log/limits.ts'
import { createSpool, type Spool } from '../../../store/transfer/spool.ts'
import type { Maintenance } from '../../../store/maintenance/maintenance.ts'
import type { Store } from '../../../store/store.ts'
import { isUnavailable, replaySlice } from './replay-spool.ts'

const FIRST_RETRY_MS = 250
const LAST_RETRY_MS = 10_000

type WriteOutcome = 'stored' | 'spooled' | 'lost'
interface GateState {
  readonly state: 'running' | 'spooling'
  /** Why drafts are spooled, for people to read. */
  readonly reason: string | null
}

/**
 * Guards the store's ingest. If the database cannot be opened or written, drafts go to the spool. The gate retries at
 * growing intervals and replays the spool before anything newer is written.
 */
export interface StoreGate {
  open(): void
  /** Never throws `store_unavailable`; throws the store's error if a draft cannot be stored. */
  write(drafts: readonly AnyDraft[]): WriteOutcome
  /** For imports, which are neither spooled nor reported to `onStored`. Throws `store_unavailable`. */
  writeStored(drafts: readonly AnyDraft[], options?: AppendOptions): AppendResult
  /** Commits what `writeStored` left open, in steps. Throws `store_unavailable` if its store was closed meanwhile. */
  settleInSteps(): Generator<void, void, void>
  /** Keeps a block until a committed request refers to it; returns its hash. */
  putContent(text: string): string
  /** Returns the store's answer, or `otherwise` if it has none: the next write meets the error itself. */
  ask<T>(question: (store: Store) => T, otherwise: T): T
  /** The store while it records. Throws `store_unavailable`. */
  store(): Store
  /** The store even while the spool is being replayed to it. Throws `store_unavailable` if it is not open. */
  opened(): Store
  /** Moves a damaged database out of the way and starts a new one. */
  setAside(reason: string): void
  state(): GateState
  /** The number of drafts that wait on disk. */
  spooled(): number
  unpricedModels(): readonly string[]
  /** Moves the WAL into the file; for idle moments. */
  checkpoint(): void
  close(): void
}

export interface StoreGateOptions {
  readonly hashKey: Uint8Array
  readonly limits: Limits
  readonly spoolPath: string
  /** Throws `store_unavailable`, `newer_database`, `already_running`. */
  openStore(): Store
  /** Moves the damaged, closed database away, so that the next `openStore` creates a new one. */
  setAside(): void
  accept(event: AnyEvent): AnyEvent | 'drop'
  /** Called after drafts were committed, directly or from the spool. */
  onStored(result: AppendResult): void
  /** Called when spooling starts or ends. */
  onState(state: GateState): void
  /** Called if the store cannot be opened for a reason that a retry does not fix. */
  onFault(error: ErrorAnswer): void
  /** Called if drafts reached neither store nor spool, or lines of the spool could not be read. */
  onLost(drafts: number, why: string): void
}

export class SpoolingGate implements StoreGate {
  readonly #options: StoreGateOptions
  readonly #spool: Spool
  readonly #hash: (text: string) => string
  /** Blocks that no committed request refers to yet. */
  readonly #unsaved = new Map<string, string>()
  #store: Store | null = null
  /** The store with a transaction left open by `writeStored`. */
  #leftOpen: Store | null = null
  #state: GateState = { state: 'spooling', reason: 'the database is being opened' }
  #retry: NodeJS.Timeout | null = null
  #retryMs = FIRST_RETRY_MS
  #isDamaged = false
  #isTextDamaged = false
  #healing: ReturnType<Maintenance['rebuild']> | null = null
  #reportedFault: string | null = null

  constructor(options: StoreGateOptions) {
    this.#options = options
    const { hashKey, limits, spoolPath: path, onFault } = options
    this.#hash = createKeyedHash(hashKey)
    this.#spool = createSpool({
      path,
      hash: this.#hash,
      limits,
      contents: {
        unsaved: (hash) => this.#unsaved.get(hash) ?? null,
        put: (text) => void this.#store?.ingest.putContent(text),
      },
      onUnsynced(error) {
        const message = `spooled events may not be on disk yet: ${toErrorAnswer(error).message}`
        onFault({ code: 'store_unavailable', message })
      },
    })
  }

  open(): void {
    this.#recover()
  }

  write(drafts: readonly AnyDraft[]): WriteOutcome {
    if (drafts.length === 0) return this.#state.state === 'running' ? 'stored' : 'spooled'
    if (this.#store === null || this.#state.state === 'spooling') return this.#writeSpool(drafts)
    try {
      this.#options.onStored(this.#store.ingest.append(drafts, this.#options.accept))
      this.#unsaved.clear()
      return 'stored'
    } catch (error) {
      if (!isUnavailable(error)) throw error
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

  setAside(reason: string): void {
    this.#isDamaged = true
    this.#closeStore()
    this.#enter({ state: 'spooling', reason: `the database is damaged (${reason})` })
    this.#schedule(0)
  }

  state(): GateState {
    return this.#state
  }

  spooled(): number {
    return this.#spool.pending()
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

  close(): void {
    if (this.#retry !== null) clearTimeout(this.#retry)
    this.#closeStore()
  }

  #enter(next: GateState): void {
    if (next.state === this.#state.state && next.reason === this.#state.reason) return
    this.#state = next
    this.#options.onState(next)
  }

  /** Opens the store, then repairs full text and replays the spool as far as one slice goes. */
  #recover(): void {
    this.#retry = null
    try {
      if (this.#isDamaged && this.#store === null) {
        this.#options.setAside()
        this.#isDamaged = false
      }
      this.#store ??= this.#options.openStore()
      if (!this.#healSlice(this.#store)) {
        this.#enter({ state: 'spooling', reason: 'a damaged full-text index is being rebuilt' })
        return this.#schedule(0)
      }
      if (!replaySlice(this.#spool, this.#store.ingest, this.#options)) {
        this.#enter({ state: 'spooling', reason: 'spooled events are being restored' })
        return this.#schedule(0)
      }
      this.#retryMs = FIRST_RETRY_MS
      this.#reportedFault = null
      this.#enter({ state: 'running', reason: null })
    } catch (error) {
      this.#unavailable(error)
    }
  }

  /** Returns true once nothing is left to repair. */
  #healSlice(store: Store): boolean {
    if (!this.#isTextDamaged) return true
    this.#healing ??= store.maintenance.rebuild()
    if (!this.#healing.next().done) return false
    this.#healing = null
    this.#isTextDamaged = false
    return true
  }

  #unavailable(error: unknown): void {
    const answer = toErrorAnswer(error)
    const code = sqliteCodeOf(error)
    // Full text is rebuilt from the log; any other damaged page makes the whole file untrustworthy.
    const isText = code === 'SQLITE_CORRUPT_VTAB'
    if (isText) this.#isTextDamaged = true
    else if (/^SQLITE_(CORRUPT|NOTADB)/.test(code)) this.#isDamaged = true
    // Closing may move the whole WAL, so a busy database stays open. Full text is repaired in place, once.
    if (!/^SQLITE_(BUSY|LOCKED)/.test(code) && !(isText && this.#healing === null)) this.#closeStore()
    // After a fault, any other reason is reported too: the fault is no longer true.
    const isFault = answer.code !== 'store_unavailable' || this.#reportedFault !== null
    if (isFault && this.#reportedFault !== answer.message) {
      this.#reportedFault = answer.message
      this.#options.onFault(answer)
    }
    this.#enter({ state: 'spooling', reason: answer.message })
    this.#schedule(this.#retryMs)
    this.#retryMs = Math.min(LAST_RETRY_MS, this.#retryMs * 2)
  }

  #schedule(ms: number): void {
    this.#retry ??= setTimeout(() => this.#recover(), ms)
  }

  #closeStore(): void {
    const open = this.#store
    this.#store = null
    this.#healing = null
    try {
      open?.close()
    } catch (error) {
      this.#options.onLost(0, `the database did not close cleanly: ${toErrorAnswer(error).message}`)
    }
  }

  #writeSpool(drafts: readonly AnyDraft[]): WriteOutcome {
    const { lost, error } = this.#spool.write(drafts)
    this.#unsaved.clear()
    if (lost === 0) return 'spooled'
    this.#options.onLost(lost, error?.message ?? 'the spool is full')
    return 'lost'
  }
}
