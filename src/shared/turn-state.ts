import { firstCharacters } from './cut-text.ts'
import type { EventKind, EventSource } from './event.ts'
import { isGuardStop } from './failures.ts'
import type { Correction, EventSummary } from './live-feed.ts'
import { isOwnDeedSummary } from './own-deed.ts'

/** Activity of an agent in a running turn. */
interface LiveAgent {
  readonly agent_id: string
  readonly name: string
  readonly ended: boolean
}

/** A session in the live feed: its newest turn and that turn's usage so far. */
export interface LiveSession {
  readonly session_id: string
  readonly project: string | null
  readonly turn_id: number
  /** Prompt of the running turn; null if it was sent before the first known event. */
  readonly prompt: string | null
  readonly turn_started_at: string
  readonly last_event_at: string
  readonly last_kind: EventKind
  readonly last_tool: string | null
  readonly agents: readonly LiveAgent[]
  readonly tokens: number
  readonly cost_usd: number
  readonly unpriced: number
  readonly tools: number
  readonly errors: number
  readonly api_errors: number
  readonly failed_tools: number
  /** Model of the main agent. */
  readonly model: string | null
  /** Context size: tokens sent and received by the main agent's newest call; null if not known yet. */
  readonly context: number | null
  readonly sources: readonly EventSource[]
  /** Its client exits after its turn. */
  readonly is_print: boolean
}

/** Kinds of events that a client's own upkeep requests (`HEAD /api/hello`, a token count) can leave in the log. */
export const TRAFFIC_KINDS: readonly EventKind[] = ['model_request', 'model_response', 'rate_limit']

/** Returns true if only requests of a session are known: such a session is not shown as active. */
export function hasOnlyTraffic(session: LiveSession): boolean {
  const { last_kind, prompt, tokens, tools, errors, agents } = session
  return TRAFFIC_KINDS.includes(last_kind) && prompt === null && tokens + tools + errors + agents.length === 0
}

/** State of the sessions with a running turn, as of a log id. */
export interface RunningTurns {
  /** Events up to and including this log id are counted. */
  readonly through: number
  /** The session silent for longest first. */
  readonly sessions: readonly LiveSession[]
}

interface Update<Kind extends string, Payload> {
  readonly kind: Kind
  readonly payload: Payload
}

/** Changed fields after an event. `reset`: a turn begins, and the payload is the whole state. */
export type TurnUpdate =
  | Update<'reset', LiveSession>
  | Update<'seen', Pick<LiveSession, 'project' | 'sources' | 'last_event_at' | 'is_print'>>
  | Update<'activity', Pick<LiveSession, 'last_kind' | 'last_tool'>>
  | Update<'prompt', Pick<LiveSession, 'prompt' | 'turn_started_at'>>
  | Update<'tools', Pick<LiveSession, 'tools'>>
  | Update<'errors', Pick<LiveSession, 'errors'>>
  | Update<'failures', Pick<LiveSession, 'api_errors' | 'failed_tools'>>
  | Update<'usage', Pick<LiveSession, 'tokens' | 'cost_usd' | 'unpriced'>>
  | Update<'context', Pick<LiveSession, 'model' | 'context'>>
  | Update<'agents', Pick<LiveSession, 'agents'>>

/** Calls whose text is kept until their agent starts, and characters of each. */
const MAX_TASKS = 200
const MAX_TASK = 120

/** The state of a session's newest turn. */
export type TurnState = ReturnType<typeof createTurnState>

/** Follows the turns of one session, from nothing or from a known state. Each prompt resets the fields of the turn. */
export function createTurnState(known: LiveSession | null = null) {
  let state = known
  /** Descriptions of recent calls, by uuid: an agent is named after the task of the call that started it. */
  const tasks = new Map<string, string>()
  const named = (event: EventSummary): EventSummary => {
    const task = event.kind === 'agent_started' ? tasks.get(event.parent_uuid ?? '') : undefined
    return task === undefined ? event : { ...event, text: task }
  }
  return {
    /** Applies an event of the session, in the order of the log. */
    apply(event: EventSummary): readonly TurnUpdate[] {
      if (isOwnDeedSummary(event)) return []
      if (event.kind === 'tool_call' && event.text !== '') {
        tasks.set(event.uuid, firstCharacters(event.text, MAX_TASK))
        for (const uuid of tasks.keys()) if (tasks.size > MAX_TASKS) tasks.delete(uuid)
      }
      const updates = updatesOf(state, named(event))
      for (const update of updates) state = updated(state, update)
      return updates
    },
    /** Applies the correction of a prompt. */
    correct({ turn_id, is_prompt, text }: Correction) {
      if (state?.turn_id === turn_id) state = { ...state, prompt: is_prompt ? text : null }
    },
    /** Returns a new object for each change; null before the first event. */
    get state() {
      return state
    },
  }
}

function updated(state: LiveSession | null, update: TurnUpdate): LiveSession | null {
  if (update.kind === 'reset') return update.payload
  return state && { ...state, ...update.payload }
}

