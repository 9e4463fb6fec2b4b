import { TIMELINE } from '../../listings/events.ts'
import { joinedTurns } from '../../store/read/joined-turns.ts'
import { fenceLines } from '../../recall/pack.ts'
import { countUnproven, wasCaptured } from '../../store/read/captured.ts'
import { withWindows } from '../../store/read/context-window.ts'
import { clientAccount } from '../../store/read/reconcile.ts'
import { sessionsOfRun } from '../../store/read/run-sessions.ts'
import { listPage } from '../../store/read/list-page.ts'
import {
  findSession,
  keptOfSession,
  linksOf,
  listSessions,
  requireSession,
  tagsOfSessions,
} from '../../store/read/sessions.ts'
import { sessionsWithProject } from '../../store/read/changes.ts'
import { refusalsIn } from '../../store/read/refusals.ts'
import { unrecordedIn } from '../../store/read/errors.ts'
import { linksOfSessions } from '../../store/read/session-links.ts'
import { compactionsOf, contextCurve, turnUsage } from '../../store/read/session-usage.ts'
import { lineText, toLine } from '../event-line.ts'
import type { ReaderHandler } from '../../dispatch/handlers.ts'

export const sessionsList: ReaderHandler<'sessions.list'> = listSessions

export const sessionTags: ReaderHandler<'sessions.tags'> = (reader) => ({ items: tagsOfSessions(reader) })

export const sessionGet: ReaderHandler<'sessions.get'> = (reader, { session_id }) => {
  const session = requireSession(reader, session_id)
  return {
    ...session,
    ...linksOf(reader, session_id),
    client_cost_usd: clientAccount(reader, session_id)?.client_cost_usd ?? null,
    links: [...(linksOfSessions(reader, [session_id]).get(session_id) ?? [])],
    joined_turns: joinedTurns(reader, session_id),
    ...unrecordedIn(reader, session_id),
    ...(session.refused === undefined ? {} : refusalsIn(reader, session_id)),
  }
}

export const runSessions: ReaderHandler<'runs.sessions'> = (reader, input) => ({ items: sessionsOfRun(reader, input) })

export const sessionStatus: ReaderHandler<'sessions.status'> = (reader, { session_id }) => {
  const session = findSession(reader, session_id)
  return {
    captured: session !== undefined && wasCaptured(reader, session_id),
    cost_usd: session?.total_cost_usd ?? null,
    tokens: session?.total_tokens ?? null,
  }
}

export const sessionKept: ReaderHandler<'sessions.kept'> = (reader, input) => keptOfSession(reader, input.session_id)

export const sessionTimeline: ReaderHandler<'sessions.timeline'> = (reader, input) => {
  const page = listPage(reader, TIMELINE, input, () => (row) => toLine(reader, row))
  const text = input.as_text
    ? { text: fenceLines('Events of the session, oldest first.', page.items.map(lineText)) }
    : {}
  return { ...page, ...text }
}

/** Returns the tokens of a call: input, output, cache read and cache write. */
export function tokensOfCall(call: {
  input_tokens: number
  output_tokens: number
  cache_read_tokens: number
  cache_creation_tokens: number
}): number {
  return call.input_tokens + call.output_tokens + call.cache_read_tokens + call.cache_creation_tokens
}

const CURVE_POINTS = 500

export const sessionUsage: ReaderHandler<'sessions.usage'> = (reader, { session_id: session }) => ({
  turns: turnUsage(reader, session),
  context: withWindows(reader, session, contextCurve(reader, session, CURVE_POINTS)),
  compactions: compactionsOf(reader, session),
})

export const sessionsUnproven: ReaderHandler<'sessions.unproven'> = (reader) => ({ count: countUnproven(reader) })

export const sessionProjects: ReaderHandler<'team.projects'> = (reader) => ({
  items: sessionsWithProject(reader).map(({ id, project }) => ({ id, project })),
})
