import type { Json, JsonObject } from '../../../shared/json.ts'
import type { EventRow } from '../log/log.ts'
import { EVENT_COLUMNS, eventsOf } from './events.ts'
import type { Reader } from './reader.ts'

/** A tool call that may have touched a file, with what is known of its result. */
export interface FileCall {
  readonly uuid: string
  readonly session_id: string
  readonly turn_id: number
  readonly agent_id: string | null
  /** When its result came, or the call if there is none. */
  readonly timestamp: string
  readonly toolName: string
  /** null: not stored. */
  readonly input: Json
  readonly output: Json
  readonly detail: Json | undefined
  readonly isSuccess: boolean | null
  readonly isRejected: boolean
  readonly folder: string | null
}

/** Bounds the calls that are read, the newest first. */
const MAX_CALLS = 20_000
const MAX_MENTIONS = 5000
const CALLS_AT_ONCE = 500

/**
 * Returns the calls that may have touched a file of one of these names, oldest first: of sessions in a folder above the
 * path, and of those that name it. A call for another file is left out.
 */
export function fileCalls(
  reader: Reader,
  path: string,
  names: readonly string[],
): { readonly calls: FileCall[]; readonly isCut: boolean } {
  const sessions = sessionsAround(reader, path, names)
  const rows = reader.inTime<EventRow>(
    `SELECT ${EVENT_COLUMNS} FROM json_each(?) s CROSS JOIN events e ON e.session_id = s.value
     WHERE aspy_in_time() AND e.kind = 'tool_call' AND (instr(e.payload, '"file_path"') = 0
       OR EXISTS (SELECT 1 FROM json_each(?) n WHERE instr(e.payload, n.value) > 0))
     ORDER BY e.ts_wall DESC, e.id DESC LIMIT ${MAX_CALLS}`,
    JSON.stringify(sessions),
    JSON.stringify(names),
  )
  const calls: FileCall[] = []
  for (let at = 0; at < rows.length; at += CALLS_AT_ONCE)
    calls.push(...withResults(reader, rows.slice(at, at + CALLS_AT_ONCE)))
  const isCut = rows.isCut === true || rows.length === MAX_CALLS
  // Calls that ended at the same time stay in the order in which they began.
  return {
    calls: calls.toReversed().sort((a, b) => (a.timestamp < b.timestamp ? -1 : Number(a.timestamp > b.timestamp))),
    isCut,
  }
}

function sessionsAround(reader: Reader, path: string, names: readonly string[]): string[] {
  const inFolder = reader.all<{ id: string }>(
    `SELECT id FROM sessions WHERE project IS NOT NULL
       AND substr(?, 1, length(project) + 1) = rtrim(replace(project, '\\', '/'), '/') || '/'`,
    path,
  )
  const named = names.flatMap((name) =>
    reader.all<{ id: string }>(
      `SELECT DISTINCT e.session_id AS id FROM
         (SELECT rowid FROM tools_fts WHERE tools_fts MATCH ? ORDER BY rowid DESC LIMIT ${MAX_MENTIONS}) f
       CROSS JOIN events e ON e.id = f.rowid`,
      `"${name.replaceAll('"', ' ')}"`,
    ),
  )
  return [...new Set([...inFolder, ...named].map(({ id }) => id))]
}

function withResults(reader: Reader, rows: readonly EventRow[]): FileCall[] {
  const toCall = eventsOf(reader, rows)
  const calls = rows.map((row) => toCall(row))
  const ids = calls.map(({ payload }) => (payload as JsonObject)['call_id'])
  const results = reader.all<EventRow>(
    `SELECT ${EVENT_COLUMNS} FROM json_each(?) c CROSS JOIN tool_result_rows r ON r.call_id = c.value
     CROSS JOIN events e ON e.id = r.event_id ORDER BY e.id DESC`,
    JSON.stringify(ids),
  )
  const toResult = eventsOf(reader, results)
  const byCall = new Map(
    results.map((row) => toResult(row)).map((event) => [(event.payload as JsonObject)['call_id'], event]),
  )
  return calls.map((call, at) => {
    const result = byCall.get(ids[at])
    const asked = call.payload as JsonObject
    const told = (result?.payload ?? {}) as JsonObject
    return {
      uuid: call.uuid,
      session_id: call.session_id,
      turn_id: call.turn_id,
      agent_id: call.agent_id,
      timestamp: result?.ts_wall ?? call.ts_wall,
      toolName: typeof asked['tool_name'] === 'string' ? asked['tool_name'] : '',
      input: asked['input'] ?? null,
      output: told['output'] ?? null,
      detail: told['detail'],
      isSuccess: result === undefined ? null : told['is_error'] !== true && result.success !== false,
      isRejected: told['rejected'] === true,
      folder: call.project,
    }
  })
}