/** An event of an older turn changes only fields that all turns share. */
function updatesOf(before: LiveSession | null, event: EventSummary): readonly TurnUpdate[] {
  const begins = before === null || event.turn_id > before.turn_id
  const turn = begins ? { ...(before ?? emptySession(event)), ...emptyTurn(event) } : before
  const reset: readonly TurnUpdate[] = begins ? [{ kind: 'reset', payload: turn }] : []
  const seen: TurnUpdate = {
    kind: 'seen',
    payload: {
      project: event.project ?? turn.project,
      is_print: event.kind === 'model_request' ? event.is_print === true : turn.is_print,
      sources: turn.sources.includes(event.source) ? turn.sources : [...turn.sources, event.source],
      last_event_at: event.ts_wall > turn.last_event_at ? event.ts_wall : turn.last_event_at,
    },
  }
  if (event.turn_id < turn.turn_id) return [seen]
  return [...reset, seen, ...activityOf(turn, event), ...failuresOf(turn, event), ...updatesOfKind(turn, event)]
}

function emptySession(event: EventSummary) {
  return {
    session_id: event.session_id,
    project: event.project,
    last_event_at: event.ts_wall,
    last_kind: event.kind,
    last_tool: null,
    model: null,
    context: null,
    sources: [],
    is_print: false,
  }
}

function emptyTurn(event: EventSummary) {
  return {
    turn_id: event.turn_id,
    prompt: null,
    turn_started_at: event.ts_wall,
    agents: [],
    tokens: 0,
    cost_usd: 0,
    unpriced: 0,
    tools: 0,
    errors: 0,
    api_errors: 0,
    failed_tools: 0,
  }
}

/**
 * Kinds that do not change the state: usage and limits accompany another event, and requests and responses may be side
 * calls of the client (a title, a suggestion), which are not part of the turn.
 */
const SILENT: ReadonlySet<EventKind> = new Set([
  'api_usage',
  'rate_limit',
  'notification',
  'unknown',
  'model_request',
  'model_response',
  'state_change',
  'task_update',
])

/** Returns whether an event changes the session's activity. Agents are shown separately and do not end a turn. */
function activityOf(turn: LiveSession, event: EventSummary): readonly TurnUpdate[] {
  if (SILENT.has(event.kind) || event.agent_id !== null) return []
  // A person or a cap ended the turn, and nothing failed.
  const last_kind = event.kind === 'error' && isGuardStop(event.text) ? 'turn_ended' : event.kind
  const tool = event.kind === 'tool_call' ? (event.tool_name ?? null) : turn.last_tool
  return [{ kind: 'activity', payload: { last_kind, last_tool: tool } }]
}

function failuresOf(turn: LiveSession, { failure }: EventSummary): readonly TurnUpdate[] {
  if (failure === undefined) return []
  const { api_errors, failed_tools } = turn
  const payload =
    failure === 'api' ? { api_errors: api_errors + 1, failed_tools } : { api_errors, failed_tools: failed_tools + 1 }
  return [{ kind: 'failures', payload }]
}

function updatesOfKind(turn: LiveSession, event: EventSummary): readonly TurnUpdate[] {
  const isMain = event.agent_id === null
  switch (event.kind) {
    case 'user_prompt':
      return isMain ? [{ kind: 'prompt', payload: { prompt: event.text, turn_started_at: event.ts_wall } }] : []
    case 'tool_call':
      return [{ kind: 'tools', payload: { tools: turn.tools + 1 } }]
    case 'error':
      return [{ kind: 'errors', payload: { errors: turn.errors + 1 } }]
    case 'compaction':
      return isMain ? [{ kind: 'context', payload: { model: turn.model, context: null } }] : []
    case 'api_usage':
      return usageOf(turn, event)
    case 'agent_started':
      return [withAgent(turn, event, false)]
    case 'agent_ended':
      return [withAgent(turn, event, true)]
    default:
      return isMain || turn.agents.some((agent) => agent.agent_id === event.agent_id)
        ? []
        : [withAgent(turn, event, false)]
  }
}

function usageOf(turn: LiveSession, event: EventSummary): readonly TurnUpdate[] {
  const usage: TurnUpdate = {
    kind: 'usage',
    payload: {
      tokens: turn.tokens + (event.tokens ?? 0),
      cost_usd: turn.cost_usd + (event.cost_usd ?? 0),
      unpriced: turn.unpriced + (event.cost_usd === null ? 1 : 0),
    },
  }
  if (isSideCall(turn, event)) return [usage]
  const payload = { model: event.model ?? turn.model, context: event.tokens ?? turn.context }
  return [usage, { kind: 'context', payload }]
}

/** Calls to other models are side work (a title, a summary, a subagent) and do not show the main agent's context. */
function isSideCall(turn: LiveSession, usage: EventSummary): boolean {
  if (usage.agent_id !== null) return true
  if (turn.context === null || turn.model === null || usage.model === turn.model) return false
  return (usage.tokens ?? 0) < turn.context / 2
}

function withAgent({ agents }: LiveSession, event: EventSummary, ended: boolean): TurnUpdate {
  const agentId = event.agent_id ?? event.text
  const known = agents.find((agent) => agent.agent_id === agentId)
  const name = event.kind === 'agent_started' && event.text !== '' ? event.text : (known?.name ?? 'agent')
  const others = agents.filter((agent) => agent.agent_id !== agentId)
  return { kind: 'agents', payload: { agents: [...others, { agent_id: agentId, name, ended }] } }
}
