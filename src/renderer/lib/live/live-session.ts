import type { LiveSession } from '../../../shared/turn-state.ts'

/** The state of a session, shown on its card. */
export type LiveState = 'thinking' | 'writing' | 'calling' | 'tool' | 'waiting' | 'done' | 'error' | 'quiet'

const QUIET_MS = 120_000

/** Returns a session's state. Text being written takes precedence over the last event. */
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
