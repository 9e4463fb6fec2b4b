import { settled } from '../identity/settled.ts'
import type { Projection } from './projection.ts'

/** Calls of tools; `parent_event_uuid` as known on arrival, `lineage` knows what came later. */
export const toolCalls: Projection = {
  name: 'tool_calls',
  tables: ['tool_calls'],
  open({ prepare, columnJson }) {
    const insert = prepare(
      `INSERT INTO tool_calls (id, event_uuid, call_id, session_id, turn_id, agent_id, timestamp, tool_name, input_json, parent_event_uuid)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    const correct = prepare('UPDATE tool_calls SET input_json = ? WHERE id = ?')
    return {
      apply(event) {
        if (event.kind !== 'tool_call') return
        const { id, uuid, session_id, turn_id, agent_id, ts_wall, parent_uuid, payload } = event
        const { call_id, tool_name, input, digest } = payload
        const json = columnJson(input ?? digest ?? null, payload)
        insert.run(id, uuid, call_id, session_id, turn_id, agent_id, ts_wall, tool_name, json, parent_uuid)
      },
      applySighting(event, sighting, before) {
        if (event.kind !== 'tool_call' || sighting.payload?.['input'] === undefined) return
        const { payload } = settled(event, [...before, sighting])
        correct.run(columnJson(payload.input, payload), event.id)
      },
    }
  },
}
