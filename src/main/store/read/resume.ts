import type { OperationOutput } from '../../../shared/contract/index.ts'
import { naturalKey } from '../../decode/draft.ts'
import { answerNameIn } from '../identity/key-forms.ts'
import type { EventRow } from '../log/log.ts'
import { EVENT_COLUMNS, keysOf } from './events.ts'
import type { Reader } from './reader.ts'
import { rowByKey } from './requests.ts'

/** An API error after which its agent got no answer. */
export interface OpenApiError {
  readonly uuid: string
  readonly turn_id: number
  readonly timestamp: string
  readonly content: string
}

/** Returns API errors that no retry or later request made up for, newest first. Aspy's own errors are left out. */
export function openApiErrors(reader: Reader, sessionId: string, limit: number): OpenApiError[] {
  return reader.all<OpenApiError>(
    `SELECT x.event_uuid AS uuid, x.turn_id, x.timestamp,
       trim(coalesce(x.type, '') || ' ' || coalesce(x.status, '') || ' ' || x.content) AS content
     FROM errors x WHERE x.session_id = ? AND x.origin <> 'capture' AND NOT EXISTS (
       SELECT 1 FROM api_usage u WHERE u.session_id = x.session_id AND u.agent_id IS x.agent_id
         AND u.timestamp >= x.timestamp AND coalesce(u.request_kind, 'prompt') IN ('prompt', 'loop', 'subagent'))
     ORDER BY x.id DESC LIMIT ?`,
    sessionId,
    limit,
  )
}

/** A task that is neither completed nor removed. */
export type OpenTask = OperationOutput<'sessions.resume'>['tasks'][number]

interface TaskRow extends OpenTask {
  /** JSON of the call that made the last update; null if it is not known. */
  readonly call_input: string | null
}

const DONE = new Set(['completed', 'deleted', 'cancelled', 'canceled'])

/**
 * Returns a session's open tasks, those of the main agent first. Some tools send the whole list with each change: tasks
 * missing from the newest such list were removed.
 */
export function openTasks(reader: Reader, sessionId: string, limit: number): OpenTask[] {
  const rows = reader.all<TaskRow>(
    `SELECT nullif(t.agent_id, '') AS agent_id, t.task_id, t.subject, t.status, t.updated_at, t.event_uuid,
       (SELECT c.input_json FROM events e CROSS JOIN ancestry a ON a.event_id = e.id CROSS JOIN tool_calls c ON c.id = a.parent_id
        WHERE e.uuid = t.event_uuid) AS call_input
     FROM tasks t WHERE t.session_id = ? ORDER BY t.agent_id, t.created_at, CAST(t.task_id AS INTEGER), t.task_id LIMIT ?`,
    sessionId,
    limit,
  )
  const newestList = new Map<string | null, TaskRow>()
  for (const row of rows) {
    const newest = newestList.get(row.agent_id)
    if (isWholeList(row.call_input) && (newest === undefined || row.updated_at > newest.updated_at))
      newestList.set(row.agent_id, row)
  }
  return rows.flatMap(({ call_input, ...task }) => {
    const list = newestList.get(task.agent_id)
    const isRemoved = list !== undefined && isWholeList(call_input) && task.event_uuid !== list.event_uuid
    return isRemoved || DONE.has(task.status) ? [] : [task]
  })
}

/** Returns whether a call's input is a list of tasks: one of its arguments is a list. */
function isWholeList(input: string | null): boolean {
  if (input === null || !input.startsWith('{')) return false
  return Object.values(JSON.parse(input) as object).some((value) => Array.isArray(value))
}

/** Returns the newest events of kinds that are rare in a session, newest first. */
export function newestOfKind(
  reader: Reader,
  { session_id, kind, limit }: { session_id: string; kind: 'session_started'; limit: number },
): EventRow[] {
  return reader.inTime<EventRow>(
    `SELECT ${EVENT_COLUMNS} FROM events e WHERE e.session_id = ? AND aspy_in_time() AND +e.kind = ?
     ORDER BY e.ts_wall DESC, e.id DESC LIMIT ?`,
    session_id,
    kind,
    limit,
  )
}

/** Returns the main agent's newest requests, newest first. */
export function mainRequests(reader: Reader, sessionId: string, limit: number): EventRow[] {
  return reader.inTime<EventRow>(
    `SELECT ${EVENT_COLUMNS} FROM events e INDEXED BY events_requests
     WHERE e.kind = 'model_request' AND e.session_id = ? AND e.agent_id IS NULL ORDER BY e.id DESC LIMIT ?`,
    sessionId,
    limit,
  )
}

