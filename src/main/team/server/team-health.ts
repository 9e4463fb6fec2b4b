import type { Sql } from '../store/connection.ts'
import { onDatabase } from '../store/database-error.ts'

/** State of a team's server and store. Days are counted to the end of the last partition. */
export interface TeamHealth {
  readonly status: 'ok' | 'warning'
  readonly partition_days: number
  readonly misplaced_events: number
  readonly warnings: readonly string[]
}

const WARN_DAYS = 60

/** Reads the state of the store. Throws `store_unavailable`. */
export async function readHealth(sql: Sql): Promise<TeamHealth> {
  return onDatabase(async () => {
    const [months] = await sql<
      { days: number | null }[]
    >`SELECT max((regexp_match(pg_get_expr(c.relpartbound, c.oid), 'TO \\(''([0-9-]+)''\\)'))[1]::date) - current_date AS days
      FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = to_regclass('events')`
    const [other] = await sql<
      { n: number }[]
    >`SELECT count(*)::int AS n FROM (SELECT 1 FROM events_other LIMIT 10000) o`
    const days = months?.days ?? 0
    const warnings = [
      ...(days < WARN_DAYS
        ? [`Partitions end in ${days} days. Run SELECT aspy_add_months(24) in the database, or aspy team upgrade.`]
        : []),
      ...((other?.n ?? 0) > 0
        ? [
            `${other?.n} events have impossible times, or times before the first partition; check the clocks of the laptops.`,
          ]
        : []),
    ]
    return {
      status: days < WARN_DAYS ? 'warning' : 'ok',
      partition_days: days,
      misplaced_events: other?.n ?? 0,
      warnings,
    }
  })
}
