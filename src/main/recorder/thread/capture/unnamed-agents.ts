import { RecentlyUsed } from '../../../base/recently-used.ts'
import type { AgentCalls } from './agent-calls.ts'

/** Bounds the agents in memory. */
const MAX_AGENTS = 500

/** A request of an agent whose client names neither its session nor the agent. */
export interface UnnamedAgentRequest {
  /** `SessionIdentity.unnamed`: shared by all requests that begin with the same message. */
  readonly beginning: string
  readonly prompt: string
  /** It is the agent's first: it has no answer yet. */
  readonly isFirst: boolean
}

/** Finds the session of agents that send no id: that of the call with their prompt. Keeps this in memory only. */
export class UnnamedAgents {
  readonly #calls: AgentCalls
  readonly #known = new RecentlyUsed<string, { readonly sessionId: string; readonly agentId: string }>(MAX_AGENTS)

  constructor(calls: AgentCalls) {
    this.#calls = calls
  }

  /** Returns the agent's session and an id for it; null if no call with its prompt is known. */
  senderOf(request: UnnamedAgentRequest): { readonly sessionId: string; readonly agentId: string } | null {
    const call = request.isFirst ? this.#calls.find(request.prompt) : null
    if (call === null) return this.#known.get(request.beginning) ?? null
    const sender = { sessionId: call.sessionId, agentId: `${call.type}-${call.callId}` }
    this.#known.set(request.beginning, sender)
    return sender
  }
}
