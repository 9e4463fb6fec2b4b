import { joinedTurns } from '../../store/read/joined-turns.ts'
import { AspyError } from '../../../shared/contract/errors.ts'
import type { OperationOutput } from '../../../shared/contract/index.ts'
import type { Session } from '../../../shared/contract/sessions.ts'
import { formatFailures } from '../../../shared/failures.ts'
import { fenceLines, makePack } from '../../recall/pack.ts'
import { countUnproven, wasCaptured } from '../../store/read/captured.ts'
import { withWindows } from '../../store/read/context-window.ts'
import { clientAccount } from '../../store/read/reconcile.ts'
import { sessionEventRows } from '../../store/read/events.ts'
import { toPage } from '../../store/read/page.ts'
import type { Reader } from '../../store/read/reader.ts'
import {
  findSession,
  keptOfSession,
  latestSession,
  linksOf,
  listSessions,
  requireSession,
} from '../../store/read/sessions.ts'
import { linksOfSessions } from '../../store/read/session-links.ts'
import { compactionsOf, contextCurve, turnUsage } from '../../store/read/session-usage.ts'
import { conversation } from '../../store/read/texts.ts'
import { lineText, toLine } from '../event-line.ts'
import { given } from './given.ts'
import type { ReaderHandler } from '../../dispatch/handlers.ts'

export const sessionsList: ReaderHandler<'sessions.list'> = (reader, input) => listSessions(reader, given(input))

export const sessionGet: ReaderHandler<'sessions.get'> = (reader, { session_id }) => ({
  ...requireSession(reader, session_id),
  ...linksOf(reader, session_id),
  client_cost_usd: clientAccount(reader, session_id)?.client_cost_usd ?? null,
  links: [...(linksOfSessions(reader, [session_id]).get(session_id) ?? [])],
  joined_turns: joinedTurns(reader, session_id),
})

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
  const { start, end, ...rest } = input
  const rows = sessionEventRows(reader, given({ ...rest, from: start, to: end, order: 'oldest' as const }))
  const page = toPage(
    rows,
    input.limit,
    (row) => [row.ts_wall, row.id],
    (row) => toLine(reader, row),
    reader.budget,
  )
  const text = input.as_text
    ? { text: fenceLines('Events of the session, oldest first.', page.items.map(lineText)) }
    : {}
  return { ...page, ...text }
}

export const sessionHistory: ReaderHandler<'sessions.history'> = (reader, input) => {
  const session = requireSession(reader, input.session_id)
  const { items, next } = conversation(reader, given(input))
  const inOrder = items
    .reverse()
    .map(({ uuid, role, content, timestamp, turn_id }) => ({ uuid, role, content, timestamp, turn_id }))
  if (!input.as_text) return { items: inOrder, next }
  const newestFirst = inOrder.toReversed().map((item) => ({
    ...item,
    label: item.role === 'user' ? 'user prompt' : 'answer',
    session_id: input.session_id,
    project: null,
    text: item.content.length > 1200 ? `${item.content.slice(0, 1200).toWellFormed()} …` : item.content,
  }))
  return {
    items: inOrder,
    next,
    text: makePack(newestFirst, 4000, `${aboutSession(reader, session)} Newest first.`).text,
  }
}

const LINK_NAMES = {
  forked_from: 'Forked from',
  resumed_from: 'Resumed from',
  compacted_from: 'Continues after a compaction of',
} as const

