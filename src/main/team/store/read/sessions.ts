import { selectFrom, type Condition } from '../../../listings/page-query.ts'
import { SESSION_COLUMNS, SESSION_TABLES, SESSIONS, toSession, type SessionRow } from '../../../listings/sessions.ts'
import { CONVERSATION } from '../../../listings/texts.ts'
import { listPage, withMoments } from './list-page.ts'
import { findSession, unsupported, type TeamHandler } from './scope.ts'

/** Only the laptop knows which session continues another. */
const NO_LINKS = { forked_from: null, resumed_from: null, compacted_from: null }

export const listSessions: TeamHandler<'sessions.list'> = async (context, input) => {
  const { items, next } = await listPage(context, SESSIONS, input, {
    operation: 'sessions.list',
    hasText: ({ title }) => title !== null,
  })
  return { items: items.map((row) => toSession(row, NO_LINKS)), next }
}

const SELECT_SESSION = selectFrom('team', { columns: SESSION_COLUMNS, from: SESSION_TABLES })

export const getSession: TeamHandler<'sessions.get'> = async (context, { session_id }) => {
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
export const sessionHistory: TeamHandler<'sessions.history'> = async (context, input) => {
  const { level, member_id } = await findSession(context, input.session_id)
  if (level === 'metadata') throw unsupported("the session's owner shares no texts of it (policy metadata)")
  const conditions: Condition[] = [['t.member_id = ?', member_id]]
  const { items, next } = await listPage(context, CONVERSATION, input, { operation: 'sessions.history', conditions })
  return { items: items.reverse(), next }
}
