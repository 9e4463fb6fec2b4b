import { toWall } from '../../../shared/wall-time.ts'
import { inBudget } from './budget.ts'
import { docFilter, type RecallFilter } from './recall.ts'
import type { Reader } from './reader.ts'

/** Bounds the documents that are counted, the last recorded ones: each costs a row read. */
const MAX_COUNTED = 10_000

/** The month (UTC) of a document `d`; near its ends the quarter of an hour, which another zone may count to the next. */
export const MONTH_OR_QUARTER = `iif(substr(d.timestamp, 9, 2) BETWEEN '02' AND '27', substr(d.timestamp, 1, 7),
  printf('%s%02d', substr(d.timestamp, 1, 14), substr(d.timestamp, 15, 2) / 15 * 15))`

/** Adds up hits by the month of a time zone, oldest first. */
export function byMonth(
  rows: readonly { readonly month: string; readonly hits: number }[],
  zone: string | undefined,
): { month: string; hits: number }[] {
  const monthOf = (time: string) =>
    time.length === 7 ? time : new Date(toWall(Date.parse(`${time}Z`), zone)).toISOString().slice(0, 7)
  const months = Map.groupBy(rows, ({ month }) => monthOf(month))
  return [...months]
    .map(([month, own]) => ({ month, hits: own.reduce((sum, { hits }) => sum + hits, 0) }))
    .toSorted((a, b) => (a.month < b.month ? -1 : 1))
}

/**
 * Counts documents per month that match an FTS5 expression, oldest month first. `partial` is true if only the last
 * recorded ones were counted or time was up.
 */
export function monthsOf(
  reader: Reader,
  expression: string,
  filter: RecallFilter,
  zone: string | undefined,
): { items: { month: string; hits: number }[]; partial: boolean } {
  const clause = docFilter(reader, filter)
  const items = inBudget(() =>
    reader.all<{ month: string; hits: number }>(
      `SELECT month, sum(one) AS hits FROM (
         SELECT ${MONTH_OR_QUARTER} AS month, aspy_rank(1) AS one
         FROM recall_fts CROSS JOIN recall_docs d ON d.id = recall_fts.rowid
         WHERE recall_fts MATCH ? ${clause.sql === '' ? '' : `AND ${clause.sql.slice('WHERE '.length)}`}
         ORDER BY recall_fts.rowid DESC LIMIT ?)
       GROUP BY 1`,
      expression,
      ...clause.values,
      MAX_COUNTED,
    ),
  )
  if (items === null) return { items: [], partial: true }
  return { items: byMonth(items, zone), partial: items.reduce((sum, { hits }) => sum + hits, 0) >= MAX_COUNTED }
}
