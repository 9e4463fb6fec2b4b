import { useNow } from '../lib/live/live-context.tsx'
import { Badge } from './badge.tsx'
import { isActive } from '../lib/live/live-session.ts'
import { DAY_MS, HOUR_MS } from '../../shared/time-units.ts'

const TICK_MS = 30_000

interface SessionStateProps {
  readonly session: { readonly ended_at: string | null; readonly last_event_at: string }
}

/**
 * Shows that a session is active, or for how long it has been idle. Renders nothing for a session that ended or has
 * been idle for a day.
 */
export function SessionState({ session }: SessionStateProps) {
  const text = sessionState(session, useNow(TICK_MS))
  if (text === null) return null
  return <Badge tone={text === 'active' ? 'good' : 'plain'}>{text}</Badge>
}

/** Returns `active`, `idle 14 min`, `idle 3 h`, or null. */
export function sessionState(session: SessionStateProps['session'], now: number): string | null {
  const idle = now - Date.parse(session.last_event_at)
  if (session.ended_at !== null || idle >= DAY_MS) return null
  if (isActive(session, now)) return 'active'
  return idle < HOUR_MS ? `idle ${Math.floor(idle / 60_000)} min` : `idle ${Math.floor(idle / HOUR_MS)} h`
}
