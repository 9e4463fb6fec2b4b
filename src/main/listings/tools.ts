import type { OperationOutput } from '../../shared/contract/index.ts'
import { errorLine } from '../base/error-line.ts'
import type { Listing } from './listing.ts'
import { SESSION_TABLES } from './sessions.ts'
import { clientOf, ofSession, userOf } from './shared-facts.ts'

/** A tool call with the outcome of its result, as both stores hold it. */
export type ToolRow = Omit<OperationOutput<'tools.list'>['items'][number], 'upper_bound' | 'success' | 'rejected'> & {
  readonly upper_bound: number | null
  readonly success: number | null
  readonly rejected: number | null
}

const outcome = (value: string): string =>
  `(SELECT ${value} FROM tool_result_rows o WHERE o.call_id = c.call_id ORDER BY o.event_id LIMIT 1)`

/** Characters of an error that are searched for the line that says what failed. */
const MOST_OF_ERROR = 2000

/** A laptop's access path to tool calls: the table whose index gives their order. */
interface Way {
  readonly from: string
  readonly where: string
  readonly time: string
  readonly id: string
  readonly tool: string
}

function calls({ from, where, time, id, tool }: Way): Listing<ToolRow, 'tools.list'> {
  const ofTool = { local: `${tool} = ?`, team: 'e.tool_name = ?' }
  return {
    from: {
      local: from,
      team: `events e LEFT JOIN LATERAL (
        SELECT r.duration_ms, r.outcome, r.error_message FROM events r WHERE r.member_id = e.member_id AND r.session_key = e.session_key
          AND r.kind = 'tool_result' AND r.parent_uuid = e.uuid LIMIT 1) r ON true`,
    },
    owner: 'e',
    where: { local: where, team: "e.kind = 'tool_call' AND e.tool_name IS NOT NULL" },
    columns: {
      id: { local: id, team: 'e.id::float8' },
      uuid: { local: 'c.event_uuid', team: 'e.uuid' },
      session_id: { local: 'c.session_id', team: 'e.session_id' },
      session_title: {
        local: `(SELECT coalesce(l.title, s.title) FROM ${SESSION_TABLES.local} WHERE s.id = c.session_id)`,
        team: ofSession('title', 'e').team,
      },
      user_id: userOf('c'),
      turn_id: { local: 'c.turn_id', team: 'e.turn_id' },
      timestamp: { local: time, team: 'e.ts' },
      tool_name: { local: 'c.tool_name', team: 'e.tool_name' },
      // In a team, the whole input as JSON; empty if it was not sent.
      input_summary: {
        local: 'substr(c.input_json, 1, 200)',
        team: "CASE WHEN e.level = 'full' THEN coalesce((e.payload -> 'input')::text, '') ELSE '' END",
      },
      duration_ms: { local: outcome('o.duration_ms'), team: 'r.duration_ms' },
      upper_bound: { local: outcome('o.upper_bound'), team: '0' },
      success: { local: outcome('o.success'), team: "(nullif(r.outcome, 'rejected') = 'ok')::int" },
      rejected: { local: outcome('o.rejected'), team: "(r.outcome = 'rejected')::int" },
      error: {
        local: outcome(`substr(o.error, 1, ${MOST_OF_ERROR})`),
        team: `left(r.error_message, ${MOST_OF_ERROR})`,
      },
    },
    filters: {
      tool_name: ofTool,
      tool: ofTool,
      session_id: { local: 'aspy_in_time() AND e.session_id = ?', team: 'e.session_id = ?' },
      project: { local: '(SELECT p.project FROM events p WHERE p.id = c.id) = ?', team: 'e.project = ?' },
      since: { local: `${time} >= ?`, team: 'e.ts >= ?' },
      until: { local: `${time} < ?`, team: 'e.ts < ?' },
      client: clientOf('c'),
      failed: {
        local: `aspy_in_time() AND (SELECT o.success = 0 AND o.rejected = 0 FROM tool_result_rows o
          WHERE o.call_id = c.call_id ORDER BY o.event_id LIMIT 1) = 1`,
        team: "r.outcome = 'failed'",
      },
      refused: { local: `aspy_in_time() AND ${outcome('o.rejected')} = 1`, team: "r.outcome = 'rejected'" },
    },
    sorts: {},
    key: {
      local: [
        [time, 'time'],
        [id, 'number'],
      ],
      team: [
        ['e.ts', 'time'],
        ['e.id', 'number'],
      ],
    },
    order: 'DESC',
  }
}

const LOG = {
  from: 'events e CROSS JOIN tool_calls c ON c.id = e.id',
  time: 'e.ts_wall',
  id: 'e.id',
  tool: 'c.tool_name',
}

/** Tool calls, newest first: of one tool, of a session, of all. A team reads them all in the same way. */
export const TOOLS = {
  ofTool: calls({
    from: 'tool_call_rows r CROSS JOIN tool_calls c ON c.id = r.event_id',
    where: '',
    time: 'r.timestamp',
    id: 'r.event_id',
    tool: 'r.tool_name',
  }),
  ofSession: calls({ ...LOG, where: '' }),
  ofAll: calls({ ...LOG, where: "e.kind = 'tool_call'" }),
}

/** Returns a row in the form of the contract. */
export const toTool = ({ upper_bound, success, rejected, error, ...row }: ToolRow) => ({
  ...row,
  error: success === 0 && rejected !== 1 && error !== null ? errorLine(error) : null,
  upper_bound: upper_bound === 1,
  success: success === null ? null : success !== 0,
  rejected: rejected === 1,
})
