import type { AnyEvent } from '../../../shared/event.ts'
import { TABLES, type ToolSum } from '../tables.ts'
import type { Fact } from './fact.ts'
import type { Projection } from './projection.ts'
import { createSums } from './sums.ts'

type Key = readonly [day: string, project: string, tool: string]

/** Totals by day (UTC), project and tool, and over all time, so that the summary does not count call by call. */
export const toolRollups: Projection = {
  name: 'tool_rollups',
  define: (t) => [
    `CREATE TABLE ${t.tool_rollups} (
  day         TEXT    NOT NULL, -- UTC
  project     TEXT    NOT NULL, -- '' where unknown
  tool_name   TEXT    NOT NULL,
  calls       INTEGER NOT NULL DEFAULT 0,
  succeeded   INTEGER NOT NULL DEFAULT 0,
  failed      INTEGER NOT NULL DEFAULT 0,
  timed       INTEGER NOT NULL DEFAULT 0, -- results with a duration
  duration_ms REAL    NOT NULL DEFAULT 0, rejected INTEGER NOT NULL DEFAULT 0, -- their total
  PRIMARY KEY (day, project, tool_name)
) STRICT, WITHOUT ROWID`,
    `CREATE TABLE ${t.tool_totals} (
  project     TEXT    NOT NULL, -- '' where unknown
  tool_name   TEXT    NOT NULL,
  calls       INTEGER NOT NULL DEFAULT 0,
  succeeded   INTEGER NOT NULL DEFAULT 0,
  failed      INTEGER NOT NULL DEFAULT 0,
  timed       INTEGER NOT NULL DEFAULT 0, -- results with a duration
  duration_ms REAL    NOT NULL DEFAULT 0, -- their total
  rejected    INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (project, tool_name)
) STRICT, WITHOUT ROWID`,
  ],
  open({ prepare, tables: t }) {
    const sums = createSums<Key, ToolSum>(prepare, [
      { table: t.tool_rollups, sums: TABLES.tool_rollups.sums, keyOf: (key) => key },
      { table: t.tool_totals, sums: TABLES.tool_totals.sums, keyOf: ([, ...rest]) => rest },
    ])
    const add = (event: AnyEvent, fact: Fact | null, sign: 1 | -1) => {
      if (fact === null || fact.tool === null) return
      // '' for events that only have the time of their file: they count in totals and in no range.
      const day = fact.isUndated ? '' : event.ts_wall.slice(0, 10)
      sums.add([day, event.project ?? '', fact.tool.name], fact.tool, sign)
    }
    return {
      change(event, was, is) {
        add(event, was, -1)
        add(event, is, 1)
      },
      flush: sums.flush,
      discard: sums.discard,
    }
  },
}
