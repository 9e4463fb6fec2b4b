import type { EventSummary } from '../../shared/live-feed.ts'

/** A session counts as active so long after its last event, in ms; the Live view goes by the same. */
const ACTIVE_MS = 30 * 60_000

type Seen = Pick<EventSummary, 'session_id' | 'kind' | 'source' | 'ts_wall'>

/** Sessions by what the live feed told of them. */
export interface ActiveSessions {
  see(events: readonly Seen[]): void
  /** Sessions active at that moment (ms since 1970), and those of them whose client speaks through the proxy. */
  count(now: number): { readonly sessions: number; readonly clients: number }
}

export function createActiveSessions(): ActiveSessions {
  const sessions = new Map<string, { lastAt: number; isThroughProxy: boolean }>()
  return {
    see(events) {
      for (const event of events) {
        if (event.kind === 'session_ended') {
          sessions.delete(event.session_id)
          continue
        }
        const known = sessions.get(event.session_id)
        sessions.set(event.session_id, {
          lastAt: Math.max(known?.lastAt ?? 0, Date.parse(event.ts_wall)),
          isThroughProxy: (known?.isThroughProxy ?? false) || event.source === 'wire',
        })
      }
    },
    count(now) {
      for (const [id, { lastAt }] of sessions) {
        // Either way: a clock that was set back would keep a session for hours.
        if (Math.abs(now - lastAt) > ACTIVE_MS) sessions.delete(id)
      }
      const active = [...sessions.values()]
      return { sessions: active.length, clients: active.filter(({ isThroughProxy }) => isThroughProxy).length }
    },
  }
}
