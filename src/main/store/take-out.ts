import { AspyError } from '../../shared/contract/errors.ts'
import { translated, type WritableDb } from './connection.ts'
import { deleteInSlices } from './delete-in-slices.ts'
import { deleteSessionRows, type DeletedRows, type DeleteSessionParts } from './delete-session.ts'
import { deletionUnderWay, endDeletion, sessionsUnderDeletion } from './deletions.ts'
import type { SessionEnds } from './session-ends.ts'
import type { Tombstone, Tombstones } from './tombstones.ts'

interface TakeOutParts extends DeleteSessionParts {
  readonly db: WritableDb
  readonly tombstones: Tombstones
  readonly sessionEnds: SessionEnds
  readonly now: () => number
  /** Commits what an import left open. */
  readonly closeOpen: () => void
  /** What was remembered of the log may be gone. */
  readonly forget: () => void
}

/** Takes sessions out for good, and remembers that. */
interface TakeOut {
  /** A large one in slices, between which it yields. @throws AspyError not_found */
  inSteps(sessionId: string): Generator<void, DeletedRows, void>
  /** @throws AspyError not_found */
  atOnce(sessionId: string): DeletedRows
  /** What was deleted elsewhere; false: it was never here. */
  bury(tombstone: Tombstone): boolean
  /** Sessions whose deletion was cut short. */
  unfinished(): readonly string[]
  /** Whether some is half deleted; false where that cannot be read: the next write meets the trouble itself. */
  isUnderWay(): boolean
}

export function createTakeOut(parts: TakeOutParts): TakeOut {
  const { db, tombstones, sessionEnds, now, closeOpen, forget } = parts
  const unfinished = sessionsUnderDeletion(db)

  function transact<T>(work: () => T): T {
    // What is overwritten at once need not be looked for later.
    db.pragma('secure_delete = ON')
    try {
      return translated(() => db.transaction(work).immediate())
    } finally {
      forget()
    }
  }

  function* steps(sessionId: string, deletedAt: string): Generator<void, DeletedRows | null, void> {
    const sliced = yield* deleteInSlices(parts, sessionId, () => tombstones.add(sessionId, deletedAt), transact)
    return transact(() => {
      const areSumsGone = deletionUnderWay(db, sessionId)?.areSumsGone ?? false
      const rows = sliced ?? deleteSessionRows(parts, sessionId, areSumsGone)
      endDeletion(db, sessionId)
      if (rows.events + rows.sightings === 0 && !tombstones.has(sessionId)) return null
      tombstones.add(sessionId, deletedAt)
      sessionEnds.closeIdle(now())
      return rows
    })
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

  return {
    inSteps,
    atOnce: (sessionId) => lastOf(inSteps(sessionId)),
    bury: ({ session_id, deleted_at }) => lastOf(closing(steps(session_id, deleted_at))) !== null,
    unfinished: () => translated(unfinished),
    isUnderWay() {
      try {
        return translated(unfinished).length > 0
      } catch (error) {
        if (error instanceof AspyError && error.code === 'store_unavailable') return false
        throw error
      }
    },
  }
}

function lastOf<Result>(steps: Generator<void, Result, void>): Result {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}
