import type { WritableDb } from '../database/connection.ts'
import { ARCHIVED_KINDS } from './archived-payload.ts'

/** Entries of the covering index that one step reads. */
const LOOKED_AT = 2000

/**
 * Finds ids of events to archive: kinds with large fields, before a moment, except those of pinned sessions; by kind, then
 * by time. Each call continues the search; null means that it is complete.
 */
export function createOldEvents(db: WritableDb, before: string): () => readonly number[] | null {
  const stretch = db.prepare<[string, string, number, string], { id: number; ts_wall: string; done: number }>(
    `SELECT id, ts_wall, EXISTS (SELECT 1 FROM archived_events a WHERE a.id = old.id) AS done FROM
       (SELECT id, ts_wall FROM events INDEXED BY events_by_kind_time
        WHERE kind = ? AND (ts_wall, id) > (?, ?) AND ts_wall < ? ORDER BY ts_wall, id LIMIT ${LOOKED_AT}) old`,
  )
  const isPinned = db
    .prepare<[number], number>(
      'SELECT 1 FROM events e JOIN session_labels l ON l.session_id = e.session_id WHERE e.id = ? AND l.pinned = 1',
    )
    .pluck()
  const kinds = [...ARCHIVED_KINDS]
  let after: [string, number] = ['', 0]
  return () => {
    const [kind] = kinds
    if (kind === undefined) return null
    const rows = stretch.all(kind, ...after, before)
    const last = rows.at(-1)
    if (last === undefined || rows.length < LOOKED_AT) {
      kinds.shift()
      after = ['', 0]
    } else after = [last.ts_wall, last.id]
    return rows.flatMap(({ id, done }) => (done === 1 || isPinned.get(id) === 1 ? [] : [id]))
  }
}
