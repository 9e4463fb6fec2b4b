import type { AnyEvent } from '../../../src/shared/event.ts'
import type { ReadableDb } from '../../../src/main/store/database/connection.ts'
import { EVENT_COLUMNS, eventOfRow, type EventRow } from '../../../src/main/store/log/log.ts'
import type { Fetch } from '../../../src/main/store/log/payload.ts'

/** Reads all events in the order of the log. */
export function eventsInOrder(db: ReadableDb, fetch: Fetch): readonly AnyEvent[] {
  const rows = db.prepare<[], EventRow>(`SELECT ${EVENT_COLUMNS} FROM events ORDER BY id`).all()
  return rows.map((row) => eventOfRow(row, fetch))
}
