import type { AspyEvent, Json } from '../../../shared/event.ts'
import { settled } from '../identity/settled.ts'
import { flag, type Projection } from './projection.ts'
import { collectStrings } from './tool-texts.ts'

const MAX_ERROR_CHARACTERS = 2000

/**
 * Results of tools, each with the best values of its sources; the duration is the hook's measurement if there is one.
 */
export const toolResults: Projection = {
  name: 'tool_results',
  define: (t, own) => [
    `CREATE TABLE ${t.tool_results} (
  id          INTEGER PRIMARY KEY,
  event_uuid  TEXT    NOT NULL,
  call_id     TEXT    NOT NULL,
  session_id  TEXT    NOT NULL,
  timestamp   TEXT    NOT NULL,
  turn_id     INTEGER NOT NULL,
  output_json TEXT    NOT NULL,
  duration_ms REAL,
  success     INTEGER,
  rejected    INTEGER NOT NULL DEFAULT 0,
  error       TEXT,
  tool_name   TEXT -- null: not known
) STRICT`,
    `CREATE INDEX ${own('tool_results_by_call')} ON ${t.tool_results} (call_id)`,
    `CREATE INDEX ${own('tool_results_by_duration')} ON ${t.tool_results} (duration_ms, id) WHERE duration_ms IS NOT NULL`,
    `CREATE INDEX ${own('tool_results_by_tool')} ON ${t.tool_results} (tool_name, timestamp, id, duration_ms, success, rejected)`,
    `CREATE INDEX ${own('tool_results_failed')} ON ${t.tool_results} (session_id, timestamp, id) WHERE success = 0 AND rejected = 0`,
    `CREATE TRIGGER ${own('tool_results_bu')} BEFORE UPDATE OF timestamp, output_json ON ${t.tool_results} WHEN new.timestamp <> old.timestamp OR new.output_json <> old.output_json BEGIN INSERT INTO ${t.tools_fts} (${t.tools_fts}, rowid, content, timestamp) SELECT 'delete', t.id, t.content, t.timestamp FROM ${t.tool_texts} t WHERE t.id = old.id; END`,
    `CREATE TRIGGER ${own('tool_results_au')} AFTER UPDATE OF timestamp, output_json ON ${t.tool_results} WHEN new.timestamp <> old.timestamp OR new.output_json <> old.output_json BEGIN INSERT INTO ${t.tools_fts} (rowid, content, timestamp) SELECT t.id, t.content, t.timestamp FROM ${t.tool_texts} t WHERE t.id = new.id; END`,
    `CREATE TRIGGER ${own('tool_results_bd')} BEFORE DELETE ON ${t.tool_results} BEGIN INSERT INTO ${t.tools_fts} (${t.tools_fts}, rowid, content, timestamp) SELECT 'delete', t.id, t.content, t.timestamp FROM ${t.tool_texts} t WHERE t.id = old.id; END`,
    `CREATE TRIGGER ${own('tool_results_ad')} AFTER DELETE ON ${t.tool_results} BEGIN DELETE FROM ${t.long_tool_texts} WHERE id = old.id; END`,
  ],
  open({ prepare, tables: t, columnJson, calledTool }) {
    const insert = prepare(
      `INSERT INTO ${t.tool_results} (id, event_uuid, call_id, session_id, timestamp, turn_id, output_json, duration_ms, success, rejected, error,
         tool_name)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    const correct = prepare(
      `UPDATE ${t.tool_results} SET output_json = ?, duration_ms = ?, success = ?, rejected = ?, error = ? WHERE id = ?`,
    )
    const unname = prepare<[number]>(`UPDATE ${t.tool_results} SET tool_name = NULL WHERE id = ?`)
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
