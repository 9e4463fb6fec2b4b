import type { Json, JsonObject } from '../../../shared/event.ts'
import { flag, type Projection } from './projection.ts'
import { collectStrings } from './tool-texts.ts'

const MAX_ERROR_CHARACTERS = 2000

/** Results of tools; the duration is a hook's where one measured it. */
export const toolResults: Projection = {
  name: 'tool_results',
  tables: ['tool_results'],
  open({ prepare, columnJson }) {
    const insert = prepare(
      `INSERT INTO tool_results (id, event_uuid, call_id, session_id, timestamp, turn_id, output_json, duration_ms, success, rejected, error)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    // The first hook's duration holds; another source's only fills a gap.
    const measure = prepare<[number, number]>('UPDATE tool_results SET duration_ms = ? WHERE id = ?')
    const reject = prepare<[number]>('UPDATE tool_results SET rejected = 1 WHERE id = ?')
    return {
      apply(event) {
        if (event.kind !== 'tool_result') return
        const { call_id, output, is_error, rejected } = event.payload
        const success = is_error || rejected ? false : (event.success ?? true)
        insert.run(
          event.id,
          event.uuid,
          call_id,
          event.session_id,
          event.ts_wall,
          event.turn_id,
          columnJson(output),
          event.duration_ms,
          flag(success),
          Number(rejected),
          event.error_message ?? (success ? null : firstText(output)),
        )
      },
      applySighting(event, sighting, before) {
        if (event.kind !== 'tool_result') return
        const duration = durationOf(sighting.payload)
        const hookBefore = event.duration_ms !== null && event.source === 'hook' ? true : before.some(measuredByHook)
        const knownBefore = event.duration_ms !== null || before.some(({ payload }) => durationOf(payload) !== null)
        if (duration !== null && (sighting.source === 'hook' ? !hookBefore : !knownBefore))
          measure.run(duration, event.id)
        if (sighting.payload?.rejected === true) reject.run(event.id)
      },
    }
  },
}

const measuredByHook = (sighting: { source: string; payload: JsonObject | null }) =>
  sighting.source === 'hook' && durationOf(sighting.payload) !== null

function durationOf(payload: JsonObject | null): number | null {
  return typeof payload?.duration_ms === 'number' ? payload.duration_ms : null
}

function firstText(output: Json): string | null {
  const parts: string[] = []
  collectStrings(output, parts)
  return parts[0] === undefined ? null : parts[0].slice(0, MAX_ERROR_CHARACTERS).toWellFormed()
}
