import type { Session } from '../../shared/contract/sessions.ts'
import { TRAFFIC_KINDS } from '../../shared/turn-state.ts'
import { containing } from './containing.ts'
import type { Columns, Listing } from './listing.ts'
import { FIGURE_COLUMNS } from './session-figures.ts'
import { UNPRICED } from '../../shared/spend.ts'

/** A session as both stores hold it. Its links to other sessions are read separately. */
export type SessionRow = Omit<
  Session,
  | 'starred'
  | 'pinned'
  | 'preview'
  | 'usage_unknown'
  | 'refused'
  | 'own_tags'
  | 'forked_from'
  | 'resumed_from'
  | 'compacted_from'
> & {
  readonly starred: number
  readonly pinned: number
  readonly preview: number
  /** A JSON list. */
  readonly own_tags: string
}

/** Builds SQL for the rows of a table that belong to the session `s`. */
const ofSession = (table: string, alias: string, condition = '') => ({
  local: `SELECT 1 FROM ${table} ${alias} WHERE ${alias}.session_id = s.id${condition}`,
  team: `SELECT 1 FROM ${table} ${alias} WHERE ${alias}.session_key = s.session_key AND ${alias}.member_id = s.member_id${condition}`,
})

const traffic = TRAFFIC_KINDS.map((kind) => `'${kind}'`).join(', ')
const notTraffic = ofSession('events', 'e', ` AND e.kind NOT IN (${traffic})`)
const withoutSums = `s.prompts = 0 AND s.total_tokens = 0 AND s.${UNPRICED} = 0 AND s.tool_calls = 0
  AND s.thinking_blocks = 0 AND s.errors = 0`

/**
 * SQL that is true for a session, named `s`, of which only requests and their responses are known: a client's upkeep,
 * such as `HEAD /api/hello`. A request with a prompt also has its prompt recorded. Sums are compared first, so that
 * only sessions with nothing to show look at events.
 */
export const ONLY_TRAFFIC = {
  local: `(${withoutSums} AND NOT EXISTS (${notTraffic.local}))`,
  team: `(${withoutSums} AND NOT EXISTS (${notTraffic.team}))`,
}

/** Failures of both kinds. */
const FAILURES = '(s.api_errors + s.failed_tools)'

export const SESSION_TABLES = {
  local: 'sessions s LEFT JOIN session_labels l ON l.session_id = s.id',
  team: 'sessions s',
}

/** The columns of one session. */
export const SESSION_COLUMNS: Columns<SessionRow> = {
  id: { local: 's.id', team: 's.session_id' },
  user_id: { local: 's.user_id', team: '(SELECT m.name FROM members m WHERE m.id = s.member_id)' },
  project: { local: 's.project', team: "nullif(s.project, '')" },
  git_branch: 's.git_branch',
  started_at: 's.started_at',
  ended_at: 's.ended_at',
  last_event_at: 's.last_event_at',
  source: 's.source',
  title: { local: 'coalesce(l.title, s.title)', team: 's.title' },
  turn_count: {
    local: 's.turn_count - (SELECT count(*) FROM joined_turns j WHERE j.session_id = s.id)',
    team: 's.turn_count',
  },
  ...FIGURE_COLUMNS,
  client: 's.client',
  client_version: 's.client_version',
  active_ms: { local: "CASE WHEN s.time_basis = 'file' THEN 0.0 ELSE s.active_ms END", team: 's.active_ms' },
  time_basis: { local: 's.time_basis', team: "'line'" },
  // Stars, pins and tags stay with the person who sets them.
  starred: { local: 'coalesce(l.starred, 0)', team: '0' },
  pinned: { local: 'coalesce(l.pinned, 0)', team: '0' },
  own_tags: { local: "coalesce(l.tags, '[]')", team: "'[]'" },
  preview: { local: 'EXISTS (SELECT 1 FROM preview_sessions p WHERE p.session_id = s.id)', team: '0' },
}

