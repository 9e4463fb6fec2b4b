import { fromCursor } from '../../listings/cursor.ts'
import { toPage, where } from './page.ts'
import { toFlag } from './events.ts'
import type { Reader } from './reader.ts'

interface ToolRow {
  readonly id: number
  readonly uuid: string
  readonly session_id: string
  readonly turn_id: number
  readonly timestamp: string
  readonly tool_name: string
  readonly input_summary: string
  readonly duration_ms: number | null
  readonly success: number | null
  readonly rejected: number | null
}

/** Lists tool calls, newest first, each with the outcome of its result. */
export function listTools(
  reader: Reader,
  options: {
    tool_name?: string
    session_id?: string
    project?: string
    since?: string
    failed?: boolean
    client?: string
    limit: number
    cursor?: string
  },
) {
  const filter = where()
  // Calls of one tool have an index; those of a session, or of all sessions, are read in the order of the log's index.
  const isOfTool = options.tool_name !== undefined && options.session_id === undefined
  const from = isOfTool
    ? 'tool_call_rows r CROSS JOIN tool_calls c ON c.id = r.event_id'
    : 'events e CROSS JOIN tool_calls c ON c.id = e.id'
  const [time, id] = isOfTool ? ['r.timestamp', 'r.event_id'] : ['e.ts_wall', 'e.id']
  if (options.session_id !== undefined) filter.add('aspy_in_time() AND e.session_id = ?', options.session_id)
  else if (!isOfTool) filter.add("e.kind = 'tool_call'")
  if (options.tool_name !== undefined) filter.add(isOfTool ? 'r.tool_name = ?' : 'c.tool_name = ?', options.tool_name)
  if (options.project !== undefined) {
    filter.add('(SELECT p.project FROM events p WHERE p.id = c.id) = ?', options.project)
  }
  if (options.since !== undefined) filter.add(`${time} >= ?`, options.since)
  if (options.client !== undefined)
    filter.add('aspy_in_time() AND (SELECT s.client FROM sessions s WHERE s.id = c.session_id) = ?', options.client)
  if (options.failed === true)
    filter.add(
      'aspy_in_time() AND (SELECT o.success = 0 AND o.rejected = 0 FROM tool_result_rows o WHERE o.call_id = c.call_id ORDER BY o.event_id LIMIT 1) = 1',
    )
  if (options.cursor !== undefined)
    filter.add(`(${time}, ${id}) < (?, ?)`, ...fromCursor(options.cursor, ['string', 'number']))
  const rows = reader.inTime<ToolRow>(
    `SELECT c.id, c.event_uuid AS uuid, c.session_id, c.turn_id, c.timestamp, c.tool_name,
       substr(c.input_json, 1, 200) AS input_summary,
       (SELECT o.duration_ms FROM tool_result_rows o WHERE o.call_id = c.call_id ORDER BY o.event_id LIMIT 1) AS duration_ms,
       (SELECT o.success FROM tool_result_rows o WHERE o.call_id = c.call_id ORDER BY o.event_id LIMIT 1) AS success,
       (SELECT o.rejected FROM tool_result_rows o WHERE o.call_id = c.call_id ORDER BY o.event_id LIMIT 1) AS rejected
     FROM ${from} ${filter.sql} ORDER BY ${time} DESC, ${id} DESC LIMIT ?`,
    ...filter.values,
    options.limit + 1,
  )
  return toPage(
    rows,
    options.limit,
    (row) => [row.timestamp, row.id],
    (row) => ({ ...row, success: toFlag(row.success), rejected: row.rejected === 1 }),
  )
}

export interface SlowRow {
  readonly uuid: string
  readonly session_id: string
  readonly turn_id: number
  readonly timestamp: string
  readonly name: string
  readonly duration_ms: number
  readonly success: number | null
  readonly text: string
}

