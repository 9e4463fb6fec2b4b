import { OverBudget } from './budget.ts'
import { docFilter, type RecallFilter } from './recall.ts'
import type { Reader } from './reader.ts'

/** Bounds the documents that are counted, the last recorded ones: each costs a row read. */
const MAX_COUNTED = 10_000

/**
 * Counts documents per month that match an FTS5 expression, oldest month first. `partial` is true if only the last
 * recorded ones were counted or time was up.
 */
export function monthsOf(
  reader: Reader,
  expression: string,
  filter: RecallFilter,
): { items: { month: string; hits: number }[]; partial: boolean } {
  const clause = docFilter(reader, filter)
  try {
    const items = reader.all<{ month: string; hits: number }>(
      `SELECT month, sum(one) AS hits FROM (
         SELECT substr(d.timestamp, 1, 7) AS month, aspy_rank(1) AS one
         FROM recall_fts CROSS JOIN recall_docs d ON d.id = recall_fts.rowid
         WHERE recall_fts MATCH ? ${clause.sql === '' ? '' : `AND ${clause.sql.slice('WHERE '.length)}`}
         ORDER BY recall_fts.rowid DESC LIMIT ?)
       GROUP BY 1 ORDER BY 1`,
      expression,
      ...clause.values,
      MAX_COUNTED,
    )
    return { items, partial: items.reduce((sum, { hits }) => sum + hits, 0) >= MAX_COUNTED }
  } catch (error) {
    if (error instanceof OverBudget) return { items: [], partial: true }
    throw error
  }
}
