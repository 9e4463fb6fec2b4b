import type { OperationOutput, ParsedInput } from '../../../shared/contract/index.ts'
import { SLOWEST } from '../../listings/events.ts'
import type { PageInput } from '../../listings/page-query.ts'
import { toTool, TOOLS } from '../../listings/tools.ts'
import { listPage, narrowed } from './list-page.ts'
import type { Reader } from './reader.ts'

type ListInput = Partial<ParsedInput<'tools.list'>> & PageInput

/** Lists tool calls, newest first, each with the outcome of its result. */
export function listTools(reader: Reader, { tool, ...input }: ListInput) {
  const tool_name = input.tool_name ?? tool
  const listing =
    input.session_id !== undefined ? TOOLS.ofSession : tool_name === undefined ? TOOLS.ofAll : TOOLS.ofTool
  return listPage(reader, listing, { ...input, tool_name }, () => toTool)
}

export type SlowRow = Omit<OperationOutput<'stats.slowest'>['items'][number], 'upper_bound' | 'success'> & {
  readonly upper_bound: number
  readonly success: number | null
}

/** Returns the slowest tool calls, from the index of durations; within a session all calls are compared. */
export function slowestTools(reader: Reader, input: ParsedInput<'stats.slowest'>): SlowRow[] {
  const isOfAll = input.session_id === undefined
  const from = isOfAll ? 'tool_result_rows r CROSS JOIN events e' : 'events e CROSS JOIN tool_result_rows r'
  const filter = narrowed({ ...SLOWEST, since: 'r.timestamp >= ?' }, input, [
    ['r.duration_ms IS NOT NULL'],
    [isOfAll ? 'e.id = r.event_id' : 'r.event_id = e.id'],
  ])
  return reader.inTime<SlowRow>(
    `SELECT slowest.*, coalesce((SELECT c.tool_name FROM tool_call_rows c WHERE c.event_id = slowest.call), '') AS name,
       coalesce((SELECT substr(c.input_json, 1, 200) FROM tool_calls c WHERE c.id = slowest.call), '') AS text
     FROM (
       SELECT e.uuid, e.session_id, e.user_id, e.turn_id, r.timestamp, r.duration_ms, r.upper_bound, r.success, r.event_id AS id,
         (SELECT min(x.event_id) FROM tool_call_rows x WHERE x.call_id = r.call_id) AS call
       FROM ${from} ${filter.sql} ORDER BY r.duration_ms DESC, r.event_id DESC LIMIT ?) slowest
     ORDER BY slowest.duration_ms DESC, slowest.id DESC`,
    ...filter.values,
    input.limit,
  )
}

/** Returns the slowest events of any kind, from the index of durations. */
export function slowestEvents(reader: Reader, input: ParsedInput<'stats.slowest'>): SlowRow[] {
  const filter = narrowed(SLOWEST, input, [['e.duration_ms IS NOT NULL']])
  return reader.inTime<SlowRow>(
    `SELECT e.uuid, e.session_id, e.user_id, e.turn_id, e.ts_wall AS timestamp, e.kind AS name, e.duration_ms, 0 AS upper_bound, e.success,
       substr(e.payload, 1, 200) AS text
     FROM events e ${filter.sql} ORDER BY e.duration_ms DESC, e.id DESC LIMIT ?`,
    ...filter.values,
    input.limit,
  )
}

/** Returns the times from call to result of a turn, by the uuid of the result, where no source measured them. */
export function boundsOfTurn(reader: Reader, sessionId: string, turn: number): ReadonlyMap<string, number> {
  const rows = reader.all<{ uuid: string; duration_ms: number }>(
    `SELECT e.uuid, r.duration_ms FROM events e CROSS JOIN tool_result_rows r ON r.event_id = e.id
     WHERE e.session_id = ? AND e.turn_id = ? AND r.upper_bound = 1`,
    sessionId,
    turn,
  )
  return new Map(rows.map(({ uuid, duration_ms }) => [uuid, duration_ms]))
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
     WHERE r.event_id > (SELECT coalesce(max(event_id), 0) - ? FROM tool_result_rows) AND r.success = 0 AND r.rejected = 0
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
