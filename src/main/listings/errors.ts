import type { OperationOutput } from '../../shared/contract/index.ts'
import type { Listing, LocalListing } from './listing.ts'
import { clientOf, ofSession, textIn, userOf } from './shared-facts.ts'

/** An error or a failed tool call, as both stores hold it. */
export type ErrorRow = OperationOutput<'errors.list'>['items'][number]

type Errors = Listing<ErrorRow, 'errors.list'>

const IS_TOOL = "e.kind = 'tool_result'"

/** Errors, newest first; in a team, with failed tool calls. */
export const ERRORS: Errors = {
  from: { local: 'errors x', team: 'events e' },
  owner: 'e',
  where: { local: '', team: `(e.kind = 'error' OR ${IS_TOOL} AND e.outcome = 'failed')` },
  columns: {
    id: { local: 'x.id', team: 'e.id::float8' },
    uuid: { local: 'x.event_uuid', team: 'e.uuid' },
    session_id: { local: 'x.session_id', team: 'e.session_id' },
    user_id: userOf('x'),
    turn_id: { local: 'x.turn_id', team: 'e.turn_id' },
    timestamp: { local: 'x.timestamp', team: 'e.ts' },
    origin: {
      local: 'x.origin',
      team: `CASE WHEN ${IS_TOOL} THEN 'tool' ELSE coalesce(${textIn('origin')}, 'unknown') END`,
    },
    type: { local: 'x.type', team: `CASE WHEN ${IS_TOOL} THEN e.tool_name ELSE ${textIn('type')} END` },
    status: {
      local: 'x.status',
      team: "CASE WHEN jsonb_typeof(e.payload -> 'status') = 'number' THEN (e.payload -> 'status')::float8 END",
    },
    content: {
      local: 'x.content',
      team: `coalesce(e.error_message, ${textIn('message')}, ${textIn('output')}, '')`,
    },
  },
  filters: {
    // A complete FTS5 expression.
    query: { local: 'x.id IN (SELECT rowid FROM errors_fts WHERE errors_fts MATCH ?)', team: null },
    session_id: { local: 'x.session_id = ?', team: 'e.session_id = ?' },
    project: { local: `aspy_in_time() AND ${ofSession('project', 'x').local} = ?`, team: 'e.project = ?' },
    since: { local: 'x.timestamp >= ?', team: 'e.ts >= ?' },
    until: { local: 'x.timestamp < ?', team: 'e.ts < ?' },
    client: clientOf('x'),
    // The caller chooses its columns.
    tools: 'TRUE',
  },
  sorts: {},
  key: {
    local: [
      ['x.timestamp', 'time'],
      ['x.id', 'number'],
    ],
    team: [
      ['e.ts', 'time'],
      ['e.id', 'number'],
    ],
  },
  order: 'DESC',
}

/** Failures have an index by time; those of a session are read in the order of the log's index. */
const failedTools = (from: string, time: string, id: string): LocalListing<ErrorRow, 'errors.list'> => ({
  from,
  where: 'r.success = 0 AND r.rejected = 0',
  columns: {
    id,
    uuid: 'e.uuid',
    session_id: 'e.session_id',
    user_id: userOf('e'),
    turn_id: 'e.turn_id',
    timestamp: time,
    origin: "'tool'",
    type: 'r.tool_name',
    status: 'NULL',
    content: "coalesce(r.error, '')",
  },
  filters: {
    // Tool calls have no index of their errors: `?` is a list of words in JSON.
    query: {
      local: 'aspy_in_time() AND NOT EXISTS (SELECT 1 FROM json_each(?) w WHERE instr(lower(r.error), w.value) = 0)',
      team: null,
    },
    session_id: 'aspy_in_time() AND e.session_id = ?',
    project: `aspy_in_time() AND ${ofSession('project', 'e').local} = ?`,
    since: `${time} >= ?`,
    until: `${time} < ?`,
    client: clientOf('e'),
    tools: 'TRUE',
  },
  sorts: {},
  key: [
    [time, 'time'],
    [id, 'number'],
  ],
  order: 'DESC',
})

/** A laptop's failed tool calls, newest first. */
export const FAILED_TOOLS = {
  ofAll: failedTools('tool_result_rows r CROSS JOIN events e ON e.id = r.event_id', 'r.timestamp', 'r.event_id'),
  ofSession: failedTools('events e CROSS JOIN tool_result_rows r ON r.event_id = e.id', 'e.ts_wall', 'e.id'),
}