/** Returns the main agent's first requests, oldest first. */
export function firstRequests(reader: Reader, sessionId: string, limit: number): EventRow[] {
  return reader.all<EventRow>(
    `SELECT ${EVENT_COLUMNS} FROM events e INDEXED BY events_requests
     WHERE e.kind = 'model_request' AND e.session_id = ? AND e.agent_id IS NULL ORDER BY e.id LIMIT ?`,
    sessionId,
    limit,
  )
}

/** The result of a tool call of the main agent. */
export interface ToolResult {
  readonly uuid: string
  readonly call_id: string
  readonly turn_id: number
  readonly timestamp: string
  readonly tool_name: string | null
  readonly output_json: string
}

const RESULT_COLUMNS = `e.uuid, r.call_id, e.turn_id, r.timestamp,
  coalesce(r.tool_name, (SELECT c.tool_name FROM tool_call_rows c WHERE c.call_id = r.call_id LIMIT 1)) AS tool_name,
  CAST(coalesce(r.output_json, e.payload -> '$.output', 'null') AS TEXT) AS output_json`

/** Returns the tool results of a session from one time up to, but not including, another, oldest first. */
export function resultsBetween(
  reader: Reader,
  sessionId: string,
  from: string,
  until: string,
  limit: number,
): ToolResult[] {
  return reader.all<ToolResult>(
    `SELECT ${RESULT_COLUMNS} FROM events e CROSS JOIN tool_result_rows r ON r.event_id = e.id
     WHERE e.session_id = ? AND e.ts_wall >= ? AND e.ts_wall < ? AND e.agent_id IS NULL ORDER BY e.ts_wall, e.id LIMIT ?`,
    sessionId,
    from,
    until,
    limit,
  )
}

/** Returns the result of a tool call of a session. */
export function resultOfCall(reader: Reader, sessionId: string, callId: string): ToolResult | undefined {
  return reader.get<ToolResult>(
    `SELECT ${RESULT_COLUMNS} FROM tool_result_rows r JOIN events e ON e.id = r.event_id
     WHERE r.call_id = ? AND e.session_id = ? AND e.agent_id IS NULL ORDER BY r.event_id LIMIT 1`,
    callId,
    sessionId,
  )
}

/** A prompt, or an answer of the main agent. */
export type SaidText = OperationOutput<'sessions.history'>['items'][number]

/**
 * Returns the messages of a session after its last compaction and before a time, oldest first, at most the newest
 * `limit`.
 */
export function saidBefore(reader: Reader, sessionId: string, before: string, limit: number): SaidText[] {
  const since =
    reader.get<{ at: string | null }>(
      'SELECT max(timestamp) AS at FROM compactions WHERE session_id = ? AND timestamp < ?',
      sessionId,
      before,
    )?.at ?? ''
  const part = (role: string, table: string, own = '') =>
    `SELECT id, event_uuid AS uuid, '${role}' AS role, turn_id, timestamp, content FROM ${table}
     WHERE session_id = ? AND timestamp < ? AND timestamp > ? ${own}`
  return reader
    .all<SaidText>(
      `SELECT uuid, role, turn_id, timestamp, content
       FROM (${part('user', 'user_prompts')} UNION ALL ${part('assistant', 'assistant_responses', 'AND agent_id IS NULL')})
       ORDER BY timestamp DESC, id DESC LIMIT ?`,
      sessionId,
      before,
      since,
      sessionId,
      before,
      since,
      limit,
    )
    .reverse()
}

/** Returns whether a prompt was typed as a plain prompt: commands and notes reach the model in another form. */
export function isTypedPrompt(reader: Reader, uuid: string): boolean {
  const row = reader.get<{ payload: string }>('SELECT payload FROM events WHERE uuid = ?', uuid)
  if (row === undefined) return false
  const { entered_as, not_a_prompt } = reader.head(row.payload)
  return entered_as === undefined && not_a_prompt !== true
}

/** Returns whether an answer was complete: the client does not keep an answer that was cut off. */
export function isWholeAnswer(reader: Reader, uuid: string): boolean {
  const names = keysOf(reader, uuid).flatMap((key) => answerNameIn(key) ?? [])
  const responses = names.flatMap((name) => rowByKey(reader, naturalKey.response(name)) ?? [])
  return responses.every(({ payload }) => (reader.head(payload)['cut_by'] ?? null) === null)
}

/** Returns whether a session was compacted after a request and no later than just after another. */
export function wasCompacted(reader: Reader, sessionId: string, after: string, until: string): boolean {
  const row = reader.get(
    'SELECT 1 FROM compactions WHERE session_id = ? AND timestamp >= ? AND timestamp <= ? LIMIT 1',
    sessionId,
    after,
    until,
  )
  return row !== undefined
}
