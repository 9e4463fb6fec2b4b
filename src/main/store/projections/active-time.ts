import type { AnyEvent } from '../../../shared/event.ts'
import type { ProjectionContext } from './projection.ts'

/** A longer silence within a turn is not work. */
const LONGEST_GAP_MS = 5 * 60_000

/** What a person's pause comes before: the time until it is nobody's work. */
const AFTER_A_PAUSE = new Set<string>(['user_prompt', 'session_started', 'session_ended'])

interface Moment {
  readonly ts_wall: string
  readonly kind: string
}

/**
 * By how much a new event changes the time its session was at work: the sum, over the session's events in order of time,
 * of the gaps that lie within turns and are not too long. An event amid older ones splits a gap.
 */
export function createActiveTime(
  prepare: ProjectionContext['prepare'],
): (event: AnyEvent, lastEventAt: string) => number {
  // `id < ?`: a rebuild finds later events in the log already.
  const before = prepare<[string, string, number], string>(
    `SELECT ts_wall FROM events WHERE session_id = ? AND ts_wall <= ? AND id < ? ORDER BY ts_wall DESC, id DESC LIMIT 1`,
  ).pluck()
  const after = prepare<[string, string, number], Moment>(
    `SELECT ts_wall, kind FROM events WHERE session_id = ? AND ts_wall > ? AND id < ? ORDER BY ts_wall, id LIMIT 1`,
  )
  return (event, lastEventAt) => {
    if (event.ts_wall >= lastEventAt) return gap(lastEventAt, event)
    const previous = before.get(event.session_id, event.ts_wall, event.id) ?? null
    const next = after.get(event.session_id, event.ts_wall, event.id) ?? null
    const whole = previous !== null && next !== null ? gap(previous, next) : 0
    return (previous === null ? 0 : gap(previous, event)) + (next === null ? 0 : gap(event.ts_wall, next)) - whole
  }
}

function gap(from: string, to: Moment): number {
  if (AFTER_A_PAUSE.has(to.kind)) return 0
  const length = Date.parse(to.ts_wall) - Date.parse(from)
  return length > LONGEST_GAP_MS || length < 0 ? 0 : length
}
