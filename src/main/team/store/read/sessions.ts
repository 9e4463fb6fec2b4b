import type { OperationOutput, ParsedInput } from '../../../../shared/contract/index.ts'
import type { Session } from '../../../../shared/contract/sessions.ts'
import { findSession, unsupported, visible, type Owned, type ReadContext } from './scope.ts'
import { onlyTraffic } from './only-traffic.ts'
import { cursorOf, offsetOf } from './pages.ts'

interface SessionRow extends Owned {
  readonly member: string
  readonly project: string
  readonly git_branch: string | null
  readonly title: string | null
  readonly client: string
  readonly client_version: string | null
  readonly source: Session['source']
  readonly active_ms: number
  readonly started_at: Date
  readonly last_event_at: Date
  readonly ended_at: Date | null
  readonly turn_count: number
  readonly prompts: number
  readonly tool_calls: number
  readonly thinking_blocks: number
  readonly errors: number
  readonly api_errors: number
  readonly failed_tools: number
  readonly total_tokens: number
  readonly total_cost_usd: number
  readonly unpriced_calls: number
}

const COLUMNS = `s.member_id, m.name AS member, s.session_id, s.project, s.git_branch, s.title, s.client, s.client_version, s.source,
  s.active_ms, s.started_at, s.last_event_at, s.ended_at, s.turn_count, s.prompts, s.tool_calls, s.thinking_blocks, s.errors,
  s.api_errors, s.failed_tools, s.total_tokens::float8, s.total_cost_usd, s.unpriced_calls`

const SORTS = {
  last_activity: 's.last_event_at',
  started: 's.started_at',
  active: 's.active_ms',
  prompts: 's.prompts',
  tools: 's.tool_calls',
  errors: 's.errors',
  failures: '(s.api_errors + s.failed_tools)',
  tokens: 's.total_tokens',
  cost: 's.total_cost_usd',
} as const

/** A session in the form of the contract. `user_id` is the member's name. */
function toSession(row: SessionRow): Session {
  const { member, member_id: _, session_id: id, started_at, last_event_at, ended_at, project, ...rest } = row
  return {
    ...rest,
    id,
    user_id: member,
    project: project === '' ? null : project,
    started_at: started_at.toISOString(),
    last_event_at: last_event_at.toISOString(),
    ended_at: ended_at?.toISOString() ?? null,
    time_basis: 'line',
    forked_from: null,
    resumed_from: null,
    compacted_from: null,
    starred: false,
    pinned: false,
    own_tags: [],
  }
}

export async function listSessions(
  context: ReadContext,
  input: ParsedInput<'sessions.list'>,
): Promise<OperationOutput<'sessions.list'>> {
  const { sql } = context
  const { limit, user_id, project, before, since, client, failed, sort, query, cursor, starred, tag } = input
  const { model, branch, agents, active_since, active_before } = input
  // Stars and tags stay with the person who sets them.
  if (starred || tag !== undefined) return { items: [], next: null }
  const offset = offsetOf(cursor)
  const like = `%${(query ?? '').trim().replaceAll(/[\\%_]/g, (sign) => `\\${sign}`)}%`
  const ofSession = sql`e.session_key = s.session_key AND e.member_id = s.member_id`
  const rows = await sql<
    (SessionRow & { model: string | null; agents: number })[]
  >`SELECT ${sql.unsafe(COLUMNS)}, s.model, s.agents
    FROM sessions s JOIN members m ON m.id = s.member_id
    WHERE ${visible(context, 's')} AND s.started_at IS NOT NULL AND NOT ${onlyTraffic(sql)}
      AND ${user_id === undefined ? sql`TRUE` : sql`m.name = ${user_id}`}
      AND ${project === undefined ? sql`TRUE` : sql`s.project = ${project}`}
      AND ${before === undefined ? sql`TRUE` : sql`s.started_at < ${before}`}
      AND ${since === undefined ? sql`TRUE` : sql`s.started_at >= ${since}`}
      AND ${client === undefined ? sql`TRUE` : sql`s.client = ${client}`}
      AND ${failed ? sql`s.api_errors + s.failed_tools > 0` : sql`TRUE`}
      AND ${branch === undefined ? sql`TRUE` : sql`s.git_branch = ${branch}`}
      AND ${active_since === undefined ? sql`TRUE` : sql`s.last_event_at >= ${active_since}`}
      AND ${active_before === undefined ? sql`TRUE` : sql`s.started_at < ${active_before}`}
      AND ${model === undefined ? sql`TRUE` : sql`EXISTS (SELECT FROM events e WHERE ${ofSession} AND e.kind = 'api_usage' AND e.model = ${model})`}
      AND ${agents ? sql`EXISTS (SELECT FROM events e WHERE ${ofSession} AND e.kind = 'agent_started')` : sql`TRUE`}
      AND ${query === undefined ? sql`TRUE` : sql`(s.title ILIKE ${like} OR s.project ILIKE ${like} OR s.session_id ILIKE ${like})`}
    ORDER BY ${sql.unsafe(SORTS[sort])} DESC, s.session_id DESC LIMIT ${limit + 1} OFFSET ${offset}`
  await context.note(
    'sessions.list',
    rows.filter(({ title }) => title !== null),
  )
  const items = rows.slice(0, limit).map(({ model: own, agents: started, ...row }) => ({
    ...toSession(row),
    model: own,
    agents: started,
  }))
  return { items, next: cursorOf(rows.length > limit, offset + limit) }
}

