import type { WritableDb } from '../database/connection.ts'
import { translated } from '../database/store-error.ts'

const REMOVED_AT_ONCE = 1000

/** Removes the previewed rows of a session. Returns whether there were any. */
export function removePreviewOf(db: WritableDb, sessionId: string): boolean {
  const items = db.prepare<[string]>('DELETE FROM preview_items WHERE session_id = ?').run(sessionId).changes
  const sessions = db.prepare<[string]>('DELETE FROM preview_sessions WHERE session_id = ?').run(sessionId).changes
  return items + sessions > 0
}

/** Removes the rows of a session's preview in steps; `removePreviewOf` then has next to none left. */
export function* removePreviewInSteps(db: WritableDb, sessionId: string): Generator<void, void, void> {
  const some = db.prepare<[string]>(
    `DELETE FROM preview_items WHERE id IN (SELECT id FROM preview_items WHERE session_id = ? LIMIT ${REMOVED_AT_ONCE})`,
  )
  while (translated(() => some.run(sessionId)).changes === REMOVED_AT_ONCE) yield
}

/** Removes all previews; the next import makes them again. */
export function removePreviews(db: { exec(sql: string): unknown }): void {
  for (const table of ['preview_items', 'preview_sessions', 'preview_files']) db.exec(`DELETE FROM ${table}`)
}
