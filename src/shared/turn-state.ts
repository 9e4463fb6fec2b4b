import type { EventKind, EventSource } from './event.ts'
import type { EventSummary } from './live-feed.ts'

/** What an agent of a running turn has done. */
interface LiveAgent {
  readonly agent_id: string
  readonly name: string
  readonly ended: boolean
}

/** A session as the live feed knows it: its newest turn and what that turn has used so far. */
export interface LiveSession {
  readonly session_id: string
  readonly project: string | null
  readonly turn_id: number
  /** The prompt of the running turn; null where it was asked before what is known of it. */
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
  /** Of the main agent. */
  readonly model: string | null
  /** Tokens that the main agent's newest call sent and wrote: what fills its context; null: not known yet. */
  readonly context: number | null
  readonly sources: readonly EventSource[]
}

/** How sessions with a running turn stood once the log had come to an id. */
export interface RunningTurns {
  /** Events up to and with this log id are counted in. */
  readonly through: number
  /** Longest silent first. */
  readonly sessions: readonly LiveSession[]
}

interface Update<Kind extends string, Payload> {
  readonly kind: Kind
  readonly payload: Payload
}

/** What an event changes: the fields that are new. `reset`: a turn begins, and all is as the payload says. */
export type TurnUpdate =
  | Update<'reset', LiveSession>
  | Update<'seen', Pick<LiveSession, 'project' | 'sources' | 'last_event_at'>>
  | Update<'activity', Pick<LiveSession, 'last_kind' | 'last_tool'>>
  | Update<'prompt', Pick<LiveSession, 'prompt' | 'turn_started_at'>>
  | Update<'tools', Pick<LiveSession, 'tools'>>
  | Update<'errors', Pick<LiveSession, 'errors'>>
  | Update<'usage', Pick<LiveSession, 'tokens' | 'cost_usd' | 'unpriced'>>
  | Update<'context', Pick<LiveSession, 'model' | 'context'>>
  | Update<'agents', Pick<LiveSession, 'agents'>>

/** The state of a session's newest turn. */
export interface TurnState {
  /** Takes in an event of the session, in the order of the log. */
  apply(event: EventSummary): readonly TurnUpdate[]
  /** A new object for each change; null before the first event. */
  readonly state: LiveSession | null
}

/** Follows one session's turns, from nothing or from where it stood; each prompt resets what is a turn's own. */
export function createTurnState(known: LiveSession | null = null): TurnState {
  let state = known
  return {
    apply(event) {
      const updates = updatesOf(state, event)
      for (const update of updates) state = updated(state, update)
      return updates
    },
    get state() {
      return state
    },
  }
}

function updated(state: LiveSession | null, update: TurnUpdate): LiveSession | null {
  if (update.kind === 'reset') return update.payload
  return state && { ...state, ...update.payload }
}

/** Events of turns before the newest change only what is common to all turns. */
function updatesOf(before: LiveSession | null, event: EventSummary): readonly TurnUpdate[] {
  const begins = before === null || event.turn_id > before.turn_id
  const turn = begins ? { ...(before ?? emptySession(event)), ...emptyTurn(event) } : before
  const reset: readonly TurnUpdate[] = begins ? [{ kind: 'reset', payload: turn }] : []
  const seen: TurnUpdate = {
    kind: 'seen',
    payload: {
      project: event.project ?? turn.project,
      sources: turn.sources.includes(event.source) ? turn.sources : [...turn.sources, event.source],
      last_event_at: event.ts_wall > turn.last_event_at ? event.ts_wall : turn.last_event_at,
    },
  }
  if (event.turn_id < turn.turn_id) return [seen]
  return [...reset, seen, ...activityOf(turn, event), ...updatesOfKind(turn, event)]
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
  }
}

/**
 * Kinds that set no state of their own: usage and limits come after the fact they belong to, and requests and responses
 * may be the client's own side calls (a title, a suggestion), which begin and end beside the turn.
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

/** Whether an event changes what its session does: what an agent does is shown beside it, and ends no turn. */
function activityOf(turn: LiveSession, event: EventSummary): readonly TurnUpdate[] {
  if (SILENT.has(event.kind) || event.agent_id !== null) return []
  const tool = event.kind === 'tool_call' ? (event.tool_name ?? null) : turn.last_tool
  return [{ kind: 'activity', payload: { last_kind: event.kind, last_tool: tool } }]
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

/** Other models do side work (a title, a summary, a subagent's): such a call says nothing of the main agent's context. */
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
