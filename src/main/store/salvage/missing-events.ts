import type Database from 'better-sqlite3'
import type { WritableDb } from '../database/connection.ts'
import type { Salvaged } from './salvaged.ts'
import { LOST_TEXT } from './mend-payload.ts'
import { tried } from './copy-tables.ts'

/** Counts of events by session, each from another tree of the damaged file. */
const COUNTS = [
  'SELECT session_id, count(*) FROM events INDEXED BY events_by_session_time GROUP BY session_id',
  'SELECT session_id, count(*) FROM events INDEXED BY sqlite_autoindex_events_2 GROUP BY session_id',
] as const

/** Returns the events of each session that the damaged database had and the new one has not. */
export function missingEvents(
  from: Database.Database,
  to: WritableDb,
): Pick<Salvaged, 'events' | 'missing' | 'mended' | 'sessions'> {
  const events = Number(to.prepare('SELECT count(*) FROM events').pluck().get())
  const expected = new Map<string, number>()
  for (const sql of COUNTS)
    for (const [session, count] of tried(() => from.prepare<[], [string, number]>(sql).raw().all()) ?? [])
      expected.set(session, Math.max(count, expected.get(session) ?? 0))
  const here = new Map(
    to.prepare<[], [string, number]>('SELECT session_id, count(*) FROM events GROUP BY session_id').raw().all(),
  )
  const sessions = [...expected]
    .map(([id, count]) => ({ id, missing: count - (here.get(id) ?? 0) }))
    .filter(({ missing }) => missing > 0)
    .sort((one, other) => other.missing - one.missing)
  const mended = to
    .prepare<[string], number>('SELECT count(*) FROM events WHERE instr(payload, ?) > 0')
    .pluck()
    .get(LOST_TEXT)
  return { events, mended: mended ?? 0, missing: sessions.reduce((sum, { missing }) => sum + missing, 0), sessions }
}