/** Sessions of a list. */
export const SESSIONS: Listing<SessionRow, 'sessions.list'> = {
  from: SESSION_TABLES,
  owner: 's',
  where: { local: `NOT ${ONLY_TRAFFIC.local}`, team: `s.started_at IS NOT NULL AND NOT ${ONLY_TRAFFIC.team}` },
  columns: SESSION_COLUMNS,
  filters: {
    user_id: { local: 's.user_id = ?', team: 's.member_id = (SELECT m.id FROM members m WHERE m.name = ?)' },
    // A session that moved is one of each folder in which something was said.
    project: {
      local: `s.project IN (?) OR (aspy_in_time() AND EXISTS (${ofSession('recall_docs', 'd', ' AND d.project IN (?)').local}))`,
      team: `s.project = ? OR EXISTS (${ofSession('events', 'e', ' AND e.project = ?').team})`,
    },
    before: 's.started_at < ?',
    since: 's.started_at >= ?',
    until: 's.started_at < ?',
    client: 's.client = ?',
    failed: { local: `aspy_in_time() AND ${FAILURES} > 0`, team: `${FAILURES} > 0` },
    starred: { local: 'l.starred = 1', team: 'FALSE' },
    tag: {
      local: 'aspy_in_time() AND EXISTS (SELECT 1 FROM json_each(l.tags) WHERE value = ?)',
      team: 'FALSE AND s.title = ?',
    },
    branch: { local: 'aspy_in_time() AND s.git_branch = ?', team: 's.git_branch = ?' },
    model: {
      local: `aspy_in_time() AND EXISTS (${ofSession('api_usage', 'u', ' AND u.model = ?').local})`,
      team: `EXISTS (${ofSession('events', 'e', " AND e.kind = 'api_usage' AND e.model = ?").team})`,
    },
    agents: {
      local: `aspy_in_time() AND EXISTS (${ofSession('agents', 'a').local})`,
      team: `EXISTS (${ofSession('events', 'e', " AND e.kind = 'agent_started'").team})`,
    },
    compacted: {
      local: `aspy_in_time() AND EXISTS (${ofSession('compactions', 'c').local})`,
      team: 's.compactions > 0',
    },
    active_since: 's.last_event_at >= ?',
    active_before: 's.started_at < ?',
    query: {
      local: String.raw`aspy_in_time() AND (coalesce(l.title, s.title) LIKE ? ESCAPE '\' OR s.project LIKE ? ESCAPE '\' OR s.id LIKE ? ESCAPE '\')`,
      team: 's.title ILIKE ? OR s.project ILIKE ? OR s.session_id ILIKE ?',
      value: containing,
    },
  },
  sorts: {
    last_activity: ['s.last_event_at', 'time'],
    started: ['s.started_at', 'time'],
    active: ['s.active_ms', 'number'],
    prompts: ['s.prompts', 'number'],
    tools: ['s.tool_calls', 'number'],
    errors: ['s.errors', 'number'],
    failures: [FAILURES, 'number'],
    compactions: {
      local: ['(SELECT count(*) FROM compactions c WHERE c.session_id = s.id)', 'number'],
      team: ['s.compactions', 'number'],
    },
    tokens: ['s.total_tokens', 'number'],
    cost: ['s.total_cost_usd', 'number'],
  },
  key: {
    local: [['s.id', 'text']],
    team: [
      ['s.session_id', 'text'],
      ['s.member_id', 'number'],
    ],
  },
  order: 'DESC',
}

/** Parses the tags that people set on a session. */
export const tagsIn = (json: string): string[] =>
  (JSON.parse(json) as unknown[]).filter((tag) => typeof tag === 'string')

/** The sessions that a session continues. */
type Links = Pick<Session, 'forked_from' | 'resumed_from' | 'compacted_from'>

/** Returns a row in the form of the contract. */
export function toSession<Row extends SessionRow>(row: Row, links: Links) {
  const { preview, starred, pinned, own_tags: tags, ...rest } = row
  return {
    ...rest,
    ...(preview === 0 ? {} : { preview: true as const }),
    ...(rest.prompts > 0 && rest.total_tokens === 0 ? { usage_unknown: true as const } : {}),
    starred: starred !== 0,
    pinned: pinned !== 0,
    own_tags: tagsIn(tags),
    ...links,
  }
}
