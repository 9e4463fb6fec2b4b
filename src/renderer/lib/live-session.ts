import type { EventKind, EventSource } from '../../shared/event.ts'
import type { EventSummary } from '../../shared/live-feed.ts'

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
  /** The prompt of the running turn; null where it was asked before the feed began. */
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

/** The session after one more event. Events of turns before its newest change only what is common to all turns. */
export function afterEvent(before: LiveSession | undefined, event: EventSummary): LiveSession {
  const base: LiveSession = before ?? {
    session_id: event.session_id,
    project: event.project,
    last_event_at: event.ts_wall,
    last_kind: event.kind,
    last_tool: null,
    model: null,
    context: null,
    sources: [],
    ...emptyTurn(event),
  }
  const turn = event.turn_id > base.turn_id ? { ...base, ...emptyTurn(event) } : base
  const common = {
    project: event.project ?? turn.project,
    sources: turn.sources.includes(event.source) ? turn.sources : [...turn.sources, event.source],
    last_event_at: event.ts_wall > turn.last_event_at ? event.ts_wall : turn.last_event_at,
  }
  if (event.turn_id < turn.turn_id) return { ...turn, ...common }
  const seen = {
    ...turn,
    ...common,
    last_kind: tellsState(event) ? event.kind : turn.last_kind,
    last_tool: event.kind === 'tool_call' && event.agent_id === null ? (event.tool_name ?? null) : turn.last_tool,
  }
  switch (event.kind) {
    case 'user_prompt':
      return event.agent_id === null ? { ...seen, prompt: event.text, turn_started_at: event.ts_wall } : seen
    case 'tool_call':
      return { ...seen, tools: seen.tools + 1 }
    case 'error':
      return { ...seen, errors: seen.errors + 1 }
    case 'compaction':
      return event.agent_id === null ? { ...seen, context: null } : seen
    case 'api_usage':
      return {
        ...seen,
        ...(isSideCall(seen, event) ? {} : { model: event.model ?? seen.model, context: event.tokens ?? seen.context }),
        tokens: seen.tokens + (event.tokens ?? 0),
        cost_usd: seen.cost_usd + (event.cost_usd ?? 0),
        unpriced: seen.unpriced + (event.cost_usd === null ? 1 : 0),
      }
    case 'agent_started':
      return { ...seen, agents: withAgent(seen.agents, event, false) }
    case 'agent_ended':
      return { ...seen, agents: withAgent(seen.agents, event, true) }
    default:
      return event.agent_id === null || seen.agents.some((agent) => agent.agent_id === event.agent_id)
        ? seen
        : { ...seen, agents: withAgent(seen.agents, event, false) }
  }
}

/** Other models do side work (a title, a summary, a subagent's): such a call says nothing of the main agent's context. */
function isSideCall(session: LiveSession, usage: EventSummary): boolean {
  if (usage.agent_id !== null) return true
  if (session.context === null || session.model === null || usage.model === session.model) return false
  return (usage.tokens ?? 0) < session.context / 2
}

/** Whether an event changes what its session does: what an agent does is shown beside it, and ends no turn. */
function tellsState(event: EventSummary): boolean {
  return !SILENT.has(event.kind) && event.agent_id === null
}

function withAgent(agents: readonly LiveAgent[], event: EventSummary, ended: boolean): readonly LiveAgent[] {
  const agentId = event.agent_id ?? event.text
  const known = agents.find((agent) => agent.agent_id === agentId)
  const name = event.kind === 'agent_started' && event.text !== '' ? event.text : (known?.name ?? 'agent')
  return [...agents.filter((agent) => agent.agent_id !== agentId), { agent_id: agentId, name, ended }]
}

/** How a session stands, for its badge. */
export type LiveState = 'thinking' | 'writing' | 'calling' | 'tool' | 'waiting' | 'done' | 'error' | 'quiet'

const QUIET_MS = 120_000

/** What a session does now: what is being written wins over what was done last. */
export function stateOf(
  session: LiveSession,
  writing: 'thinking' | 'text' | 'tool_input' | null,
  now: number,
): LiveState {
  if (writing === 'thinking') return 'thinking'
  if (writing === 'text') return 'writing'
  if (writing === 'tool_input') return 'calling'
  const idle = now - Date.parse(session.last_event_at) > QUIET_MS
  switch (session.last_kind) {
    case 'turn_ended':
    case 'session_ended':
      return 'done'
    case 'error':
      return 'error'
    case 'tool_call':
      return idle ? 'quiet' : 'tool'
    default:
      return idle ? 'quiet' : 'waiting'
  }
}
