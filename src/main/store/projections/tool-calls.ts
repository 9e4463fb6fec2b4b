import { settled } from '../identity/settled.ts'
import type { Projection } from './projection.ts'

/**
 * Tool calls. `parent_event_uuid` is the parent known on arrival; the view `lineage` includes parents that arrived
 * later.
 */
export const toolCalls: Projection = {
  name: 'tool_calls',
  define: (t, own) => [
    `CREATE TABLE ${t.tool_calls} (
  id                INTEGER PRIMARY KEY,
  event_uuid        TEXT    NOT NULL,
  call_id           TEXT    NOT NULL,
  session_id        TEXT    NOT NULL,
  turn_id           INTEGER NOT NULL,
  agent_id          TEXT,
  timestamp         TEXT    NOT NULL,
  tool_name         TEXT    NOT NULL,
  input_json        TEXT    NOT NULL,
  parent_event_uuid TEXT
) STRICT`,
    `CREATE INDEX ${own('tool_calls_by_call')} ON ${t.tool_calls} (call_id)`,
    `CREATE INDEX ${own('tool_calls_by_tool')} ON ${t.tool_calls} (tool_name, timestamp, id)`,
    `CREATE INDEX ${own('tool_calls_of_agents')} ON ${t.tool_calls} (session_id, timestamp, id, agent_id) WHERE agent_id IS NOT NULL`,
    `CREATE TRIGGER ${own('tool_calls_bu')} BEFORE UPDATE OF timestamp, tool_name, input_json ON ${t.tool_calls} WHEN new.timestamp <> old.timestamp OR new.tool_name <> old.tool_name OR new.input_json <> old.input_json BEGIN INSERT INTO ${t.tools_fts} (${t.tools_fts}, rowid, content, timestamp) SELECT 'delete', t.id, t.content, t.timestamp FROM ${t.tool_texts} t WHERE t.id = old.id; END`,
    `CREATE TRIGGER ${own('tool_calls_au')} AFTER UPDATE OF timestamp, tool_name, input_json ON ${t.tool_calls} WHEN new.timestamp <> old.timestamp OR new.tool_name <> old.tool_name OR new.input_json <> old.input_json BEGIN INSERT INTO ${t.tools_fts} (rowid, content, timestamp) SELECT t.id, t.content, t.timestamp FROM ${t.tool_texts} t WHERE t.id = new.id; END`,
    `CREATE TRIGGER ${own('tool_calls_bd')} BEFORE DELETE ON ${t.tool_calls} BEGIN INSERT INTO ${t.tools_fts} (${t.tools_fts}, rowid, content, timestamp) SELECT 'delete', t.id, t.content, t.timestamp FROM ${t.tool_texts} t WHERE t.id = old.id; END`,
    `CREATE TRIGGER ${own('tool_calls_ad')} AFTER DELETE ON ${t.tool_calls} BEGIN DELETE FROM ${t.long_tool_texts} WHERE id = old.id; END`,
  ],
  open({ prepare, tables: t, columnJson }) {
    const insert = prepare(
      `INSERT INTO ${t.tool_calls} (id, event_uuid, call_id, session_id, turn_id, agent_id, timestamp, tool_name, input_json, parent_event_uuid)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    const correct = prepare(`UPDATE ${t.tool_calls} SET input_json = ? WHERE id = ?`)
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
