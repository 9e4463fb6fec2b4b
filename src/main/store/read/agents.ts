import type { OperationOutput } from '../../../shared/contract/index.ts'
import { toFlag } from './events.ts'
import type { Reader } from './reader.ts'

type Agent = OperationOutput<'agents.list'>['items'][number]
type Task = OperationOutput<'tasks.list'>['items'][number]

/** Returns a session's subagents in the order they started, with the usage of each. */
export function agentsOf(reader: Reader, sessionId: string, limit: number): Agent[] {
  const rows = reader.all<Omit<Agent, 'success' | 'pending'> & { success: number | null }>(
    `WITH used AS (
       SELECT agent_id, count(*) AS calls, sum(cost_usd) AS cost_usd,
         sum(input_tokens + output_tokens + cache_read_tokens + cache_creation_tokens) AS tokens
       FROM api_usage WHERE session_id = ? AND agent_id IS NOT NULL GROUP BY agent_id
     ), called AS (
       SELECT agent_id, count(*) AS tool_calls FROM events
       WHERE session_id = ? AND kind = 'tool_call' AND agent_id IS NOT NULL GROUP BY agent_id
     )
     SELECT a.agent_id, a.agent_type, a.parent_agent_id, a.call_id, a.turn_id, a.started_at, a.ended_at, a.success,
       (SELECT json_extract(c.input_json, '$.description') FROM tool_calls c WHERE c.call_id = a.call_id LIMIT 1) AS description,
       coalesce(u.calls, 0) AS calls, coalesce(u.tokens, 0) AS tokens, u.cost_usd, coalesce(t.tool_calls, 0) AS tool_calls
     FROM agents a LEFT JOIN used u ON u.agent_id = a.agent_id LEFT JOIN called t ON t.agent_id = a.agent_id
     WHERE a.session_id = ? ORDER BY a.started_at, a.agent_id LIMIT ?`,
    sessionId,
    sessionId,
    sessionId,
    limit,
  )
  const pending = pendingOfAgents(reader, sessionId)
  return rows.map(({ success, description, ...agent }) => ({
    ...agent,
    pending: pending.filter(({ agent_id }) => agent_id === agent.agent_id),
    // A long text of a call's input is stored in `contents`, so it is not a short description.
    description: typeof description === 'string' && !description.startsWith('{') ? description : null,
    success: toFlag(success),
  }))
}

type Pending = OperationOutput<'sessions.turn'>['pending'][number]
const MAX_PENDING = 200

/** Bounds the calls that are searched for one without a result: older calls are no longer pending. */
const CALLS_LOOKED_AT = 500
const PENDING_COLUMNS = 'c.event_uuid AS uuid, c.call_id, c.tool_name, c.agent_id, c.timestamp'
const HAS_NO_RESULT = 'NOT EXISTS (SELECT 1 FROM tool_result_rows r WHERE r.call_id = c.call_id)'

/** Returns a session's subagent calls without a known result, among the newest 500; newest first, at most 200. */
function pendingOfAgents(reader: Reader, sessionId: string): Pending[] {
  return reader.inTime<Pending>(
    `SELECT ${PENDING_COLUMNS} FROM (
       SELECT id FROM events WHERE session_id = ? AND kind = 'tool_call' AND agent_id IS NOT NULL
       ORDER BY ts_wall DESC, id DESC LIMIT ?) newest
     CROSS JOIN tool_calls c ON c.id = newest.id
     WHERE aspy_in_time() AND ${HAS_NO_RESULT} ORDER BY c.timestamp DESC, c.id DESC LIMIT ?`,
    sessionId,
    CALLS_LOOKED_AT,
    MAX_PENDING,
  )
}

/** Returns the tool calls of a turn, given by its numbers, without a known result; newest first, at most 200. */
export function pendingCalls(reader: Reader, sessionId: string, turnIds: readonly number[]): Pending[] {
  // The log is indexed by turn, calls by time.
  return reader.inTime<Pending>(
    `SELECT ${PENDING_COLUMNS} FROM events e CROSS JOIN tool_calls c ON c.id = e.id
     WHERE e.session_id = ? AND e.turn_id IN (${turnIds.map(() => '?').join(', ')}) AND +e.kind = 'tool_call'
       AND aspy_in_time() AND ${HAS_NO_RESULT}
     ORDER BY c.timestamp DESC, c.id DESC LIMIT ?`,
    sessionId,
    ...turnIds,
    MAX_PENDING,
  )
}

/** Returns the task lists of a session's agents, the main agent's first. */
export function tasksOf(reader: Reader, sessionId: string, limit: number): Task[] {
  return reader.all<Task>(
    `SELECT nullif(agent_id, '') AS agent_id, task_id, subject, status, created_at, updated_at, event_uuid AS uuid
     FROM tasks t WHERE session_id = ? ORDER BY t.agent_id, created_at, CAST(task_id AS INTEGER), task_id LIMIT ?`,
    sessionId,
    limit,
  )
}
