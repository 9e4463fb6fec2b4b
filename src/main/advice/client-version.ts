import type { Try } from './candidate.ts'
import type { Place } from './place.ts'

/** Opportunities without a case that show that an earlier version of the client did not do this. */
const MIN_BEFORE = 10

/** Versions of a client: the first one that does something, and the last one before it that does not. */
export interface Begun {
  readonly with: string
  readonly before: string
}

/**
 * Returns the version of the client with which something began; null if it did not begin with one. The first case is in
 * the first session of that version, and ten opportunities before have none.
 */
export function begunWith({ sessions }: Pick<Place, 'sessions'>, tries: readonly Try[]): Begun | null {
  const inOrder = sessions.toSorted((one, other) => one.started_at - other.started_at)
  const first = tries.reduce((at, one) => (one.hit ? Math.min(at, one.at) : at), Infinity)
  const place = inOrder.findLastIndex(({ started_at: at }) => at <= first)
  const [now, before] = [inOrder[place]?.client_version ?? null, inOrder[place - 1]?.client_version ?? null]
  if (now === null || before === null || now === before) return null
  const isOld = inOrder.slice(0, place).every(({ client_version: one }) => one !== null && one !== now)
  const start = inOrder[place]?.started_at ?? 0
  const without = tries.filter(({ at }) => at < start).length
  return isOld && without >= MIN_BEFORE ? { with: now, before } : null
}
