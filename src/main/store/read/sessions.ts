import { AspyError } from '../../../shared/contract/errors.ts'
import type { ListedSession, Session } from '../../../shared/contract/sessions.ts'
import { UNDER_DELETION } from '../delete/deletions.ts'
import { ONLY_TRAFFIC } from './only-traffic.ts'
import { fromCursor, toPage, where } from './page.ts'
import type { Reader } from './reader.ts'
import { linksOfSessions, newestLinks, type NewestLinks } from './session-links.ts'

const SESSION_COLUMNS = `s.id, s.user_id, s.project, s.git_branch, s.started_at, s.ended_at, s.last_event_at, s.source,
  coalesce(l.title, s.title) AS title,
  s.turn_count - (SELECT count(*) FROM joined_turns j WHERE j.session_id = s.id) AS turn_count,
  s.prompts, s.total_tokens, s.total_cost_usd, s.unpriced_calls, s.tool_calls,
  s.thinking_blocks, s.errors, s.api_errors, s.failed_tools, s.client, s.client_version,
  CASE WHEN s.time_basis = 'file' THEN 0.0 ELSE s.active_ms END AS active_ms, s.time_basis,
  coalesce(l.starred, 0) AS starred, coalesce(l.pinned, 0) AS pinned, coalesce(l.tags, '[]') AS own_tags,
  EXISTS (SELECT 1 FROM preview_sessions p WHERE p.session_id = s.id) AS preview`
const SESSIONS = 'sessions s LEFT JOIN session_labels l ON l.session_id = s.id'

type SessionRow = Omit<Session, 'starred' | 'pinned' | 'preview' | 'own_tags' | keyof NewestLinks> & {
  readonly starred: number
  readonly pinned: number
  readonly preview: number
  /** A JSON list. */
  readonly own_tags: string
}

/** Returns a function that adds to rows what their sessions continue. */
function createToSession(reader: Reader, rows: readonly SessionRow[]): (row: SessionRow) => Session {
  const links = linksOfSessions(
    reader,
    rows.map(({ id }) => id),
  )
  return ({ preview, ...row }) => ({
    ...row,
    ...(preview === 0 ? {} : { preview: true as const }),
    starred: row.starred !== 0,
    pinned: row.pinned !== 0,
    own_tags: tagsIn(row.own_tags),
    ...newestLinks(links.get(row.id)),
  })
}

const toSession = (reader: Reader, row: SessionRow): Session => createToSession(reader, [row])(row)

/** Parses the stored tags of a session. */
function tagsIn(json: string): string[] {
  return (JSON.parse(json) as unknown[]).filter((tag) => typeof tag === 'string')
}

/** Returns every tag that people set, with how many sessions have it. */
export function tagsOfSessions(reader: Reader): { tag: string; sessions: number }[] {
  const rows = reader.all<{ tag: string; sessions: number }>(
    `SELECT value AS tag, count(*) AS sessions FROM session_labels l, json_each(l.tags)
     WHERE l.tags IS NOT NULL AND l.session_id NOT IN (${UNDER_DELETION}) GROUP BY value`,
  )
  return rows.toSorted((one, other) => one.tag.localeCompare(other.tag, 'en'))
}

/** Failures of both kinds. */
const FAILURES = '(s.api_errors + s.failed_tools)'

/** Sort orders of the list, always descending: the expression, whether its values are texts, and the value of a row. */
const SORTS = {
  last_activity: ['s.last_event_at', 'string', (row: SessionRow) => row.last_event_at],
  started: ['s.started_at', 'string', (row: SessionRow) => row.started_at],
  active: ['s.active_ms', 'number', (row: SessionRow) => row.active_ms],
  prompts: ['s.prompts', 'number', (row: SessionRow) => row.prompts],
  tools: ['s.tool_calls', 'number', (row: SessionRow) => row.tool_calls],
  errors: ['s.errors', 'number', (row: SessionRow) => row.errors],
  failures: [FAILURES, 'number', (row: SessionRow) => row.api_errors + row.failed_tools],
  tokens: ['s.total_tokens', 'number', (row: SessionRow) => row.total_tokens],
  cost: ['s.total_cost_usd', 'number', (row: SessionRow) => row.total_cost_usd],
} as const

