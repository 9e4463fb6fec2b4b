import type { AnyEvent } from '../../../shared/event.ts'
import type { Sighting } from '../log/log.ts'
import type { SessionRow } from './session-row.ts'

/** Returns the best source of a session's times: `file` if no event has its own time. */
export function timeBasisOf(row: Pick<SessionRow, 'measured_events' | 'dated_events'>): SessionRow['time_basis'] {
  if (row.measured_events > 0) return 'wire'
  return row.dated_events > 0 ? 'line' : 'file'
}

/** True if an event has only the time of its transcript's file. It takes no part in rates, durations and calendars. */
export const isUndated = (event: Pick<AnyEvent, 'source'>, sightings: readonly Sighting[]): boolean =>
  event.source === 'transcript' && sightings[0]?.payload?.['time_basis'] === 'file'
