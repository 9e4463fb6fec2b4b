import { agentPrompt } from '../../../decode/client/agent-prompt.ts'
import type { AnyDraft } from '../../../decode/draft.ts'

/** Bounds the calls that wait for their agent's first request, over all sessions. */
const MAX_WAITING = 1000

/** Links an agent's first request to the call that started it by their common prompt. Keeps hashes, in memory only. */
export interface AgentCalls {
  /** Remembers the agent calls among a response's drafts. */
  note(drafts: readonly AnyDraft[]): void
  /** Takes the oldest unmatched call of the session with this prompt. Returns its call id; null if there is none. */
  take(sessionId: string, prompt: string): string | null
}

export function createAgentCalls(hash: (text: string) => string): AgentCalls {
  const waiting = new Map<string, string>()
  const keyOf = (sessionId: string, prompt: string) => hash(`agent-call:${sessionId}:${prompt.trim()}`)
  return {
    note(drafts) {
      for (const draft of drafts) {
        if (draft.kind !== 'tool_call') continue
        const prompt = agentPrompt(draft.payload)
        if (prompt === null) continue
        waiting.set(draft.payload.call_id, keyOf(draft.session_id, prompt))
        const eldest = waiting.keys().next()
        if (waiting.size > MAX_WAITING && !eldest.done) waiting.delete(eldest.value)
      }
    },
    take(sessionId, prompt) {
      const key = keyOf(sessionId, prompt)
      for (const [callId, known] of waiting) {
        if (known !== key) continue
        waiting.delete(callId)
        return callId
      }
      return null
    },
  }
}
