import type { WritableDb } from '../database/connection.ts'

/** Removes what is shown of a session. Returns whether anything was. */
export function removePreviewOf(db: WritableDb, sessionId: string): boolean {
  const items = db.prepare<[string]>('DELETE FROM preview_items WHERE session_id = ?').run(sessionId).changes
  const sessions = db.prepare<[string]>('DELETE FROM preview_sessions WHERE session_id = ?').run(sessionId).changes
  return items + sessions > 0
}

/** Removes all previews; the next import makes them again. */
export function removePreviews(db: { exec(sql: string): unknown }): void {
  for (const table of ['preview_items', 'preview_sessions', 'preview_files']) db.exec(`DELETE FROM ${table}`)
}
