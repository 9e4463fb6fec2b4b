import type { Health } from '../../../shared/contract/health.ts'
import { formatCount, formatDuration, formatMoment, plural } from '../../lib/format.ts'

type Counters = Pick<
  Health,
  'exchanges_seen' | 'exchanges_recorded' | 'in_flight' | 'started_at' | 'dropped' | 'recorder_lag_p99_ms'
>

/** Drops that the settings request. */
const WANTED_DROPS = new Set(['filtered', 'processor_dropped'])

/** Returns the number of events that were lost against the settings. */
export function lostEvents({ dropped }: Pick<Health, 'dropped'>): number {
  return Object.entries(dropped)
    .filter(([reason]) => !WANTED_DROPS.has(reason))
    .reduce((sum, [, count]) => sum + count, 0)
}

/** Says how much of what passed since the start is recorded, and how soon. Null if nothing has passed and nothing is lost. */
export function healthSentence(health: Counters): string | null {
  const {
    exchanges_seen: seen,
    exchanges_recorded: recorded,
    in_flight: open,
    started_at,
    recorder_lag_p99_ms,
  } = health
  const lost = lostEvents(health)
  if (seen === 0 && lost === 0) return null
  const ended = seen - open
  const all =
    recorded >= ended ? `All ${plural(ended, 'exchange')}` : `${formatCount(recorded)} of ${plural(ended, 'exchange')}`
  const soon = recorder_lag_p99_ms === null ? '' : `, 99% within ${formatDuration(recorder_lag_p99_ms)}`
  const gone = lost === 0 ? 'Nothing was lost' : `${plural(lost, 'event')} ${lost === 1 ? 'was' : 'were'} lost`
  const parts =
    ended === 0 ? [] : [`${all} since ${formatMoment(started_at)} ${ended === 1 ? 'is' : 'are'} recorded${soon}.`]
  return [...parts, `${gone}.`].join(' ')
}
