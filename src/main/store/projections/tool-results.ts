import { firstCharacters } from '../../../shared/cut-text.ts'
import type { AspyEvent, Json } from '../../../shared/event.ts'
import { settled } from '../identity/settled.ts'
import type { Sighting } from '../log/log.ts'
import { createCallToResult } from './call-to-result.ts'
import { flag, type Projection } from './projection.ts'
import { collectStrings } from './tool-texts.ts'

const MAX_ERROR_CHARACTERS = 2000

/**
 * Results of tools, each with the best values of its sources; the duration is the hook's measurement if there is one, or
 * else the time from the call to its result, as an upper bound. `tool_results` is a view, as `tool_calls` is.
 */
export const toolResults: Projection = {
  name: 'tool_results',
  define: (t, own) => [
    `CREATE VIEW ${t.tool_results} AS
SELECT r.event_id AS id, e.uuid AS event_uuid, r.call_id, e.session_id, r.timestamp, e.turn_id,
       CAST(coalesce(r.output_json, e.payload -> '$.output', 'null') AS TEXT) AS output_json,
       r.duration_ms, r.success, r.rejected, r.error, r.tool_name, r.upper_bound
FROM ${t.tool_result_rows} r JOIN events e ON e.id = r.event_id`,
    `CREATE TRIGGER ${own('tool_results_delete')} INSTEAD OF DELETE ON ${t.tool_results} BEGIN DELETE FROM ${t.tool_result_rows} WHERE event_id = old.id; END`,
    `CREATE TRIGGER ${own('tool_results_bu')} BEFORE UPDATE OF timestamp, output_json ON ${t.tool_result_rows} WHEN new.timestamp <> old.timestamp OR new.output_json IS NOT old.output_json BEGIN INSERT INTO ${t.tools_fts} (${t.tools_fts}, rowid, content, timestamp) SELECT 'delete', t.id, t.content, t.timestamp FROM ${t.tool_texts} t WHERE t.id = old.event_id; END`,
    `CREATE TRIGGER ${own('tool_results_au')} AFTER UPDATE OF timestamp, output_json ON ${t.tool_result_rows} WHEN new.timestamp <> old.timestamp OR new.output_json IS NOT old.output_json BEGIN INSERT INTO ${t.tools_fts} (rowid, content, timestamp) SELECT t.id, t.content, t.timestamp FROM ${t.tool_texts} t WHERE t.id = new.event_id; END`,
    `CREATE TRIGGER ${own('tool_results_bd')} BEFORE DELETE ON ${t.tool_result_rows} BEGIN INSERT INTO ${t.tools_fts} (${t.tools_fts}, rowid, content, timestamp) SELECT 'delete', t.id, t.content, t.timestamp FROM ${t.tool_texts} t WHERE t.id = old.event_id; END`,
    `CREATE TRIGGER ${own('tool_results_ad')} AFTER DELETE ON ${t.tool_result_rows} BEGIN DELETE FROM ${t.long_tool_texts} WHERE id = old.event_id; END`,
  ],
  open({ prepare, prepareLog, tables: t, columnJson, isInline, calledTool }) {
    const insert = prepare(
      `INSERT INTO ${t.tool_result_rows} (event_id, call_id, timestamp, output_json, duration_ms, upper_bound, success, rejected, error, tool_name)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    const correct = prepare(
      `UPDATE ${t.tool_result_rows} SET output_json = ?, duration_ms = ?, upper_bound = ?, success = ?, rejected = ?, error = ? WHERE event_id = ?`,
    )
    const unbound = 'duration_ms = iif(upper_bound, NULL, duration_ms), upper_bound = 0'
    const unname = prepare<[number]>(`UPDATE ${t.tool_result_rows} SET tool_name = NULL, ${unbound} WHERE event_id = ?`)
    const untime = prepare<[number]>(
      `UPDATE ${t.tool_result_rows} SET ${unbound} WHERE event_id = ? AND upper_bound = 1`,
    )
    const { between, togetherWith } = createCallToResult(prepareLog)
    const outcome = (event: AspyEvent<'tool_result'>, sightings: readonly Sighting[]) => {
      const { output, digest, is_error: isError, rejected } = event.payload
      const success = isError || rejected ? false : (event.success ?? true)
      const error = event.error_message ?? (success ? null : firstText(output ?? digest ?? null))
      const bound = event.duration_ms === null ? between(event, sightings) : null
      return [event.duration_ms ?? bound, Number(bound !== null), flag(success), Number(rejected), error]
    }
    return {
      apply(event) {
        if (event.kind !== 'tool_result') return
        const { id, ts_wall, payload } = event
        const json = isInline(event) ? null : columnJson(payload.output, payload)
        // As first reported: no later sighting moves a result to another tool.
        const tool = calledTool(event) || null
        insert.run(id, payload.call_id, ts_wall, json, ...outcome(event, []), tool)
        for (const earlier of togetherWith(event)) untime.run(earlier)
      },
      applySighting(event, sighting, before) {
        if (event.kind !== 'tool_result') return
        const sightings = [...before, sighting]
        const better = settled(event, sightings)
        const json = columnJson(better.payload.output, better.payload)
        const isOwn = isInline(event) && json === columnJson(event.payload.output, event.payload)
        correct.run(isOwn ? null : json, ...outcome(better, sightings), event.id)
      },
      loseCall: (resultId) => void unname.run(resultId),
    }
  },
}

function firstText(output: Json): string | null {
  const parts: string[] = []
  collectStrings(output, parts)
  return parts[0] === undefined ? null : firstCharacters(parts[0], MAX_ERROR_CHARACTERS)
}
