import type { AnyEvent, AspyEvent } from '../../../shared/event.ts'
import { settled } from '../identity/settled.ts'
import type { Sighting } from '../log/log.ts'
import type { Projection } from './projection.ts'
import { isUndated } from './time-basis.ts'

/** Totals by day (UTC), project and tool, so that the summary does not count call by call. */
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
  ],
  open({ prepare, tables: t, calledTool }) {
    const upsert = prepare<[string, string, string, ...number[]]>(
      `INSERT INTO ${t.tool_rollups} (day, project, tool_name, calls, succeeded, failed, timed, duration_ms, rejected)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (day, project, tool_name) DO UPDATE SET calls = calls + excluded.calls, succeeded = succeeded + excluded.succeeded,
         failed = failed + excluded.failed, timed = timed + excluded.timed, duration_ms = duration_ms + excluded.duration_ms,
         rejected = rejected + excluded.rejected`,
    )
    const addCall = (event: AspyEvent<'tool_call'>, sightings: readonly Sighting[], sign: 1 | -1) =>
      upsert.run(dayOf(event, sightings), event.project ?? '', event.payload.tool_name, sign, 0, 0, 0, 0, 0)
    const count = (event: AspyEvent<'tool_result'>, sightings: readonly Sighting[], sign: 1 | -1) => {
      const { is_error: isError, rejected } = event.payload
      const success = isError || rejected ? false : (event.success ?? true)
      const duration = event.duration_ms
      upsert.run(
        dayOf(event, sightings),
        event.project ?? '',
        calledTool(event),
        0,
        sign * Number(success),
        sign * Number(!success),
        sign * Number(duration !== null),
        sign * (duration ?? 0),
        sign * Number(rejected),
      )
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
    }
  },
}

/** '' for events that only have the time of their file: they count in totals and in no range. */
const dayOf = (event: Pick<AnyEvent, 'source' | 'ts_wall'>, sightings: readonly Sighting[]): string =>
  isUndated(event, sightings) ? '' : event.ts_wall.slice(0, 10)

const outcomeOf = ({ payload, success, duration_ms }: AspyEvent<'tool_result'>): string =>
  JSON.stringify([payload.is_error, payload.rejected, success, duration_ms])
