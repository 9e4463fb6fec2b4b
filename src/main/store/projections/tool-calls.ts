import { settled } from '../identity/settled.ts'
import { toolValue } from './column-json.ts'
import type { Projection } from './projection.ts'

/**
 * Tool calls. `parent_event_uuid` is the parent known on arrival; the view `lineage` includes parents that arrived
 * later. `tool_calls` is a view: a row has the columns that indexes need, and its JSON only if the event's payload does
 * not contain it in that form.
 */
export const toolCalls: Projection = {
  name: 'tool_calls',
  define: (t, own) => [
    `CREATE VIEW ${t.tool_calls} AS
SELECT c.event_id AS id, e.uuid AS event_uuid, c.call_id, e.session_id, e.turn_id, e.agent_id, c.timestamp, c.tool_name,
       CAST(coalesce(c.input_json, nullif(e.payload -> '$.input', 'null'), e.payload -> '$.digest', 'null') AS TEXT) AS input_json,
       e.parent_uuid AS parent_event_uuid
FROM ${t.tool_call_rows} c JOIN events e ON e.id = c.event_id`,
    `CREATE TRIGGER ${own('tool_calls_delete')} INSTEAD OF DELETE ON ${t.tool_calls} BEGIN DELETE FROM ${t.tool_call_rows} WHERE event_id = old.id; END`,
    `CREATE TRIGGER ${own('tool_calls_bu')} BEFORE UPDATE OF timestamp, tool_name, input_json ON ${t.tool_call_rows} WHEN new.timestamp <> old.timestamp OR new.tool_name <> old.tool_name OR new.input_json IS NOT old.input_json BEGIN INSERT INTO ${t.tools_fts} (${t.tools_fts}, rowid, content, timestamp) SELECT 'delete', t.id, t.content, t.timestamp FROM ${t.tool_texts} t WHERE t.id = old.event_id; END`,
    `CREATE TRIGGER ${own('tool_calls_au')} AFTER UPDATE OF timestamp, tool_name, input_json ON ${t.tool_call_rows} WHEN new.timestamp <> old.timestamp OR new.tool_name <> old.tool_name OR new.input_json IS NOT old.input_json BEGIN INSERT INTO ${t.tools_fts} (rowid, content, timestamp) SELECT t.id, t.content, t.timestamp FROM ${t.tool_texts} t WHERE t.id = new.event_id; END`,
    `CREATE TRIGGER ${own('tool_calls_bd')} BEFORE DELETE ON ${t.tool_call_rows} BEGIN INSERT INTO ${t.tools_fts} (${t.tools_fts}, rowid, content, timestamp) SELECT 'delete', t.id, t.content, t.timestamp FROM ${t.tool_texts} t WHERE t.id = old.event_id; END`,
    `CREATE TRIGGER ${own('tool_calls_ad')} AFTER DELETE ON ${t.tool_call_rows} BEGIN DELETE FROM ${t.long_tool_texts} WHERE id = old.event_id; END`,
  ],
  open({ prepare, tables: t, columnJson, isInline }) {
    const insert = prepare(
      `INSERT INTO ${t.tool_call_rows} (event_id, call_id, timestamp, tool_name, input_json) VALUES (?, ?, ?, ?, ?)`,
    )
    const correct = prepare(`UPDATE ${t.tool_call_rows} SET input_json = ? WHERE event_id = ?`)
    return {
      apply(event) {
        if (event.kind !== 'tool_call') return
        const { id, ts_wall, payload } = event
        const json = isInline(event) ? null : columnJson(toolValue(event), payload)
        insert.run(id, payload.call_id, ts_wall, payload.tool_name, json)
      },
      applySighting(event, sighting, before) {
        if (event.kind !== 'tool_call' || sighting.payload?.['input'] === undefined) return
        const { payload } = settled(event, [...before, sighting])
        const json = columnJson(payload.input, payload)
        const isOwn = isInline(event) && json === columnJson(toolValue(event), event.payload)
        correct.run(isOwn ? null : json, event.id)
      },
    }
  },
}
