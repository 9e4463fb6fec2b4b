import type { Redactor } from '../../redaction/redactor.ts'
import {
  lastArchiveRun,
  noteArchiveRun,
  runArchiving,
  silentSessions,
  type ArchiveRun,
  type RetentionRules,
} from '../archive/archives.ts'
import type { Moved, MoveParts } from '../archive/move-to-archive.ts'
import type { Checkpointer } from '../database/checkpointer.ts'
import { checkpointWal } from '../database/connection.ts'
import { translated } from '../database/store-error.ts'
import type { Transactions } from '../database/transactions.ts'
import { mayRewriteUnasked, rewriteFile, type Rewritten } from '../delete/rewrite.ts'
import { createScrub } from '../delete/scrub.ts'
import { markRecalculatedCosts, noteRecalculatedCosts } from '../log/changes.ts'
import type { Log } from '../log/log.ts'
import { ENDED_AT_ONCE, type SessionEnds } from '../log/session-ends.ts'
import { rewriteEpisodes, writeEpisodes } from '../people/episodes.ts'
import type { ProjectionSet } from '../projections/projection-set.ts'
import type { RebuildFollower } from '../rebuild/rebuild-follower.ts'
import { isRebuildDue, noteRules } from '../rebuild/due-rebuild.ts'
import { rebuildInSteps, type RebuildProgress } from '../rebuild/rebuild.ts'
import { PastRedaction } from '../redact/redact-past.ts'
import { backUp, type BackupProgress } from '../transfer/backup.ts'

export interface MaintenanceParts extends MoveParts {
  /** Path of the database. */
  readonly path: string
  readonly hashKey: Uint8Array
  readonly log: Log
  readonly projections: ProjectionSet
  readonly follower: RebuildFollower
  readonly transactions: Transactions
  readonly sessionEnds: SessionEnds
  readonly checkpointer: Checkpointer
  /** Called with a bound in milliseconds before the thread blocks for long, and with 0 afterwards. */
  readonly onAway: (ms: number) => void
  /** Clears every cache of the log. */
  readonly forget: () => void
}

/**
 * Work on the database besides recording. Long work comes as a generator whose steps take a few milliseconds; the store
 * may be used between two of them.
 */
export class Maintenance {
  readonly #parts: MaintenanceParts
  /**
   * Removes the remains of a deletion or redaction from indexes, archives, copies and the WAL; null if there is nothing
   * to do. Each step yields the pause it asks for, in milliseconds. If the caller grants it and returns to the event
   * loop meanwhile (`canWait`), other threads wait for the disk.
   */
  readonly scrub: ReturnType<typeof createScrub>
  #backups = 0

  constructor(parts: MaintenanceParts) {
    this.#parts = parts
    const { db, path, folder, checkpointer } = parts
    this.scrub = createScrub({ db, path, archives: folder, checkpointer })
  }

  /** True while a rebuild or a backup runs: both must see whole transactions only. */
  needsWholeTransactions(): boolean {
    return this.#backups > 0 || this.#parts.follower.isActive()
  }

  /** Rebuilds projections from the log: all of them, or those named. A step takes about `sliceMs`, 25 by default. */
  *rebuild(only?: readonly string[], sliceMs?: number): Generator<RebuildProgress, RebuildProgress, void> {
    const { db, pricing, hashKey, follower, projections, transactions } = this.#parts
    transactions.close()
    const onSwap = (names: readonly string[]) => {
      if (names.includes('api_usage')) markRecalculatedCosts(db)
      if (only === undefined) noteRules(db)
    }
    const result = yield* rebuildInSteps(db, { pricing, hashKey, only, sliceMs, onSwap }, (rebuild) => {
      follower.follow(rebuild)
      // The projections' caches belong to the tables that were just replaced.
      if (rebuild === null) projections.discard()
    })
    const afterwards = [this.#endIdle(), noteRecalculatedCosts(db), only === undefined ? rewriteEpisodes(db) : []]
    for (const steps of afterwards) for (const _ of steps) yield { ...result, done: false }
    return result
  }

  /** True if an earlier version filled the projections by other rules. */
  isRebuildDue(): boolean {
    return translated(() => isRebuildDue(this.#parts.db))
  }

  /**
   * Moves the heavy fields of old requests and tool traffic to archives next to the database, and removes expired
   * archives. An interruption between two steps loses and duplicates nothing.
   */
  *archive(rules: RetentionRules): Generator<Moved, Moved & { readonly archives_removed: number }, void> {
    const { db, contents, pricing, hash, folder, now, transactions } = this.#parts
    transactions.close()
    return yield* runArchiving({ db, contents, pricing, hash, folder, now }, rules)
  }

  /** The outcome of the last archive run; null if there was none. */
  lastArchiveRun(): ArchiveRun | null {
    return translated(() => lastArchiveRun(this.#parts.db))
  }

  noteArchiveRun(run: ArchiveRun): void {
    noteArchiveRun(this.#parts.db, run)
  }

  /** Sessions without an event since a moment (ISO 8601), except pinned ones. */
  silentSessions(before: string, most: number): readonly string[] {
    return translated(() => silentSessions(this.#parts.db, before, most))
  }

  /** Ends idle sessions. Writes episodes for compactions and for sessions that ended; returns how many. */
  *episodes(): Generator<number, number, void> {
    for (const _ of this.#endIdle()) yield 0
    return yield* writeEpisodes(this.#parts.db)
  }

  /** Tells sinks of the costs that a rebuild replaced, if it was interrupted before it did. */
  noteRecalculatedCosts(): Generator<void, void, void> {
    return noteRecalculatedCosts(this.#parts.db)
  }

  /** Rewrites the file without unused bytes, in one long step. Yields pauses, like `scrub`. @throws AspyError conflict, busy */
  *rewrite(canWait = false): Generator<number, Rewritten, void> {
    this.#parts.transactions.close()
    return yield* rewriteFile(canWait ? this.#parts : { ...this.#parts, checkpointer: null })
  }

  /** True if unused bytes may hold deleted text, and the file may be rewritten without being asked. */
  mayRewriteUnasked(): boolean {
    return translated(() => mayRewriteUnasked(this.#parts))
  }

  /** Copies the database to a file while it is in use. @throws AspyError conflict if the file exists */
  async backup(to: string, onProgress: (progress: BackupProgress) => void): Promise<BackupProgress> {
    const { db, hashKey, folder, transactions } = this.#parts
    transactions.close()
    this.#backups += 1
    return backUp(db, to, hashKey, folder, onProgress).finally(() => (this.#backups -= 1))
  }

  /** Applies a redactor to everything stored, a slice at a time. */
  pastRedaction(redactor: Redactor): PastRedaction {
    return new PastRedaction({ ...this.#parts, redactor })
  }

  /** Moves the WAL into the file and ends some idle sessions. For idle moments only: it may take long. */
  checkpoint(): void {
    this.#endSomeIdle()
    checkpointWal(this.#parts.db)
  }

  /** True if the disk does not keep up and work that can wait should. */
  isDiskBehind(): boolean {
    return this.#parts.checkpointer.isBehind()
  }

  *#endIdle(): Generator<void, void, void> {
    // Does not wait until none is left: a followed session may reopen after each step.
    while (this.#endSomeIdle() === ENDED_AT_ONCE) yield
  }

  #endSomeIdle(): number {
    const { sessionEnds, projections, transactions, now } = this.#parts
    transactions.close()
    const ended = translated(() => sessionEnds.closeIdle(now()))
    if (ended > 0) projections.discard()
    return ended
  }
}
