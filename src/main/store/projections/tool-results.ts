import type { AspyEvent, Json } from '../../../shared/event.ts'
import { settled } from '../identity/settled.ts'
import { flag, type Projection } from './projection.ts'
import { collectStrings } from './tool-texts.ts'

const MAX_ERROR_CHARACTERS = 2000

/** Results of tools, each from the best of those who saw it; the duration is a hook's where one measured it. */
export const toolResults: Projection = {
  name: 'tool_results',
  tables: ['tool_results'],
  open({ prepare, columnJson, calledTool }) {
    const insert = prepare(
      `INSERT INTO tool_results (id, event_uuid, call_id, session_id, timestamp, turn_id, output_json, duration_ms, success, rejected, error,
         tool_name)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    const correct = prepare(
      'UPDATE tool_results SET output_json = ?, duration_ms = ?, success = ?, rejected = ?, error = ? WHERE id = ?',
    )
    const unname = prepare<[number]>('UPDATE tool_results SET tool_name = NULL WHERE id = ?')
    const columns = (event: AspyEvent<'tool_result'>) => {
      const { output, digest, is_error: isError, rejected } = event.payload
      const success = isError || rejected ? false : (event.success ?? true)
      const error = event.error_message ?? (success ? null : firstText(output ?? digest ?? null))
      return [columnJson(output, event.payload), event.duration_ms, flag(success), Number(rejected), error]
    }
    return {
      apply(event) {
        if (event.kind !== 'tool_result') return
        const { id, uuid, session_id, ts_wall, turn_id, payload } = event
        // As it was first told: no later sighting moves a result to another tool.
        const tool = calledTool(event) || null
        insert.run(id, uuid, payload.call_id, session_id, ts_wall, turn_id, ...columns(event), tool)
      },
      applySighting(event, sighting, before) {
        if (event.kind !== 'tool_result' || sighting.payload === null) return
        correct.run(...columns(settled(event, [...before, sighting])), event.id)
      },
      loseCall: (resultId) => void unname.run(resultId),
    }
  },
}

function firstText(output: Json): string | null {
  const parts: string[] = []
  collectStrings(output, parts)
  return parts[0] === undefined ? null : parts[0].slice(0, MAX_ERROR_CHARACTERS).toWellFormed()
}