/** Lists sessions, the most recently active first, or descending by another column. */
export function listSessions(
  reader: Reader,
  options: {
    limit: number
    user_id?: string
    project?: string
    before?: string
    since?: string
    query?: string
    starred?: boolean
    tag?: string
    client?: string
    failed?: boolean
    model?: string
    branch?: string
    agents?: boolean
    active_since?: string
    active_before?: string
    sort?: keyof typeof SORTS
    cursor?: string
  },
): { items: ListedSession[]; next: string | null } {
  const filter = where()
  if (options.user_id !== undefined) filter.add('s.user_id = ?', options.user_id)
  if (options.project !== undefined) filter.add('s.project = ?', options.project)
  if (options.before !== undefined) filter.add('s.started_at < ?', options.before)
  if (options.since !== undefined) filter.add('s.started_at >= ?', options.since)
  if (options.client !== undefined) filter.add('s.client = ?', options.client)
  if (options.failed === true) filter.add(`aspy_in_time() AND ${FAILURES} > 0`)
  if (options.starred === true) filter.add('l.starred = 1')
  if (options.tag !== undefined)
    filter.add('aspy_in_time() AND EXISTS (SELECT 1 FROM json_each(l.tags) WHERE value = ?)', options.tag)
  if (options.branch !== undefined) filter.add('aspy_in_time() AND s.git_branch = ?', options.branch)
  if (options.model !== undefined)
    filter.add(
      'aspy_in_time() AND EXISTS (SELECT 1 FROM api_usage u WHERE u.session_id = s.id AND u.model = ?)',
      options.model,
    )
  if (options.agents === true)
    filter.add('aspy_in_time() AND EXISTS (SELECT 1 FROM agents a WHERE a.session_id = s.id)')
  if (options.active_since !== undefined) filter.add('s.last_event_at >= ?', options.active_since)
  if (options.active_before !== undefined) filter.add('s.started_at < ?', options.active_before)
  if (options.query !== undefined && options.query.trim() !== '') {
    const like = `%${options.query.trim().replaceAll(/[\\%_]/g, (sign) => `\\${sign}`)}%`
    filter.add(
      String.raw`aspy_in_time() AND (coalesce(l.title, s.title) LIKE ? ESCAPE '\' OR s.project LIKE ? ESCAPE '\' OR s.id LIKE ? ESCAPE '\')`,
      like,
      like,
      like,
    )
  }
  filter.add(`NOT ${ONLY_TRAFFIC} AND s.id NOT IN (${UNDER_DELETION})`)
  const [expression, type, valueOf] = SORTS[options.sort ?? 'last_activity']
  if (options.cursor !== undefined)
    filter.add(`(${expression}, s.id) < (?, ?)`, ...fromCursor(options.cursor, [type, 'string']))
  const rows = reader.inTime<SessionRow>(
    `SELECT ${SESSION_COLUMNS} FROM ${SESSIONS} ${filter.sql} ORDER BY ${expression} DESC, s.id DESC LIMIT ?`,
    ...filter.values,
    options.limit + 1,
  )
  const toSessionOf = createToSession(reader, rows)
  const work = workOf(reader, rows)
  return toPage(
    rows,
    options.limit,
    (row) => [valueOf(row), row.id],
    (row) => ({ ...toSessionOf(row), ...(work.get(row.id) ?? { model: null, agents: 0 }) }),
  )
}

