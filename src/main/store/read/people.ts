import type { Reader } from './reader.ts'

interface Memory {
  readonly uuid: string
  readonly note: string | null
  readonly created_at: string
  readonly kind: string
  readonly session_id: string
  readonly turn_id: number
  readonly timestamp: string
  readonly payload: string
}

/** What is to be remembered, newest first. */
export function memoryRows(reader: Reader, limit: number): Memory[] {
  return reader.all<Memory>(
    `SELECT m.event_uuid AS uuid, m.note, m.created_at, e.kind, e.session_id, e.turn_id, e.ts_wall AS timestamp, e.payload
     FROM memories m CROSS JOIN events e ON e.uuid = m.event_uuid ORDER BY m.created_at DESC, m.event_uuid LIMIT ?`,
    limit,
  )
}

/** Ids of those documents of an FTS5 expression that are to be remembered. */
export function rememberedMatches(reader: Reader, expression: string): number[] {
  return reader
    .all<{ id: number }>(
      `SELECT recall_fts.rowid AS id FROM recall_fts
       WHERE recall_fts MATCH ? AND recall_fts.rowid IN
         (SELECT e.id FROM memories m CROSS JOIN events e ON e.uuid = m.event_uuid)
       ORDER BY bm25(recall_fts)`,
      expression,
    )
    .map(({ id }) => id)
}

/** All that is remembered; people remember dozens, not thousands. */
export function rememberedUuids(reader: Reader): ReadonlySet<string> {
  return new Set(reader.all<{ uuid: string }>('SELECT event_uuid AS uuid FROM memories').map(({ uuid }) => uuid))
}

/** Saved searches by name. */
export function savedSearches(reader: Reader): { id: number; name: string; address: string; created_at: string }[] {
  return reader.all('SELECT id, name, address, created_at FROM saved_searches ORDER BY name COLLATE NOCASE')
}
