import type { AnyEvent } from '../../../shared/event.ts'
import type { ToolSum } from '../schema/usage-tables.ts'
import { TABLES } from '../tables.ts'
import type { Fact } from './fact.ts'
import type { Projection } from './projection.ts'
import { createSums } from './sums.ts'

type Key = readonly [day: string, project: string, tool: string]

/** Totals by day (UTC), project and tool, and over all time, so that the summary does not count call by call. */
export const toolRollups: Projection = {
  name: 'tool_rollups',
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