/** Returns what a text for a model says of a session: its client, its failures, and the sessions that it continues. */
function aboutSession(reader: Reader, session: Session): string {
  const client = [session.client, ...(session.client_version === null ? [] : [session.client_version])].join(' ')
  const failures = formatFailures(session)
  const links = linksOfSessions(reader, [session.id]).get(session.id) ?? []
  return [
    `Client: ${client}.`,
    ...(failures === '' ? [] : [`Failures: ${failures}.`]),
    ...links.map(({ kind, session_id }) => `${LINK_NAMES[kind]} session ${session_id}.`),
  ].join(' ')
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

/** Bounds the events that describe where a session left off. */
const RESUME_EVENTS = 50

function resume(reader: Reader, sessionId: string, budget: number): OperationOutput<'sessions.resume'> {
  const session = requireSession(reader, sessionId)
  const kinds = [
    'user_prompt',
    'assistant_text',
    'thinking',
    'tool_call',
    'tool_result',
    'task_update',
    'compaction',
    'error',
  ] as const
  const rows = sessionEventRows(reader, {
    session_id: sessionId,
    limit: RESUME_EVENTS,
    kinds: kinds,
    order: 'newest',
  }).slice(0, RESUME_EVENTS)
  const lines = rows.map((row) => ({ row, line: toLine(reader, row) }))
  const newest = (kind: string) => lines.find(({ row }) => row.kind === kind)
  const spoken = conversation(reader, { session_id: sessionId, limit: 20 }).items
  const lastPrompt = spoken.find(({ role }) => role === 'user')
  const action = lines.find(({ row }) => row.kind === 'tool_call' || row.kind === 'assistant_text')
  const tasks = newest('task_update')
  const openTasks = tasks === undefined ? [] : openTasksIn(reader.payload(tasks.row.payload))
  const commands = lines
    .filter(({ row }) => row.kind === 'tool_call')
    .map(({ line }) => line.text)
    .slice(0, 8)
  const errors = lines
    .filter(({ row, line }) => row.kind === 'error' || (row.kind === 'tool_result' && line.success === false))
    .map(({ row, line }) => row.error_message ?? line.text)
    .slice(0, 5)
  const source = (uuid: string, label: string, turnId: number, timestamp: string, text: string) => ({
    label,
    session_id: sessionId,
    turn_id: turnId,
    uuid,
    timestamp,
    project: session.project,
    text,
  })
  const list = (label: string, entries: readonly string[]) => {
    const at = rows[0]
    return entries.length === 0 || at === undefined
      ? []
      : [source(at.uuid, label, at.turn_id, at.ts_wall, entries.map((entry) => `- ${entry}`).join('\n'))]
  }
  const answer = spoken.find(({ role }) => role === 'assistant')
  const items = [
    ...(lastPrompt === undefined
      ? []
      : [
          source(
            lastPrompt.uuid,
            'last prompt',
            lastPrompt.turn_id,
            lastPrompt.timestamp,
            lastPrompt.content.slice(0, 1500).toWellFormed(),
          ),
        ]),
    ...(answer === undefined
      ? []
      : [
          source(
            answer.uuid,
            'last answer',
            answer.turn_id,
            answer.timestamp,
            answer.content.slice(0, 1000).toWellFormed(),
          ),
        ]),
    ...list('open tasks', openTasks),
    ...list('open errors', errors),
    ...list('recent commands, newest first', commands),
  ]
  const title = session.title === null ? '' : ` "${session.title.slice(0, 100)}"`
  return {
    ...makePack(
      items,
      budget,
      `Where session ${sessionId.slice(0, 80)}${title.replaceAll(/[^\p{L}\p{N}\p{P}\p{Zs}]/gu, ' ')} stood at ${session.last_event_at}.`,
    ),
    session_id: sessionId,
    last_prompt: lastPrompt?.content ?? null,
    last_action: action?.line.text ?? null,
    open_tasks: openTasks,
    commands,
    errors,
  }
}

function openTasksIn(payload: { readonly [key: string]: unknown }): string[] {
  const tasks = payload['tasks']
  if (!Array.isArray(tasks)) return []
  return tasks.flatMap((task: { subject?: unknown; status?: unknown }) =>
    typeof task.subject === 'string' && task.status !== 'completed' && task.status !== 'deleted'
      ? [`${task.subject} (${String(task.status)})`]
      : [],
  )
}

export const sessionResume: ReaderHandler<'sessions.resume'> = (reader, input) =>
  resume(reader, input.session_id, input.budget)

export const resumeLatest: ReaderHandler<'sessions.resume_latest'> = (reader, input) => {
  const id = input.session_id ?? latestSession(reader, input.project)?.id
  if (id === undefined) throw new AspyError('not_found', 'no session is recorded for this project yet')
  return resume(reader, id, input.budget)
}

const CURVE_POINTS = 500

export const sessionUsage: ReaderHandler<'sessions.usage'> = (reader, { session_id: session }) => ({
  turns: turnUsage(reader, session),
  context: withWindows(reader, session, contextCurve(reader, session, CURVE_POINTS)),
  compactions: compactionsOf(reader, session),
})

export const sessionsUnproven: ReaderHandler<'sessions.unproven'> = (reader) => ({ count: countUnproven(reader) })
