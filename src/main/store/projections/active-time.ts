import type { AnyEvent } from '../../../shared/event.ts'
import { RecentlyUsed } from '../../base/recently-used.ts'
import type { ProjectionContext } from './projection.ts'

/** A longer pause within a turn does not count as work. */
const LONGEST_GAP_MS = 5 * 60_000

/** Events that end a person's pause, or a wait for a decision at a cap: the time before them is idle. */
const AFTER_A_PAUSE = new Set<string>(['user_prompt', 'session_started', 'session_ended', 'guard_action'])

/** Measures how long sessions were at work, event by event. */
export type ActiveTime = ReturnType<typeof createActiveTime>

interface Moment {
  readonly ts_wall: string
  readonly kind: string
}

/** Newest moments kept per session: out-of-order events are mostly only a little late. */
const MOMENTS_KEPT = 16
const SESSIONS_KEPT = 200

/**
 * Computes the change to a session's working time: the sum, over its events in order of time, of the gaps that lie within
 * turns and are not too long. An event between older ones splits a gap.
 */
export function createActiveTime(prepare: ProjectionContext['prepare']) {
  // `id < ?`: during a rebuild, the log already contains later events.
  const before = prepare<[string, string, number], string>(
    `SELECT ts_wall FROM events WHERE session_id = ? AND ts_wall <= ? AND id < ? ORDER BY ts_wall DESC, id DESC LIMIT 1`,
  ).pluck()
  const after = prepare<[string, string, number], Moment>(
    `SELECT ts_wall, kind FROM events WHERE session_id = ? AND ts_wall > ? AND id < ? ORDER BY ts_wall, id LIMIT 1`,
  )
  /** The newest moments of each session, in order of time and then arrival, complete from the first of them on. */
  const newest = new RecentlyUsed<string, Moment[]>(SESSIONS_KEPT)

  function around({ session_id, ts_wall, id, kind }: AnyEvent): { previous: string | null; next: Moment | null } {
    const moments = newest.get(session_id)
    if (moments === undefined || ts_wall < (moments[0]?.ts_wall ?? '')) {
      const previous = before.get(session_id, ts_wall, id) ?? null
      return { previous, next: after.get(session_id, ts_wall, id) ?? null }
    }
    let at = moments.length
    while (at > 0 && (moments[at - 1]?.ts_wall ?? '') > ts_wall) at -= 1
    const found = { previous: moments[at - 1]?.ts_wall ?? null, next: moments[at] ?? null }
    moments.splice(at, 0, { ts_wall, kind })
    if (moments.length > MOMENTS_KEPT) moments.shift()
    return found
  }

  function follow({ session_id, ts_wall, kind }: AnyEvent): void {
    const moments = newest.get(session_id)
    if (moments === undefined) return newest.set(session_id, [{ ts_wall, kind }])
    moments.push({ ts_wall, kind })
    if (moments.length > MOMENTS_KEPT) moments.shift()
  }

  return {
    /** Returns the change in milliseconds for a new event; `lastEventAt` is the latest time of the session's earlier events. */
    change(event: AnyEvent, lastEventAt: string): number {
      if (event.ts_wall >= lastEventAt) {
        follow(event)
        return gap(lastEventAt, event)
      }
      const { previous, next } = around(event)
      const whole = previous !== null && next !== null ? gap(previous, next) : 0
      return (previous === null ? 0 : gap(previous, event)) + (next === null ? 0 : gap(event.ts_wall, next)) - whole
    },
    /** Called after a rollback. */
    discard: () => newest.clear(),
  }
}

function gap(from: string, to: Moment): number {
  if (AFTER_A_PAUSE.has(to.kind)) return 0
  const length = Date.parse(to.ts_wall) - Date.parse(from)
  return length > LONGEST_GAP_MS || length < 0 ? 0 : length
}
