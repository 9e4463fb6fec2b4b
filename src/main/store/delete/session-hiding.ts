import { AspyError } from '../../../shared/contract/errors.ts'
import { translated } from '../database/connection.ts'
import { createReplay } from '../rebuild/replay-events.ts'
import { createAggregateAdjustment } from './aggregate-adjustment.ts'
import type { DeleteSessionParts } from './delete-session.ts'
import { endPending, notePending, pendingDeletions, type PendingDeletion } from './pending-deletions.ts'

/** Hides sessions whose deletion can still be undone. Their events stay stored, and new ones are added to them. */
export interface Hiding {
  /**
   * Hides a session at once; `countSums` follows.
   * @throws AspyError not_found
   */
  hide(sessionId: string, pending: Omit<PendingDeletion, 'sums'>): void
  /** Counts what hidden sessions add to the sums of all sessions, so that readers can subtract it. Yields between steps. */
  countSums(): Generator<void, void, void>
  /**
   * Shows a session again.
   * @throws AspyError not_found if its deletion is not pending
   */
  show(sessionId: string): void
  pending(): ReadonlyMap<string, PendingDeletion>
}

interface SessionHidingParts extends DeleteSessionParts {
  /** Commits what an import left open. */
  readonly closeOpen: () => void
}

export class SessionHiding implements Hiding {
  readonly #parts: SessionHidingParts
  readonly #pending: () => ReadonlyMap<string, PendingDeletion>

  constructor(parts: SessionHidingParts) {
    this.#parts = parts
    this.#pending = pendingDeletions(parts.db)
  }

  hide(sessionId: string, pending: Omit<PendingDeletion, 'sums'>): void {
    this.#transact((db) => {
      const known =
        'SELECT 1 FROM events WHERE session_id = ? UNION ALL SELECT 1 FROM preview_sessions WHERE session_id = ? LIMIT 1'
      const isKnown = db.prepare(known).get(sessionId, sessionId) !== undefined
      if (!isKnown) throw new AspyError('not_found', `there is no session ${sessionId}`)
      notePending(db, sessionId, { ...pending, sums: this.#pending().get(sessionId)?.sums ?? {} })
    })
  }

  *countSums(): Generator<void, void, void> {
    const { db } = this.#parts
    for (const sessionId of this.pending().keys()) {
      const adjustment = createAggregateAdjustment(this.#parts)
      yield* createReplay(db)([sessionId], adjustment.set)
      const sums = adjustment.counted()
      this.#transact(() => {
        // It may have been undone between two steps.
        const pending = this.#pending().get(sessionId)
        if (pending !== undefined) notePending(db, sessionId, { ...pending, sums })
      })
      yield
    }
  }

  show(sessionId: string): void {
    const wasHidden = this.#transact((db) => endPending(db, sessionId))
    if (!wasHidden) throw new AspyError('not_found', `the deletion of session ${sessionId} can no longer be undone`)
  }

  pending(): ReadonlyMap<string, PendingDeletion> {
    return translated(this.#pending)
  }

  #transact<T>(work: (db: SessionHidingParts['db']) => T): T {
    const { db, closeOpen } = this.#parts
    closeOpen()
    return translated(() => db.transaction(() => work(db)).immediate())
  }
}
