import { AspyError } from '../../../shared/contract/errors.ts'
import { translated } from '../database/connection.ts'
import { deleteInSlices } from './delete-in-slices.ts'
import { deleteSessionRows, type DeletedRows } from './delete-session.ts'
import { deletionUnderWay, noteDeletion, sessionsUnderDeletion, type Deletion } from './deletions.ts'
import { createEventRemoval, type EventRemoval, type EventRemovalParts } from './event-removal.ts'
import { EVENT_COLUMNS, type EventRow } from '../log/log.ts'
import type { SessionEnds } from '../log/session-ends.ts'
import type { Tombstone, Tombstones } from './tombstones.ts'

interface TakeOutParts extends EventRemovalParts {
  readonly tombstones: Tombstones
  readonly sessionEnds: SessionEnds
  readonly now: () => number
  /** Commits what an import left open. */
  readonly closeOpen: () => void
  /** What was remembered of the log may be gone. */
  readonly forget: () => void
  /** The same within a transaction, of whose own nothing is forgotten. */
  readonly forgetEvents: () => void
}

/** Takes sessions out for good, and remembers that. */
interface TakeOut {
  /** A large one in slices, between which it yields. @throws AspyError not_found */
  inSteps(sessionId: string): Generator<void, DeletedRows, void>
  /** @throws AspyError not_found */
  atOnce(sessionId: string): DeletedRows
  /** What was deleted elsewhere; false: it was never here. */
  bury(tombstone: Tombstone): boolean
  /**
   * The event that something new tells of, by `find`, as long as that stays. One of a session that is being deleted goes at
   * once, so that it is looked for anew: what another session has of it is its own from now on. Within a transaction.
   */
  standing<Found extends Pick<EventRow, 'uuid' | 'session_id'>>(find: () => Found | null): Found | null
  /** Sessions whose deletion was cut short. */
  unfinished(): readonly string[]
  /** Whether some is half deleted; false where that cannot be read: the next write meets the trouble itself. */
  isUnderWay(): boolean
}

export function createTakeOut(parts: TakeOutParts): TakeOut {
  const { db, projections, tombstones, sessionEnds, now, closeOpen, forget, forgetEvents } = parts
  const unfinished = sessionsUnderDeletion(db)
  const eventOf = db.prepare<[string], EventRow>(`SELECT ${EVENT_COLUMNS} FROM events WHERE uuid = ?`)
  let removal: EventRemoval | null = null
  const removalOf = () => (removal ??= createEventRemoval(parts))

  function transact<T>(work: () => T): T {
    const written = () => {
      const result = work()
      projections.flush()
      return result
    }
    // What is overwritten at once need not be looked for later.
    db.pragma('secure_delete = ON')
    try {
      return translated(() => db.transaction(written).immediate())
    } finally {
      forget()
    }
  }

  function* steps(sessionId: string, deletedAt: string): Generator<void, DeletedRows | null, void> {
    const hide = () => tombstones.add(sessionId, deletedAt)
    const sliced = yield* deleteInSlices(parts, removalOf(), sessionId, hide, transact)
    return transact(() => {
      const rows = sliced ?? deleteSessionRows(parts, sessionId)
      if (rows.events + rows.sightings === 0 && !tombstones.has(sessionId)) return null
      tombstones.add(sessionId, deletedAt)
      sessionEnds.closeIdle(now())
      return rows
    })
  }

  function isUnderWay(): boolean {
    try {
      return translated(unfinished).length > 0
    } catch (error) {
      if (error instanceof AspyError && error.code === 'store_unavailable') return false
      throw error
    }
  }

  /** Between two steps others write; what they left open is committed before the next. */
  function* closing<Result>(work: Generator<void, Result, void>): Generator<void, Result, void> {
    for (;;) {
      closeOpen()
      const { done, value } = work.next()
      if (done) return value
      yield
    }
  }

  function* inSteps(sessionId: string): Generator<void, DeletedRows, void> {
    const rows = yield* closing(steps(sessionId, new Date(now()).toISOString()))
    if (rows === null) throw new AspyError('not_found', `there is no session ${sessionId}`)
    return rows
  }

  function free(row: EventRow, deletion: Deletion): void {
    db.pragma('secure_delete = ON')
    const removing = removalOf()
    removing.begin()
    const sightings = removing.remove(row)
    removing.end()
    noteDeletion(db, row.session_id, { events: deletion.events + 1, sightings: deletion.sightings + sightings })
    forgetEvents()
  }

  if (isUnderWay()) removalOf()
  return {
    inSteps,
    atOnce: (sessionId) => lastOf(inSteps(sessionId)),
    bury: ({ session_id, deleted_at }) => lastOf(closing(steps(session_id, deleted_at))) !== null,
    standing(find) {
      for (;;) {
        const found = find()
        if (found === null || !tombstones.has(found.session_id)) return found
        const deletion = deletionUnderWay(db, found.session_id)
        const row = deletion === null ? undefined : eventOf.get(found.uuid)
        if (deletion === null || row === undefined) return found
        free(row, deletion)
      }
    },
    unfinished: () => translated(unfinished),
    isUnderWay,
  }
}

function lastOf<Result>(steps: Generator<void, Result, void>): Result {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}
