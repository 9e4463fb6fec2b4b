import type { ErrorAnswer } from '../../../../shared/contract/errors.ts'
import type { AnyEvent } from '../../../../shared/event.ts'
import type { AnyDraft } from '../../../decode/draft.ts'
import type { AppendOptions, AppendResult } from '../../../store/ingest/ingest.ts'
import type { AwaitedAnswer, Run } from '../../../store/log/answers-in-progress.ts'
import type { Limits } from '../../../store/log/limits.ts'
import type { Damage } from '../../../store/database/damage.ts'
import type { Store } from '../../../store/store.ts'

export type WriteOutcome = 'stored' | 'spooled' | 'lost'
export interface GateState {
  readonly state: 'running' | 'spooling'
  /** Why drafts are spooled, for people to read. */
  readonly reason: string | null
  /** It spools because damage is being repaired. */
  readonly isRepairing?: true
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
  /** Keeps that a request awaits its answer, which is about to be written: in the store, or in the spool. */
  awaitAnswer(answer: AwaitedAnswer): void
  /** Returns the store's answer, or `otherwise` if it has none: the next write meets the error itself. */
  ask<T>(question: (store: Store) => T, otherwise: T): T
  /** The store while it records. Throws `store_unavailable`. */
  store(): Store
  /** The store even while the spool is being replayed to it. Throws `store_unavailable` if it is not open. */
  opened(): Store
  /** Repairs what a reader met: a full-text index in place, a file by a new one that has all that can be read. */
  repair(damage: Damage): void
  state(): GateState
  /** The number of drafts that wait on disk. */
  spooled(): number
  unpricedModels(): readonly string[]
  /** Moves the WAL into the file; for idle moments. */
  checkpoint(): void
  /** Leaves the store to another app, and passes on to it what is still written. */
  handOver(): void
  close(): void
}

export interface StoreGateOptions {
  readonly hashKey: Uint8Array
  readonly limits: Limits
  readonly spoolPath: string
  /** This process. */
  readonly run: Run
  /** Another app has the store already. */
  readonly isHandedOver: boolean
  /** Throws `store_unavailable`, `newer_database`, `already_running`. */
  openStore(): Store
  /**
   * Replaces the damaged, closed database in steps with a new one that has all that can be read. Throws what SQLite throws.
   */
  salvage(reason: string): Generator<void, unknown, void>
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
