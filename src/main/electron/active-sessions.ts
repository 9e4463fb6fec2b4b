import type { EventSummary } from '../../shared/live-feed.ts'
import { TRAFFIC_KINDS } from '../../shared/turn-state.ts'

/** Time in ms that a session counts as active after its last event: the Live view shows those. */
const ACTIVE_MS = 30 * 60_000

type Seen = Pick<EventSummary, 'session_id' | 'kind' | 'source' | 'ts_wall'>

/** Tracks active sessions from the live feed. */
export type ActiveSessions = ReturnType<typeof createActiveSessions>

export function createActiveSessions() {
  const sessions = new Map<string, { lastAt: number; isThroughProxy: boolean }>()
  return {
    add(events: readonly Seen[]) {
      for (const event of events) {
        if (event.kind === 'session_ended') {
          sessions.delete(event.session_id)
          continue
        }
        const known = sessions.get(event.session_id)
        if (known === undefined && TRAFFIC_KINDS.includes(event.kind)) continue
        sessions.set(event.session_id, {
          lastAt: Math.max(known?.lastAt ?? 0, Date.parse(event.ts_wall)),
          isThroughProxy: (known?.isThroughProxy ?? false) || event.source === 'wire',
        })
      }
    },
    /** Counts the sessions active at a time (ms since 1970), and how many of them use the proxy. */
    count(now: number): { readonly sessions: number; readonly clients: number } {
      for (const [id, { lastAt }] of sessions) {
        // Absolute difference: after the clock is set back, a session would otherwise stay active for hours.
        if (Math.abs(now - lastAt) > ACTIVE_MS) sessions.delete(id)
      }
      const active = [...sessions.values()]
      return { sessions: active.length, clients: active.filter(({ isThroughProxy }) => isThroughProxy).length }
    },
  }
}
