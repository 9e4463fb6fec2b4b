import { inBudget } from './budget.ts'
import { docFilter, type RecallFilter } from './recall.ts'
import { byMonth, MONTH_OR_QUARTER } from './recall-months.ts'
import type { Reader } from './reader.ts'

/** The number of matches by session and by month. */
export interface RecallCounts {
  readonly total: number
  /** Most hits first. */
  readonly by_session: { session_id: string; hits: number; first: string; last: string }[]
  /** Oldest first. */
  readonly by_month: { month: string; hits: number }[]
  /** True if only the newest matches were counted. */
  readonly partial: boolean
}

/** Bounds the texts that are counted, newest first: a word in every text would take time in proportion to the log. */
const MAX_COUNTED = 1000
const MAX_SESSIONS = 50

/** Counts the texts that match an FTS5 expression. */
export function countMatches(
  reader: Reader,
  expression: string,
  filter: RecallFilter,
  zone: string | undefined,
): RecallCounts {
  const clause = docFilter(reader, filter)
  const rest = clause.sql === '' ? '' : `AND ${clause.sql.slice('WHERE '.length)}`
  const groups = inBudget(() =>
    reader.all<{ session_id: string; month: string; hits: number; first: string; last: string }>(
      `SELECT session_id, month, count(*) AS hits, min(timestamp) AS first, max(timestamp) AS last
       FROM (SELECT d.session_id, d.timestamp, ${MONTH_OR_QUARTER} AS month, aspy_rank(0) FROM recall_fts CROSS JOIN recall_docs d ON d.id = recall_fts.rowid
             WHERE recall_fts MATCH ? ${rest} ORDER BY recall_fts.rowid DESC LIMIT ?)
       GROUP BY 1, 2`,
      expression,
      ...clause.values,
      MAX_COUNTED,
    ),
  )
  const sessions = new Map<string, RecallCounts['by_session'][number]>()
  let total = 0
  for (const { session_id, hits, first, last } of groups ?? []) {
    const known = sessions.get(session_id)
    sessions.set(session_id, {
      session_id,
      hits: (known?.hits ?? 0) + hits,
      first: known !== undefined && known.first < first ? known.first : first,
      last: known !== undefined && known.last > last ? known.last : last,
    })
    total += hits
  }
  return {
    total,
    by_session: [...sessions.values()]
      .sort((a, b) => b.hits - a.hits || (a.last < b.last ? 1 : -1))
      .slice(0, MAX_SESSIONS),
    by_month: byMonth(groups ?? [], zone),
    partial: groups === null || total >= MAX_COUNTED,
  }
}
