import type { OperationOutput, ParsedInput } from '../../../../shared/contract/index.ts'
import type { ListedSession } from '../../../../shared/contract/sessions.ts'
import { selectFrom } from '../../../listings/page-query.ts'
import { SESSION_COLUMNS, SESSION_TABLES, SESSIONS, toSession, type SessionRow } from '../../../listings/sessions.ts'
import { listPage, withMoments } from './list-page.ts'
import { cursorOf, offsetOf } from './pages.ts'
import { findSession, unsupported, type Owned, type ReadContext } from './scope.ts'

/** Only the laptop knows which session goes on from another. */
const NO_LINKS = { forked_from: null, resumed_from: null, compacted_from: null }

export async function listSessions(
  context: ReadContext,
  input: ParsedInput<'sessions.list'>,
): Promise<OperationOutput<'sessions.list'>> {
  const { rows, next } = await listPage(context, SESSIONS, input)
  await context.note(
    'sessions.list',
    rows.filter(({ title }) => title !== null),
  )
  return { items: rows.map(toListed), next }
}

function toListed(
  row: Parameters<typeof toSession>[0] & Owned & Pick<ListedSession, 'model' | 'agents'>,
): ListedSession {
  const { member_id: _, session_id: _id, ...session } = row
  return toSession(session, NO_LINKS)
}

const SELECT_SESSION = selectFrom('team', { columns: SESSION_COLUMNS, from: SESSION_TABLES })

export async function getSession(
  context: ReadContext,
  { session_id }: ParsedInput<'sessions.get'>,
): Promise<OperationOutput<'sessions.get'>> {
  const owner = await findSession(context, session_id)
  const { sql } = context
  const [found] = await sql<SessionRow[]>`${sql.unsafe(SELECT_SESSION)}
    WHERE s.member_id = ${owner.member_id} AND s.session_key = ${owner.session_key}`
  if (found === undefined) throw unsupported('the session was withdrawn')
  if (found.title !== null) await context.note('sessions.get', [{ member_id: owner.member_id, session_id }])
  const session = toSession(withMoments(found), NO_LINKS)
  return { ...session, tags: [], pull_requests: [], client_cost_usd: null, links: [], joined_turns: [] }
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