export async function getSession(
  context: ReadContext,
  { session_id }: ParsedInput<'sessions.get'>,
): Promise<OperationOutput<'sessions.get'>> {
  const found = await findSession(context, session_id)
  const { sql } = context
  const rows = await sql<
    SessionRow[]
  >`SELECT ${sql.unsafe(COLUMNS)} FROM sessions s JOIN members m ON m.id = s.member_id
    WHERE s.member_id = ${found.member_id} AND s.session_key = ${found.session_key}`
  await context.note(
    'sessions.get',
    rows.filter(({ title }) => title !== null),
  )
  const [row] = rows
  if (row === undefined) throw unsupported('the session was withdrawn')
  return { ...toSession(row), tags: [], pull_requests: [], client_cost_usd: null, links: [], joined_turns: [] }
}

/** The conversation: prompts and answers of the newest page, in order. */
export async function sessionHistory(
  context: ReadContext,
  input: ParsedInput<'sessions.history'>,
): Promise<OperationOutput<'sessions.history'>> {
  const { sql } = context
  const found = await findSession(context, input.session_id)
  if (found.level === 'metadata') throw unsupported("the session's owner shares no texts of it (policy metadata)")
  const offset = offsetOf(input.cursor)
  const rows = await sql<
    { uuid: string; kind: string; content: string; ts: Date; turn_id: number }[]
  >`SELECT t.uuid, t.kind, t.content, t.ts, t.turn_id FROM texts t JOIN events e
      ON e.month = t.month AND e.member_id = t.member_id AND e.uuid = t.uuid
    WHERE t.session_id = ${input.session_id} AND t.member_id = ${found.member_id}
      AND t.kind IN ('user_prompt', 'assistant_response') AND e.agent_id IS NULL
      AND ${input.before === undefined ? sql`TRUE` : sql`t.ts < ${input.before}`}
      AND ${input.after === undefined ? sql`TRUE` : sql`t.ts > ${input.after}`}
    ORDER BY t.ts DESC, e.turn_id DESC, e.seq DESC LIMIT ${input.limit + 1} OFFSET ${offset}`
  await context.note(
    'sessions.history',
    rows.map(() => ({ member_id: found.member_id, session_id: input.session_id })),
  )
  const items = rows.slice(0, input.limit).map(({ uuid, kind, content, ts, turn_id }) => ({
    uuid,
    role: kind === 'user_prompt' ? ('user' as const) : ('assistant' as const),
    content,
    timestamp: ts.toISOString(),
    turn_id,
  }))
  return { items: items.reverse(), next: cursorOf(rows.length > input.limit, offset + input.limit) }
}
