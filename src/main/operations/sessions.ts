import { AspyError } from '../../shared/contract/errors.ts'
import type { OperationOutput } from '../../shared/contract/index.ts'
import { fenceLines, makePack } from '../recall/pack.ts'
import { apiCalls } from '../store/read/api-usage.ts'
import { wasCaptured } from '../store/read/captured.ts'
import { listEvents, type EventAnswer, sessionEventRows } from '../store/read/events.ts'
import { toPage } from '../store/read/page.ts'
import type { Reader } from '../store/read/reader.ts'
import {
  findSession,
  keptOfSession,
  latestSession,
  linksOf,
  listSessions,
  requireSession,
} from '../store/read/sessions.ts'
import { conversation } from '../store/read/texts.ts'
import { lineText, outcomeOf, sayEvent, toLine } from './event-line.ts'
import { given } from './given.ts'
import type { ReaderHandler } from './handlers.ts'

export const sessionsList: ReaderHandler<'sessions.list'> = (reader, input) => listSessions(reader, given(input))

export const sessionGet: ReaderHandler<'sessions.get'> = (reader, { session_id }) => ({
  ...requireSession(reader, session_id),
  ...linksOf(reader, session_id),
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
  const rows = sessionEventRows(reader, given({ ...rest, after: start, before: end, order: 'oldest' as const }))
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
  requireSession(reader, input.session_id)
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
  return { items: inOrder, next, text: makePack(newestFirst, 4000, 'Newest first.').text }
}

/** Events of one turn that are read for its stages. */
const TURN_EVENTS = 5000

export const sessionTurn: ReaderHandler<'sessions.turn'> = (reader, { session_id, turn }) => {
  const { items, next } = listEvents(reader, { session_id, turn_id: turn, limit: TURN_EVENTS })
  const [first] = items
  if (first === undefined) throw new AspyError('not_found', `session ${session_id} has no turn ${turn}`)
  const times = items.map((event) => event.ts_wall).sort()
  const startedAt = times[0] ?? first.ts_wall
  const endedAt = times.at(-1) ?? startedAt
  const prompt = items.find((event) => event.kind === 'user_prompt')
  const calls = apiCalls(reader, { session_id, turn_id: turn, limit: TURN_EVENTS })
  const priced = calls.flatMap((call) => call.cost_usd ?? [])
  return {
    session_id,
    turn_id: turn,
    prompt: prompt === undefined ? null : textField(prompt, 'text'),
    prompt_uuid: prompt?.uuid ?? null,
    started_at: startedAt,
    ended_at: endedAt,
    duration_ms: Date.parse(endedAt) - Date.parse(startedAt),
    tokens: calls.reduce((sum, call) => sum + tokensOfCall(call), 0),
    cost_usd: priced.length === 0 ? null : priced.reduce((sum, cost) => sum + cost, 0),
    unpriced_calls: calls.length - priced.length,
    agents: agentsOf(items),
    stages: stagesOf(items),
    errors: items
      .filter((event) => event.kind === 'error' || (event.kind === 'tool_result' && outcomeOf(event) === false))
      .map((event) => ({
        uuid: event.uuid,
        ts_wall: event.ts_wall,
        message: event.error_message ?? sayEvent(event.kind, event.payload),
      })),
    truncated: next !== null,
  }
}

/** Tokens as they are counted everywhere: all that went in, came out, was read from and written to the cache. */
export function tokensOfCall(call: {
  input_tokens: number
  output_tokens: number
  cache_read_tokens: number
  cache_creation_tokens: number
}): number {
  return call.input_tokens + call.output_tokens + call.cache_read_tokens + call.cache_creation_tokens
}

function textField(event: EventAnswer, name: string): string | null {
  const value = event.payload[name]
  return typeof value === 'string' ? value : null
}

type Turn = OperationOutput<'sessions.turn'>

function agentsOf(events: readonly EventAnswer[]): Turn['agents'] {
  const agents = new Map<string | null, { agent_id: string | null; agent_type: string | null; events: number }>()
  for (const event of events) {
    const agent = agents.get(event.agent_id) ?? { agent_id: event.agent_id, agent_type: null, events: 0 }
    agent.events += 1
    agents.set(event.agent_id, agent)
  }
  for (const event of events) {
    if (event.kind !== 'agent_started') continue
    const agent = agents.get(textField(event, 'agent_id'))
    if (agent !== undefined) agent.agent_type = textField(event, 'agent_type')
  }
  return [...agents.values()]
}

function stagesOf(events: readonly EventAnswer[]): Turn['stages'] {
  const stages: Turn['stages'] = []
  const last = new Map<string | null, Turn['stages'][number]>()
  for (const { kind, agent_id, ts_wall } of events) {
    const stage = last.get(agent_id)
    if (stage?.kind === kind) {
      stage.ended_at = ts_wall
      stage.events += 1
      continue
    }
    const next = { kind, agent_id, started_at: ts_wall, ended_at: ts_wall, events: 1 }
    last.set(agent_id, next)
    stages.push(next)
  }
  return stages
}

/** Events that tell where a session stood. */
const RESUME_EVENTS = 50

function resume(reader: Reader, sessionId: string, budget: number): OperationOutput<'sessions.resume'> {
  const session = requireSession(reader, sessionId)
  const told = [
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
    kinds: told,
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
