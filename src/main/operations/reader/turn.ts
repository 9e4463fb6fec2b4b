import { isOwnError } from '../../../shared/failures.ts'
import { AspyError } from '../../../shared/contract/errors.ts'
import type { OperationOutput } from '../../../shared/contract/index.ts'
import { firstCharacters } from '../../../shared/cut-text.ts'
import { pendingCalls } from '../../store/read/agents.ts'
import { apiCalls, type CallRow } from '../../store/read/api-usage.ts'
import { numbersOfTurn } from '../../store/read/joined-turns.ts'
import { boundsOfTurn } from '../../store/read/tools.ts'
import { listEvents, type EventAnswer } from '../../store/read/events.ts'
import { formatEvent } from '../../../shared/event-text.ts'
import { outcomeOf } from '../event-line.ts'
import type { ReaderHandler } from '../../dispatch/handlers.ts'
import { tokensOfCall } from './sessions.ts'
import { pricedCost, spentBy } from '../../../shared/spend.ts'

/** Bounds the events of a turn that are read for its stages. */
const TURN_EVENTS = 5000

export const sessionTurn: ReaderHandler<'sessions.turn'> = (reader, { session_id, turn }) => {
  const numbers = numbersOfTurn(reader, session_id, turn)
  const [number] = numbers
  const { items, next } = listEvents(reader, { session_id, turn_id: number, limit: TURN_EVENTS })
  const [first] = items
  if (first === undefined) throw new AspyError('not_found', `session ${session_id} has no turn ${turn}`)
  const times = items.map((event) => event.ts_wall).sort()
  const startedAt = times[0] ?? first.ts_wall
  const endedAt = endOf(items) ?? lastDated(items) ?? startedAt
  const prompt = items.find((event) => event.kind === 'user_prompt' && event.payload['not_a_prompt'] !== true)
  const calls = apiCalls(reader, { session_id, turn_id: number, limit: TURN_EVENTS })
  const spent = spentBy(calls)
  return {
    session_id,
    turn_id: number,
    prompt: prompt === undefined ? null : textField(prompt, 'text'),
    prompt_uuid: prompt?.uuid ?? null,
    started_at: startedAt,
    ended_at: endedAt,
    duration_ms: Date.parse(endedAt) - Date.parse(startedAt),
    tokens: calls.reduce((sum, call) => sum + tokensOfCall(call), 0),
    ...splitTokens(calls),
    models: [...Map.groupBy(calls.toReversed(), ({ model }) => model)].map(([model, own]) => ({
      model,
      calls: own.length,
      ...splitTokens(own),
    })),
    ...spent,
    cost_usd: calls.length === 0 ? null : pricedCost(spent),
    agents: agentsOf(items),
    stages: stagesOf(items),
    pending: pendingCalls(reader, session_id, numbers),
    slow_calls: slowCallsOf(items, calls, boundsOfTurn(reader, session_id, number ?? turn)),
    ...failuresOfTurn(items),
    truncated: next !== null,
  }
}

/** Requests with which a turn goes on after an end, as a Stop hook can make it. A person may compact hours later. */
const GOES_ON: ReadonlySet<unknown> = new Set(['prompt', 'loop'])

/**
 * Returns the time of a turn's end; null while it goes on. Recaps, notifications and agents in the background may
 * follow it.
 */
function endOf(events: readonly EventAnswer[]): string | null {
  const ends = events.flatMap(({ kind, ts_wall }) => (kind === 'turn_ended' ? [ts_wall] : [])).sort()
  const end = ends.at(-1) ?? null
  const goesOn = events.some(
    ({ kind, agent_id, ts_wall, payload }) =>
      kind === 'model_request' &&
      agent_id === null &&
      GOES_ON.has(payload['request_kind']) &&
      end !== null &&
      ts_wall > end,
  )
  return goesOn ? null : end
}

/** Returns the time of the last event; a request shows the output of an earlier command, whose own time nobody knows. */
function lastDated(events: readonly EventAnswer[]): string | null {
  const dated = events.filter(({ source, payload }) => source !== 'wire' || payload['level'] !== 'command_output')
  return (
    dated
      .map(({ ts_wall }) => ts_wall)
      .sort()
      .at(-1) ?? null
  )
}

function failuresOfTurn(events: readonly EventAnswer[]): Pick<Turn, 'errors' | 'api_errors' | 'failed_tools'> {
  const errors = events.flatMap((event): Turn['errors'] => {
    const by = failedBy(event)
    if (by === null) return []
    const message = event.error_message ?? formatEvent(event.kind, event.payload)
    return [{ uuid: event.uuid, ts_wall: event.ts_wall, message, by }]
  })
  const countOf = (wanted: 'api' | 'tool') => errors.filter(({ by }) => by === wanted).length
  return { errors, api_errors: countOf('api'), failed_tools: countOf('tool') }
}

