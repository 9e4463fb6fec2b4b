import { TOKEN_PARTS, USD_PARTS, WEEK_MS } from '../projections/carry-weeks.ts'
import type { CarryBy, CarryGroupRow, CarryRange } from './carry.ts'
import { where } from './page.ts'
import type { Reader } from './reader.ts'

/** The groups in the sums by week: their table, and their key there. */
const WEEK_KEYS: Readonly<Partial<Record<CarryBy, readonly [table: string, key: string]>>> = {
  kind: ['carry_weeks', 'kind'],
  tool: ['carry_weeks', "nullif(tool, '')"],
  mcp_server: ['carry_weeks', "nullif(server, '')"],
  mcp_definition: ['carry_weeks', 'tool'],
  file: ['carry_week_files', "nullif(name, '')"],
}

/** A condition for a line `line`: its week is not among those in a JSON list, or it is not in the sums. */
export const OUTSIDE_WEEKS = `line.line_id IN (
  SELECT line_id FROM carry_active UNION ALL
  SELECT line_id FROM carry_lines WHERE first_at / ${WEEK_MS} NOT IN (SELECT value FROM json_each(?)))`

const SUMS = `sum(blocks) AS blocks, sum(bytes) AS bytes, sum(requests) AS requests,
  ${['read', 'written', 'uncached']
    .flatMap((name) => [
      `total(${name}_tokens) / ${TOKEN_PARTS} AS ${name}_tokens`,
      `total(${name}_usd) / ${USD_PARTS}.0 AS ${name}_usd`,
    ])
    .join(', ')}`

/**
 * Returns the weeks whose lines are all entirely in the range, with their sums; null if the sums cannot answer the
 * question. Lines that are left out of the sums must be added.
 */
export function sumsByWeek(
  reader: Reader,
  by: CarryBy,
  { since, until, project, session_id }: CarryRange,
): { readonly rows: CarryGroupRow[]; readonly counted: readonly number[] } | null {
  const [table, key] = WEEK_KEYS[by] ?? []
  if (table === undefined || project !== undefined || session_id !== undefined) return null
  const counted = weeksBetween(
    reader,
    since === undefined ? Number.MIN_SAFE_INTEGER : Date.parse(since),
    until === undefined ? Number.MAX_SAFE_INTEGER : Date.parse(until),
  )
  const filter = where()
  filter.add('week IN (SELECT value FROM json_each(?))', JSON.stringify(counted))
  if (by === 'mcp_definition') filter.add("kind = 'tool_schema' AND server <> ''")
  // A session is named only for groups that belong to one.
  const rows = reader.all<CarryGroupRow>(
    `SELECT ${key} AS key, '' AS in_session, ${SUMS} FROM ${table} ${filter.sql} GROUP BY 1`,
    ...filter.values,
  )
  return { rows, counted }
}

/** Returns the weeks that begin in a span and whose lines have no request after it. */
function weeksBetween(reader: Reader, from: number, to: number): readonly number[] {
  const weeks = reader
    .all<{ week: number }>('SELECT DISTINCT week FROM carry_weeks WHERE week >= ?', Math.ceil(from / WEEK_MS))
    .map(({ week }) => week)
  if (to === Number.MAX_SAFE_INTEGER) return weeks
  const late = new Set(
    reader
      .all<{ week: number }>(`SELECT DISTINCT first_at / ${WEEK_MS} AS week FROM carry_lines WHERE last_at >= ?`, to)
      .map(({ week }) => week),
  )
  return weeks.filter((week) => !late.has(week))
}