/** Returns the slowest tool calls, from the index of durations; within a session all calls are compared. */
export function slowestTools(
  reader: Reader,
  options: { session_id?: string; project?: string; since?: string; limit: number },
): SlowRow[] {
  const filter = where()
  filter.add('r.duration_ms IS NOT NULL')
  const from =
    options.session_id === undefined
      ? 'tool_result_rows r CROSS JOIN events e'
      : 'events e CROSS JOIN tool_result_rows r'
  filter.add(options.session_id === undefined ? 'e.id = r.event_id' : 'r.event_id = e.id')
  if (options.session_id !== undefined) filter.add('aspy_in_time() AND e.session_id = ?', options.session_id)
  if (options.project !== undefined) filter.add('aspy_in_time() AND e.project = ?', options.project)
  if (options.since !== undefined) filter.add('r.timestamp >= ?', options.since)
  return reader.inTime<SlowRow>(
    `SELECT slowest.*, coalesce((SELECT c.tool_name FROM tool_call_rows c WHERE c.event_id = slowest.call), '') AS name,
       coalesce((SELECT substr(c.input_json, 1, 200) FROM tool_calls c WHERE c.id = slowest.call), '') AS text
     FROM (
       SELECT e.uuid, e.session_id, e.turn_id, r.timestamp, r.duration_ms, r.success, r.event_id AS id,
         (SELECT min(x.event_id) FROM tool_call_rows x WHERE x.call_id = r.call_id) AS call
       FROM ${from} ${filter.sql} ORDER BY r.duration_ms DESC, r.event_id DESC LIMIT ?) slowest
     ORDER BY slowest.duration_ms DESC, slowest.id DESC`,
    ...filter.values,
    options.limit,
  )
}

/** Returns the slowest events of any kind, from the index of durations. */
export function slowestEvents(
  reader: Reader,
  options: { session_id?: string; project?: string; since?: string; limit: number },
): SlowRow[] {
  const filter = where()
  filter.add('e.duration_ms IS NOT NULL')
  if (options.session_id !== undefined) filter.add('aspy_in_time() AND e.session_id = ?', options.session_id)
  if (options.project !== undefined) filter.add('aspy_in_time() AND e.project = ?', options.project)
  if (options.since !== undefined) filter.add('+e.ts_wall >= ?', options.since)
  return reader.inTime<SlowRow>(
    `SELECT e.uuid, e.session_id, e.turn_id, e.ts_wall AS timestamp, e.kind AS name, e.duration_ms, e.success,
       substr(e.payload, 1, 200) AS text
     FROM events e ${filter.sql} ORDER BY e.duration_ms DESC, e.id DESC LIMIT ?`,
    ...filter.values,
    options.limit,
  )
}

/** Bounds the results that are searched, newest first: an old failure is found by its uuid. */
const RESULTS_LOOKED_AT = 20_000

/** Returns the newest tool call that failed; with `match`, one whose error contains this text. */
export function lastFailedTool(
  reader: Reader,
  match: string | undefined,
  project: string | undefined,
): { uuid: string; timestamp: string } | undefined {
  return reader.get<{ uuid: string; timestamp: string }>(
    `SELECT (SELECT e.uuid FROM events e WHERE e.id = r.event_id) AS uuid, r.timestamp FROM tool_result_rows r
     WHERE r.event_id > (SELECT coalesce(max(event_id), 0) - ? FROM tool_result_rows) AND r.success = 0
       AND instr(lower(coalesce(r.error, '')), lower(?)) > 0
       AND (? IS NULL OR (SELECT e.project FROM events e WHERE e.id = r.event_id) = ?)
     ORDER BY r.event_id DESC LIMIT 1`,
    RESULTS_LOOKED_AT,
    match ?? '',
    project ?? null,
    project ?? null,
  )
}

/** Returns the session and project of a model's tool call; undefined if the call is not recorded (yet). */
export function callerOf(reader: Reader, callId: string): { session_id: string; project: string | null } | undefined {
  return reader.get(
    `SELECT c.session_id, s.project FROM tool_calls c LEFT JOIN sessions s ON s.id = c.session_id
     WHERE c.call_id = ? ORDER BY c.id DESC LIMIT 1`,
    callId,
  )
}
