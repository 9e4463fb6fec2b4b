import type { Session } from '../../../shared/contract/sessions.ts'
import type { LiveSession } from '../../../shared/turn-state.ts'

/** The state of a session, shown on its card. */
export type LiveState =
  | 'thinking'
  | 'writing'
  | 'calling'
  | 'tool'
  | 'starting'
  | 'waiting'
  | 'done'
  | 'ended'
  | 'unused'
  | 'error'
  | 'quiet'

/** A session without an event for this long is idle, here and in the list. */
export const ACTIVE_MS = 2 * 60_000
/** The first request follows its prompt sooner. */
const CAPTURED_MS = 15_000

/** Returns whether a session has no end, and had an event in the last two minutes. */
export const isActive = (session: Pick<Session, 'ended_at' | 'last_event_at'>, now: number): boolean =>
  session.ended_at === null && now - Date.parse(session.last_event_at) < ACTIVE_MS

/** Returns when a session ended; null if its client goes on. */
export const endOf = (session: LiveSession, recorded?: Pick<Session, 'ended_at'>): string | null => {
  const { last_event_at: last, last_kind: kind, is_print } = session
  if (kind === 'session_ended' || (is_print && kind === 'turn_ended')) return last
  const ended = recorded?.ended_at ?? null
  return ended !== null && ended >= last ? ended : null
}

/** Returns whether no request of a session has passed: only hooks or its transcript tell of it. */
const hasNoRequest = ({ sources }: LiveSession): boolean => sources.every((name) => name !== 'wire' && name !== 'api')

/** Returns whether a session is not captured: a prompt has passed, and no request came soon after it. */
export const isUncaptured = (session: LiveSession, now: number): boolean =>
  hasNoRequest(session) && session.prompt !== null && now - Date.parse(session.turn_started_at) > CAPTURED_MS

/** Returns a session's state. Text being written takes precedence over the last event, and an end over both. */
export function stateOf(
  session: LiveSession,
  writing: 'thinking' | 'text' | 'tool_input' | null,
  now: number,
  recorded?: Pick<Session, 'ended_at'>,
): LiveState {
  if (endOf(session, recorded) !== null) return hasPrompt(session) ? 'ended' : 'unused'
  if (writing === 'thinking') return 'thinking'
  if (writing === 'text') return 'writing'
  if (writing === 'tool_input') return 'calling'
  const idle = now - Date.parse(session.last_event_at) >= ACTIVE_MS
  if (session.last_kind === 'session_started' && hasNoRequest(session))
    return idle ? 'quiet' : now - Date.parse(session.last_event_at) < CAPTURED_MS ? 'starting' : 'done'
  switch (session.last_kind) {
    case 'turn_ended':
      return 'done'
    case 'error':
      return 'error'
    case 'tool_call':
      return idle ? 'quiet' : 'tool'
    default:
      return idle ? 'quiet' : 'waiting'
  }
}

const hasPrompt = ({ prompt, turn_id, tokens, sources }: LiveSession): boolean =>
  prompt !== null || turn_id > 1 || tokens > 0 || sources.includes('wire')
