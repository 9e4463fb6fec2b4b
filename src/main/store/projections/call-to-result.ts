import type { AspyEvent } from '../../../shared/event.ts'
import type { ReadableDb } from '../database/connection.ts'
import type { Sighting } from '../log/log.ts'
import { isUndated } from './time-basis.ts'

/** The results of one answer arrive together. A transcript without times has thousands of events at one. */
const NEAR = 64

/** Sightings of an event `o` by which its client reports the result once more, at its own time. */
const TOLD_APART = `SELECT 1 FROM sighting_rows s WHERE s.event_id = o.id AND s.other_session_id IS NULL
  AND s.source <> 'wire' AND NOT (s.source = o.source AND s.seen_at = o.ts_wall)`

/** Times results that nobody measured, by the log that `prepare` reads. */
export function createCallToResult(prepare: ReadableDb['prepare']) {
  const callOf = prepare<[string, number], { ts_wall: string; session_id: string }>(
    `SELECT e.ts_wall, e.session_id FROM key_rows k JOIN events e ON e.id = k.event_id
     WHERE k.key = ? AND k.event_id < ?`,
  )
  const together = prepare<[string, string, number, number, number], number>(
    `SELECT id FROM events WHERE session_id = ? AND ts_wall = ? AND id BETWEEN ? AND ? AND id <> ?
     AND kind = 'tool_result' LIMIT 1`,
  ).pluck()
  // An agent reports its end before all results of its answer are sent together.
  const agentEnd = prepare<[string, string, string, string, number, number], string>(
    `SELECT e.ts_wall FROM events s INDEXED BY events_by_kind_time
     CROSS JOIN key_rows k ON k.key = 'agent:' || s.agent_id || ':end' CROSS JOIN events e ON e.id = k.event_id
     WHERE s.kind = 'agent_started' AND s.ts_wall BETWEEN ? AND ? AND s.session_id = ?
     AND s.payload ->> 'call_id' = ? AND s.id < ? AND e.id < ?`,
  ).pluck()
  const untold = prepare<[string, string, number, number], { id: number; call_id: string }>(
    `SELECT o.id, o.payload ->> 'call_id' AS call_id FROM events o WHERE o.session_id = ? AND o.ts_wall = ? AND o.id BETWEEN ? AND ? AND o.kind = 'tool_result'
     AND NOT EXISTS (${TOLD_APART})`,
  )
  const endOfAgent = ({ id, session_id: session, ts_wall: at }: AspyEvent, callId: string) => {
    const call = callOf.get(`call:${callId}`, id)
    return call === undefined ? undefined : agentEnd.get(call.ts_wall, at, session, callId, id, id)
  }
  const endOf = (result: AspyEvent<'tool_result'>, sightings: readonly Sighting[]): string | null => {
    const told = sightings.filter(
      ({ source, session_id, seen_at }) =>
        session_id === result.session_id &&
        source !== 'wire' &&
        (source !== result.source || seen_at !== result.ts_wall),
    )
    if (told.some(({ payload }) => payload?.['time_basis'] === 'file')) return null
    const [first] = told.map(({ seen_at }) => seen_at).sort()
    if (first !== undefined) return result.source !== 'wire' && result.ts_wall < first ? result.ts_wall : first
    const ended = endOfAgent(result, result.payload.call_id)
    if (ended !== undefined) return ended
    const { id, session_id, ts_wall } = result
    // Parallel calls: all results wait for the slowest.
    const isAlone = together.get(session_id, ts_wall, id - NEAR, id + NEAR, id) === undefined
    return isAlone ? result.ts_wall : null
  }
  return {
    /** Returns the milliseconds from a call to its result, at most what the tool took; null if they say nothing. */
    between(result: AspyEvent<'tool_result'>, sightings: readonly Sighting[]): number | null {
      const { call_id, rejected, seen_in_history: late } = result.payload
      if (rejected || late === true || isUndated(result, sightings)) return null
      const call = callOf.get(`call:${call_id}`, result.id)
      if (call?.session_id !== result.session_id) return null
      const end = endOf(result, sightings)
      const ms = end === null ? 0 : Date.parse(end) - Date.parse(call.ts_wall)
      return ms > 0 ? ms : null
    },
    /** Returns earlier results that came together with this one and nowhere else: none of them has a time of its own. */
    togetherWith: (result: AspyEvent<'tool_result'>) =>
      untold
        .all(result.session_id, result.ts_wall, result.id - NEAR, result.id - 1)
        .flatMap(({ id, call_id: callId }) => (endOfAgent({ ...result, id }, callId) === undefined ? [id] : [])),
  }
}
