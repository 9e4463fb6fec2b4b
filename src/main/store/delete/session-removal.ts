import { AspyError } from '../../../shared/contract/errors.ts'
import type { WritableDb } from '../database/connection.ts'
import { translated } from '../database/store-error.ts'
import { deleteInSlices } from './delete-in-slices.ts'
import { deleteSessionRows, type DeletedRows, type DeleteSessionParts } from './delete-session.ts'
import { forgetImported, type ImportedSession } from './forget-imported.ts'
import { deletionUnderWay, noteDeletion, sessionsUnderDeletion, type Deletion } from './deletions.ts'
import { dropShadowTables } from '../rebuild/shadow-tables.ts'
import { removePreviewInSteps, removePreviewOf } from '../preview/remove-previews.ts'
import { endPending } from './pending-deletions.ts'
import { createEventRemoval, type EventRemoval, type EventRemovalParts } from './event-removal.ts'
import { EVENT_COLUMNS, type EventRow } from '../log/log.ts'
import type { SessionEnds } from '../log/session-ends.ts'
import { noSession, type Tombstone, type Tombstones } from './tombstones.ts'

interface SessionRemovalParts extends EventRemovalParts, DeleteSessionParts {
  readonly tombstones: Tombstones
  readonly sessionEnds: SessionEnds
  readonly now: () => number
  /** Commits an import's open transaction. */
  readonly closeOpen: () => void
  /** Clears every cache of the log, since rows of it may be gone. */
  readonly forget: () => void
  /** Clears the caches of events only; safe within a transaction. */
  readonly forgetEvents: () => void
}

/** Deletes sessions for good. */
export class Removal {
  readonly #parts: SessionRemovalParts
  readonly #unfinished: () => readonly string[]
  readonly #eventOf: ReturnType<typeof prepareEventOf>
  #eventRemoval: EventRemoval | null = null

  constructor(parts: SessionRemovalParts) {
    this.#parts = parts
    this.#unfinished = sessionsUnderDeletion(parts.db)
    this.#eventOf = prepareEventOf(parts.db)
  }

  /**
   * Deletes a session and keeps it from being recorded or imported again. No query, index, export or log
   * holds its text once `scrub` has finished. A large session is deleted in steps of a few milliseconds and hidden from the first
   * one on. An interrupted deletion is listed by `unfinishedDeletions` and resumes when requested again.
   * @throws AspyError not_found
   */
  *deleteInSteps(sessionId: string): Generator<void, DeletedRows, void> {
    const deletedAt = new Date(this.#parts.now()).toISOString()
    const rows = yield* this.#closing(this.#steps(sessionId, deletedAt))
    if (rows === null) throw noSession((sql, id) => this.#parts.db.prepare<[string], Tombstone>(sql).get(id), sessionId)
    return rows
  }

  /** Like `deleteInSteps`, without pauses. */
  deleteSession(sessionId: string): DeletedRows {
    return lastOf(this.deleteInSteps(sessionId))
  }

  /** Sessions whose deletion was interrupted. */
  unfinishedDeletions(): readonly string[] {
    return translated(this.#unfinished)
  }

  /** Removes imported sessions that are about to be read again, in one transaction. Sessions recorded live stay. */
  forgetImported(sessions: readonly ImportedSession[]): void {
    this.#parts.closeOpen()
    this.#transact(() => forgetImported(this.#parts, sessions))
  }

  /** Deletes sessions that were deleted in another database, and keeps them out; returns how many were here. */
  applyTombstones(others: readonly Tombstone[]): number {
    const found = others.filter(
      ({ session_id, deleted_at }) => lastOf(this.#closing(this.#steps(session_id, deleted_at))) !== null,
    )
    this.remember(others)
    return found.length
  }

  /** Records tombstones for sessions that are not here. */
  remember(others: readonly Tombstone[]): void {
    for (const { session_id, deleted_at } of others) this.#parts.tombstones.add(session_id, deleted_at)
  }

  /**
   * Returns the event that `find` finds for a draft, unless that event is being deleted. If its session is being
   * deleted, the event is removed at once and `find` runs again, so that further reports of it by other sessions create
   * a separate event. Runs within a transaction.
   */
  findLasting<Found extends Pick<EventRow, 'uuid' | 'session_id'>>(find: () => Found | null): Found | null {
    const { db, tombstones } = this.#parts
    for (;;) {
      const found = find()
      if (found === null || !tombstones.has(found.session_id)) return found
      const deletion = deletionUnderWay(db, found.session_id)
      const row = deletion === null ? undefined : this.#eventOf.get(found.uuid)
      if (deletion === null || row === undefined) return found
      this.#removeEvent(row, deletion)
    }
  }

  /** True if a session is half deleted. False if the database cannot be read: the next write reports the same error. */
  isUnderWay(): boolean {
    try {
      return this.unfinishedDeletions().length > 0
    } catch (error) {
      if (error instanceof AspyError && error.code === 'store_unavailable') return false
      throw error
    }
  }

  #removalOfEvents(): EventRemoval {
    this.#eventRemoval ??= createEventRemoval(this.#parts)
    return this.#eventRemoval
  }

  #removeEvent(row: EventRow, deletion: Deletion): void {
    const { db, forgetEvents } = this.#parts
    db.pragma('secure_delete = ON')
    const removal = this.#removalOfEvents()
    removal.begin()
    const sightings = removal.remove(row)
    removal.end()
    noteDeletion(db, row.session_id, { events: deletion.events + 1, sightings: deletion.sightings + sightings })
    forgetEvents()
  }

  *#steps(sessionId: string, deletedAt: string): Generator<void, DeletedRows | null, void> {
    const { tombstones, sessionEnds, now } = this.#parts
    const transact = <T>(work: () => T): T => this.#transact(work)
    const hide = () => {
      tombstones.add(sessionId, deletedAt)
      endPending(this.#parts.db, sessionId)
      removePreviewOf(this.#parts.db, sessionId)
    }
    // It holds the session's words too, and would otherwise be dropped in one step.
    this.#parts.db.pragma('secure_delete = ON')
    yield* dropShadowTables(this.#parts.db)
    yield* removePreviewInSteps(this.#parts.db, sessionId)
    const sliced = yield* deleteInSlices(this.#parts, this.#removalOfEvents(), sessionId, hide, transact)
    return transact(() => {
      const rows = sliced ?? deleteSessionRows(this.#parts, sessionId)
      const wasShown = removePreviewOf(this.#parts.db, sessionId)
      if (rows.events + rows.sightings === 0 && !wasShown && !tombstones.has(sessionId)) return null
      hide()
      sessionEnds.closeIdle(now())
      return rows
    })
  }

  #transact<T>(work: () => T): T {
    const { db, projections, forget } = this.#parts
    const written = () => {
      const result = work()
      projections.flush()
      return result
    }
    // Overwriting deleted rows now saves `scrub` from looking for them later.
    db.pragma('secure_delete = ON')
    try {
      return translated(() => db.transaction(written).immediate())
    } finally {
      forget()
    }
  }

  /** Others may write between two steps; an open transaction is committed before the next one. */
  *#closing<Result>(work: Generator<void, Result, void>): Generator<void, Result, void> {
    for (;;) {
      this.#parts.closeOpen()
      const { done, value } = work.next()
      if (done) return value
      yield
    }
  }
}

function prepareEventOf(db: WritableDb) {
  return db.prepare<[string], EventRow>(`SELECT ${EVENT_COLUMNS} FROM events WHERE uuid = ?`)
}

function lastOf<Result>(steps: Generator<void, Result, void>): Result {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}
