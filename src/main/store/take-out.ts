import { translated, type WritableDb } from './connection.ts'
import { deleteSessionRows, type DeletedRows, type DeleteSessionParts } from './delete-session.ts'
import type { SessionEnds } from './session-ends.ts'
import type { Tombstones } from './tombstones.ts'

interface TakeOutParts extends DeleteSessionParts {
  readonly db: WritableDb
  readonly tombstones: Tombstones
  readonly sessionEnds: SessionEnds
  readonly now: () => number
  /** What was remembered of the log may be gone. */
  readonly forget: () => void
}

/** Takes a session out for good, in one transaction, and remembers that. Null: it was never here. */
export function createTakeOut(parts: TakeOutParts): (sessionId: string, deletedAt: string) => DeletedRows | null {
  const { db, tombstones, sessionEnds, now, forget } = parts
  return (sessionId, deletedAt) => {
    const run = db.transaction(() => {
      const rows = deleteSessionRows(parts, sessionId)
      if (rows.events + rows.sightings === 0 && !tombstones.has(sessionId)) return null
      tombstones.add(sessionId, deletedAt)
      sessionEnds.closeIdle(now())
      return rows
    })
    // What is overwritten at once need not be looked for later.
    db.pragma('secure_delete = ON')
    try {
      return translated(() => run.immediate())
    } finally {
      forget()
    }
  }
}
