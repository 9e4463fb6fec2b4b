import type { WritableDb } from '../database/connection.ts'
import { RECORDED_LIVE } from '../log/log.ts'
import { deleteSessionRows, type DeleteSessionParts } from './delete-session.ts'

/** A session whose transcripts are read again from their beginning. */
export interface ImportedSession {
  readonly session_id: string
  /** Its transcript files. */
  readonly paths: readonly string[]
}

/**
 * Removes sessions from log and projections whose transcripts were read in the wrong order, and notes that their files
 * are unread. People's additions to them stay, and they may be imported again. A session that was recorded live is left
 * alone. Runs within a transaction.
 */
export function forgetImported(parts: DeleteSessionParts, sessions: readonly ImportedSession[]): void {
  const { db } = parts
  const isLive = liveSessions(db)
  const unread = db.prepare<[string]>('DELETE FROM transcript_files WHERE path = ?')
  for (const { session_id, paths } of sessions) {
    if (isLive(session_id)) continue
    deleteSessionRows(parts, session_id, { isReadAgain: true })
    for (const path of paths) unread.run(path)
  }
}

function liveSessions(db: WritableDb): (session: string) => boolean {
  const found = db.prepare<[string, string, string], number>(RECORDED_LIVE).pluck()
  return (session) => found.get(session, session, session) === 1
}
