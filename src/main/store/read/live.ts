import type { EventKind } from '../../../shared/event.ts'
import { NOT_UNDER_DELETION } from '../delete/deletions.ts'
import { EVENT_COLUMNS } from './events.ts'
import type { EventRow } from '../log/log.ts'
import { where } from './page.ts'
import type { Reader } from './reader.ts'

/** Bounds the log entries that one look back reads, however few of them match. */
const MAX_LOOK_BACK = 20_000

/** Bounds the older entries that are counted as left out. */
const MAX_COUNTED = 200_000

/** A row near `e` of the same source whose ID the store made, with the time of recording in its first 48 bits. */
const near = (range: string, order: 'ASC' | 'DESC') =>
  `(SELECT substr(n.uuid, 1, 8) || substr(n.uuid, 10, 4) FROM events n
    WHERE n.id BETWEEN ${range} AND n.source = 'transcript' AND substr(n.uuid, 15, 1) = '7'
    ORDER BY n.id ${order} LIMIT 1)`

/**
 * Leaves out imported history: lines of transcripts recorded more than ten minutes after they were written. Most events
 * of a transcript keep the random IDs of their lines, so a row recorded soon after or before shows when that was.
 */
const NOT_IMPORTED_LATER = `(e.source <> 'transcript' OR
  coalesce(${near('e.id AND e.id + 50', 'ASC')}, ${near('e.id - 50 AND e.id', 'DESC')}, '') <=
  printf('%012x', (unixepoch(e.ts_wall) + 600) * 1000))`

interface SinceOptions {
  readonly after: number
  readonly up_to?: number
  readonly session_id?: string
  readonly kinds?: readonly EventKind[]
  readonly limit: number
}

/** Returns the newest rows after a position of the log, oldest first, and the number of entries left out. */
export function rowsSince(reader: Reader, options: SinceOptions): { rows: EventRow[]; more: number } {
  const newest = reader.get<{ id: number | null }>('SELECT max(id) AS id FROM events')?.id ?? 0
  const end = Math.min(options.up_to ?? newest, newest)
  const start = Math.max(Math.min(options.after, end), end - MAX_LOOK_BACK)
  const filter = wanted(options, start, end)
  filter.add(NOT_IMPORTED_LATER)
  const matching =
    reader.get<{ n: number }>(`SELECT count(*) AS n FROM events e ${filter.sql}`, ...filter.values)?.n ?? 0
  const rows = reader.all<EventRow>(
    `SELECT ${EVENT_COLUMNS} FROM events e ${filter.sql} ORDER BY e.id DESC LIMIT ?`,
    ...filter.values,
    options.limit,
  )
  return { rows: rows.reverse(), more: olderCount(reader, options, start) + matching - rows.length }
}

function wanted({ session_id, kinds }: SinceOptions, start: number, end: number) {
  const filter = where()
  filter.add('e.id > ?', start)
  filter.add('e.id <= ?', end)
  filter.add(`e.${NOT_UNDER_DELETION}`)
  if (session_id !== undefined) filter.add('+e.session_id = ?', session_id)
  if (kinds !== undefined && kinds.length > 0) filter.add(`+e.kind IN (${kinds.map(() => '?').join(', ')})`, ...kinds)
  return filter
}

/** Counts the entries before the look back. Lines of transcripts are left out, since so many at once are an import. */
function olderCount(reader: Reader, options: SinceOptions, end: number): number {
  if (end <= options.after) return 0
  const filter = wanted(options, Math.max(options.after, end - MAX_COUNTED), end)
  filter.add("e.source <> 'transcript'")
  return reader.get<{ n: number }>(`SELECT count(*) AS n FROM events e ${filter.sql}`, ...filter.values)?.n ?? 0
}
