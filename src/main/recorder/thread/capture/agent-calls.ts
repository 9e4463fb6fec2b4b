import { RecentlyUsed } from '../../../base/recently-used.ts'
import { agentPrompt } from '../../../decode/client/agent-prompt.ts'
import type { Json } from '../../../../shared/event.ts'
import { filledString, objectOf } from '../../../../shared/json-fields.ts'
import type { AnyDraft } from '../../../decode/draft.ts'

/** Bounds the calls that wait for their agent's first request, over all sessions. */
const MAX_WAITING = 1000

/** A call that starts an agent. */
export interface AgentCall {
  readonly callId: string
  readonly sessionId: string
  /** Name of the agent's kind; `agent` if the call names none. */
  readonly type: string
}

/** Links an agent's first request to the call that started it by their common prompt. Keeps hashes, in memory only. */
export type AgentCalls = ReturnType<typeof createAgentCalls>

export function createAgentCalls(hash: (text: string) => string) {
  const waiting = new Map<string, AgentCall & { readonly prompt: string }>()
  const started = new RecentlyUsed<string, string>(MAX_WAITING)
  const hashOf = (prompt: string) => hash(`agent-call:${prompt.trim()}`)
  return {
    /** Remembers the agent calls among a response's drafts. */
    note(drafts: readonly AnyDraft[]) {
      for (const draft of drafts) {
        if (draft.kind !== 'tool_call') continue
        const prompt = agentPrompt(draft.payload)
        if (prompt === null) continue
        const { call_id: callId, input } = draft.payload
        waiting.set(callId, { callId, sessionId: draft.session_id, type: typeOf(input), prompt: hashOf(prompt) })
        const eldest = waiting.keys().next()
        if (waiting.size > MAX_WAITING && !eldest.done) waiting.delete(eldest.value)
      }
    },
    /** Remembers the agents that a request's drafts start. */
    noteStarts(drafts: readonly AnyDraft[]) {
      for (const draft of drafts) {
        if (draft.kind !== 'agent_started' || draft.payload.call_id === null) continue
        started.set(draft.payload.call_id, draft.payload.agent_id)
      }
    },
    /** Returns the agent that a call started; null if none is known. */
    agentOf: (callId: string) => started.get(callId) ?? null,
    /** Takes the oldest unmatched call of the session with this prompt. Returns its call id; null if there is none. */
    take(sessionId: string, prompt: string) {
      const wanted = hashOf(prompt)
      for (const [callId, known] of waiting) {
        if (known.sessionId !== sessionId || known.prompt !== wanted) continue
        waiting.delete(callId)
        return callId
      }
      return null
    },
    /** Returns the oldest unmatched call with this prompt in any session; null if there is none. */
    find(prompt: string): AgentCall | null {
      const wanted = hashOf(prompt)
      return waiting.values().find((call) => call.prompt === wanted) ?? null
    },
  }
}

function typeOf(input: Json): string {
  const { subagent_type: type, agent_type: other } = objectOf(input)
  return filledString(type) ?? filledString(other) ?? 'agent'
}