/** Returns the model of each session's newest main call, and the number of its agents. */
function workOf(reader: Reader, rows: readonly SessionRow[]): Map<string, Pick<ListedSession, 'model' | 'agents'>> {
  const found = reader.all<{ id: string; model: string | null; agents: number }>(
    `SELECT value AS id,
       (SELECT model FROM api_usage u WHERE u.session_id = value AND u.agent_id IS NULL
          AND coalesce(u.request_kind, 'loop') IN ('prompt', 'loop') ORDER BY u.turn_id DESC, u.id DESC LIMIT 1) AS model,
       (SELECT count(*) FROM agents a WHERE a.session_id = value) AS agents
     FROM json_each(?)`,
    JSON.stringify(rows.map(({ id }) => id)),
  )
  return new Map(found.map(({ id, ...work }) => [id, work]))
}

/** Returns one session. */
export function findSession(reader: Reader, id: string): Session | undefined {
  const row = reader.get<SessionRow>(`SELECT ${SESSION_COLUMNS} FROM ${SESSIONS} WHERE s.id = ?`, id)
  return row === undefined ? undefined : toSession(reader, row)
}

/** Returns one session. @throws AspyError not_found */
export function requireSession(reader: Reader, id: string): Session {
  const session = findSession(reader, id)
  if (session === undefined) throw new AspyError('not_found', `there is no session ${id}`)
  return session
}

/** Returns tags and pull requests that the client recorded for a session, newest first. */
export function linksOf(reader: Reader, id: string): { tags: string[]; pull_requests: string[] } {
  const rows = reader.all<{ payload: string }>(
    "SELECT payload FROM events WHERE kind = 'state_change' AND session_id = ? ORDER BY id DESC LIMIT 2000",
    id,
  )
  const changes = rows.map(({ payload }) => reader.payload(payload))
  const named = (name: string) => [
    ...new Set(
      changes.flatMap((change) => (change['name'] === name && typeof change['to'] === 'string' ? change['to'] : [])),
    ),
  ]
  return { tags: named('tag'), pull_requests: named('pull_request') }
}

/** Returns the most recently active session, of one project or of all. */
export function latestSession(reader: Reader, project?: string): Session | undefined {
  const filter = where()
  filter.add(`NOT ${ONLY_TRAFFIC} AND s.id NOT IN (${UNDER_DELETION})`)
  if (project !== undefined) filter.add('s.project = ?', project)
  const row = reader.get<SessionRow>(
    `SELECT ${SESSION_COLUMNS} FROM ${SESSIONS} ${filter.sql} ORDER BY s.last_event_at DESC, s.id DESC LIMIT 1`,
    ...filter.values,
  )
  return row === undefined ? undefined : toSession(reader, row)
}

/** Counts the stored texts of a session; zeros if nothing is known about it. */
export function keptOfSession(
  reader: Reader,
  id: string,
): { prompts: number; answers: number; thinking_blocks: number; compactions: number; started_at: string | null } {
  const row = reader.get<ReturnType<typeof keptOfSession>>(
    `WITH asked (id) AS (VALUES (?))
     SELECT (SELECT count(*) FROM user_prompts WHERE session_id = asked.id) AS prompts,
       (SELECT count(*) FROM recall_docs WHERE session_id = asked.id AND match_type = 'assistant_response') AS answers,
       (SELECT count(*) FROM recall_docs WHERE session_id = asked.id AND match_type = 'thinking') AS thinking_blocks,
       (SELECT count(*) FROM compactions WHERE session_id = asked.id) AS compactions,
       (SELECT started_at FROM sessions WHERE sessions.id = asked.id) AS started_at
     FROM asked`,
    id,
  )
  return row ?? { prompts: 0, answers: 0, thinking_blocks: 0, compactions: 0, started_at: null }
}

/** Returns the turn of a session that has not ended; null if the newest one has ended, or there is none. */
export function turnUnderWay(reader: Reader, id: string): number | null {
  const newest = reader.get<{ turn: number | null }>('SELECT max(turn_id) AS turn FROM events WHERE session_id = ?', id)
  if (newest === undefined || newest.turn === null) return null
  const ended = reader.get(
    "SELECT 1 AS ended FROM events WHERE session_id = ? AND turn_id = ? AND kind = 'turn_ended' LIMIT 1",
    id,
    newest.turn,
  )
  return ended === undefined ? newest.turn : null
}