/** Returns what failed; null if nothing did, or a person refused the call. */
function failedBy(event: EventAnswer): Turn['errors'][number]['by'] | null {
  if (event.kind === 'error') return isOwnError(event.payload['origin']) ? 'aspy' : 'api'
  const isFailed = event.kind === 'tool_result' && outcomeOf(event) === false && event.payload['rejected'] !== true
  return isFailed ? 'tool' : null
}

function textField(event: EventAnswer, name: string): string | null {
  const value = event.payload[name]
  return typeof value === 'string' ? value : null
}

type Turn = OperationOutput<'sessions.turn'>

/** Returns the tokens of calls by class. */
function splitTokens(calls: readonly CallRow[]) {
  const sum = (of: (call: CallRow) => number) => calls.reduce((total, call) => total + of(call), 0)
  return {
    input_tokens: sum((call) => call.input_tokens),
    output_tokens: sum((call) => call.output_tokens),
    cache_read_tokens: sum((call) => call.cache_read_tokens),
    cache_creation_tokens: sum((call) => call.cache_creation_tokens),
  }
}

const LAST_TEXT_CHARACTERS = 2000

/** Returns the agents of a turn in the order of their first event. */
function agentsOf(events: readonly EventAnswer[]): Turn['agents'] {
  const types = new Map(
    events.flatMap((event) =>
      event.kind === 'agent_started' ? [[textField(event, 'agent_id'), textField(event, 'agent_type')] as const] : [],
    ),
  )
  const endings = new Map(
    events.flatMap((event) =>
      event.kind === 'agent_ended' ? [[textField(event, 'agent_id'), textField(event, 'last_text')] as const] : [],
    ),
  )
  return [...Map.groupBy(events, (event) => event.agent_id)].map(([agent_id, own]) => {
    const times = own.map(({ ts_wall }) => ts_wall).sort()
    const [started_at = ''] = times
    const ended_at = times.at(-1) ?? started_at
    const said = own.findLast(({ kind }) => kind === 'assistant_text')
    const text = said === undefined ? (endings.get(agent_id) ?? null) : textField(said, 'text')
    const failed = own.findLast((event) => failedBy(event) !== null)
    return {
      agent_id,
      agent_type: types.get(agent_id) ?? null,
      events: own.length,
      last_text: text === null ? null : firstCharacters(text, LAST_TEXT_CHARACTERS),
      error: failed === undefined ? null : (failed.error_message ?? formatEvent(failed.kind, failed.payload)),
      started_at,
      ended_at,
      duration_ms: between(started_at, ended_at),
    }
  })
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
    if (stage !== undefined) stage.duration_ms = between(stage.started_at, ts_wall)
    const next = { kind, agent_id, started_at: ts_wall, ended_at: ts_wall, duration_ms: 0, events: 1 }
    last.set(agent_id, next)
    stages.push(next)
  }
  for (const stage of last.values()) stage.duration_ms = between(stage.started_at, stage.ended_at)
  return stages
}

/** Returns the milliseconds between two times; 0 if an older source reported the end before the start. */
const between = (from: string, to: string): number => Math.max(0, Date.parse(to) - Date.parse(from))

const SLOW_CALLS = 10

/** Returns the tools and API calls that the turn waited for longest. */
function slowCallsOf(events: readonly EventAnswer[], calls: readonly CallRow[], bounds: ReadonlyMap<string, number>) {
  const tools = new Map<unknown, unknown>(
    events.flatMap(({ kind, payload }) => (kind === 'tool_call' ? [[payload['call_id'], payload['tool_name']]] : [])),
  )
  const results = events.flatMap((event) => {
    const { uuid, kind, agent_id, payload } = event
    const bound = bounds.get(uuid)
    const duration_ms = bound ?? event.duration_ms
    if (kind !== 'tool_result' || duration_ms === null) return []
    const name = textField(event, 'tool_name') ?? tools.get(payload['call_id'])
    const tool = { uuid, by: 'tool' as const, name: typeof name === 'string' ? name : '' }
    return [{ ...tool, agent_id, duration_ms, upper_bound: bound !== undefined }]
  })
  const models = calls.flatMap(({ uuid, model, agent_id, duration_ms }) =>
    duration_ms === null
      ? []
      : [{ uuid, by: 'model' as const, name: model, agent_id, duration_ms, upper_bound: false }],
  )
  return [...results, ...models].sort((a, b) => b.duration_ms - a.duration_ms).slice(0, SLOW_CALLS)
}
