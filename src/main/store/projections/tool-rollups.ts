import type { AspyEvent } from '../../../shared/event.ts'
import type { ReadableDb } from '../connection.ts'
import { contentReader } from '../contents.ts'
import type { Sighting } from '../log.ts'
import { unpackPayload } from '../payload.ts'
import type { Projection } from './projection.ts'

/** Totals by day (UTC), project and tool: what the summary would otherwise have to count call by call. */
export const toolRollups: Projection = {
  name: 'tool_rollups',
  tables: ['tool_rollups'],
  open({ prepare }) {
    const upsert = prepare<[string, string, string, number, number, number, number, number]>(
      `INSERT INTO tool_rollups (day, project, tool_name, calls, succeeded, failed, timed, duration_ms)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (day, project, tool_name) DO UPDATE SET calls = calls + excluded.calls, succeeded = succeeded + excluded.succeeded,
         failed = failed + excluded.failed, timed = timed + excluded.timed, duration_ms = duration_ms + excluded.duration_ms`,
    )
    const callOf = prepare<[string], { payload: string }>(
      'SELECT e.payload FROM event_keys k JOIN events e ON e.uuid = k.uuid WHERE k.key = ?',
    )
    const fetch = contentReader({ prepare } as Pick<ReadableDb, 'prepare'>)

    function toolOf({ payload }: AspyEvent<'tool_result'>): string {
      if (payload.tool_name !== null) return payload.tool_name
      const row = callOf.get(`call:${payload.call_id}`)
      const name = row === undefined ? undefined : unpackPayload(row.payload, fetch)['tool_name']
      return typeof name === 'string' ? name : ''
    }

    return {
      apply(event) {
        const day = event.ts_wall.slice(0, 10)
        const project = event.project ?? ''
        if (event.kind === 'tool_call') upsert.run(day, project, event.payload.tool_name, 1, 0, 0, 0, 0)
        if (event.kind !== 'tool_result') return
        const { is_error: isError, rejected } = event.payload
        const success = isError || rejected ? false : (event.success ?? true)
        const duration = durationOf(event, [])
        upsert.run(
          day,
          project,
          toolOf(event),
          0,
          Number(success),
          Number(!success),
          Number(duration !== null),
          duration ?? 0,
        )
      },
      applySighting(event, sighting, before) {
        if (event.kind !== 'tool_result') return
        const known = durationOf(event, before)
        const better = durationOf(event, [...before, sighting])
        if (better === null || better === known) return
        const timed = known === null ? 1 : 0
        upsert.run(
          event.ts_wall.slice(0, 10),
          event.project ?? '',
          toolOf(event),
          0,
          0,
          0,
          timed,
          better - (known ?? 0),
        )
      },
    }
  },
}

/** The first hook's measure, else the first that any source gave. */
function durationOf(event: AspyEvent<'tool_result'>, sightings: readonly Sighting[]): number | null {
  const known = [
    { source: event.source, duration: event.duration_ms },
    ...sightings.map(({ source, payload }) => ({
      source,
      duration: typeof payload?.['duration_ms'] === 'number' ? payload['duration_ms'] : null,
    })),
  ].filter(({ duration }) => duration !== null)
  return (known.find(({ source }) => source === 'hook') ?? known[0])?.duration ?? null
}
