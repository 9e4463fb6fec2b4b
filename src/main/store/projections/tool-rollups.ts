import type { AnyEvent, AspyEvent } from '../../../shared/event.ts'
import { settled } from '../identity/settled.ts'
import type { Sighting } from '../log/log.ts'
import { TABLES, type ToolSum } from '../tables.ts'
import type { Projection } from './projection.ts'
import { createSums } from './sums.ts'
import { isUndated } from './time-basis.ts'

type Key = readonly [day: string, project: string, tool: string]

/**
 * Durations are rounded to this part of a millisecond. Doubles on such a grid add up exactly (up to four years), so a
 * total does not depend on how its parts were grouped, and a rebuild produces the same bits.
 */
const GRID_MS = 2 ** -16

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
  open({ prepare, tables: t, calledTool }) {
    const sums = createSums<Key, ToolSum>(prepare, [
      { table: t.tool_rollups, sums: TABLES.tool_rollups.sums, keyOf: (key) => key },
      { table: t.tool_totals, sums: TABLES.tool_totals.sums, keyOf: ([, ...rest]) => rest },
    ])
    const addCall = (event: AspyEvent<'tool_call'>, sightings: readonly Sighting[], sign: 1 | -1) =>
      sums.add([dayOf(event, sightings), event.project ?? '', event.payload.tool_name], { calls: 1 }, sign)
    const count = (event: AspyEvent<'tool_result'>, sightings: readonly Sighting[], sign: 1 | -1) => {
      const { is_error: isError, rejected } = event.payload
      const success = isError || rejected ? false : (event.success ?? true)
      const duration = event.duration_ms
      const counts = {
        succeeded: Number(success),
        failed: Number(!success),
        timed: Number(duration !== null),
        duration_ms: Math.round((duration ?? 0) / GRID_MS) * GRID_MS,
        rejected: Number(rejected),
      }
      sums.add([dayOf(event, sightings), event.project ?? '', calledTool(event)], counts, sign)
    }

    return {
      apply(event) {
        if (event.kind === 'tool_call') addCall(event, [], 1)
        if (event.kind === 'tool_result') count(event, [], 1)
      },
      applySighting(event, sighting, before) {
        // Only now is it known that the event has no time of its own.
        const isNowUndated = before.length === 0 && isUndated(event, [sighting])
        if (event.kind === 'tool_call' && isNowUndated) {
          addCall(event, [], -1)
          addCall(event, [sighting], 1)
        }
        if (event.kind !== 'tool_result' || sighting.payload === null) return
        // Uses the name under which the call was counted: that of its first sighting.
        const after = [...before, sighting]
        const counted = settled(event, before)
        const better = settled(event, after)
        if (outcomeOf(counted) === outcomeOf(better) && !isNowUndated) return
        const named = { ...better, payload: { ...better.payload, tool_name: event.payload.tool_name } }
        count({ ...counted, payload: { ...counted.payload, tool_name: event.payload.tool_name } }, before, -1)
        count(named, after, 1)
      },
      flush: sums.flush,
      discard: sums.discard,
    }
  },
}

/** '' for events that only have the time of their file: they count in totals and in no range. */
const dayOf = (event: Pick<AnyEvent, 'source' | 'ts_wall'>, sightings: readonly Sighting[]): string =>
  isUndated(event, sightings) ? '' : event.ts_wall.slice(0, 10)

const outcomeOf = ({ payload, success, duration_ms }: AspyEvent<'tool_result'>): string =>
  JSON.stringify([payload.is_error, payload.rejected, success, duration_ms])
