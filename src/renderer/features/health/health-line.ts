import type { Health } from '../../../shared/contract/health.ts'
import type { OperationOutput } from '../../../shared/contract/index.ts'
import { DAY_MS, MINUTE_MS } from '../../../shared/time-units.ts'
import { formatCount, formatDuration, formatMoment, plural } from '../../lib/format.ts'
import { comparedWith, onWeekday, USUAL_WEEKS, usualOf } from '../../lib/usual.ts'

type Counters = Pick<
  Health,
  'exchanges_seen' | 'exchanges_recorded' | 'in_flight' | 'started_at' | 'dropped' | 'recorder_lag_p99_ms'
>

/** Drops that the settings request. */
const WANTED_DROPS = new Set(['filtered', 'processor_dropped'])

/** Returns the number of events that were lost against the settings. */
export const lostEvents = ({ dropped }: Pick<Health, 'dropped'>): number =>
  Object.entries(dropped)
    .filter(([reason]) => !WANTED_DROPS.has(reason))
    .reduce((sum, [, count]) => sum + count, 0)

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
    recorded >= ended
      ? ended === 1
        ? 'The one request'
        : `All ${plural(ended, 'request')}`
      : `${formatCount(recorded)} of ${plural(ended, 'request')}`
  const soon =
    recorder_lag_p99_ms === null
      ? ''
      : `, 99% of those of the last 5 minutes within ${formatDuration(recorder_lag_p99_ms)}`
  const gone = lost === 0 ? 'Nothing was lost' : `${plural(lost, 'event')} ${lost === 1 ? 'was' : 'were'} lost`
  const parts =
    ended === 0 ? [] : [`${all} since ${formatMoment(started_at)} ${ended === 1 ? 'is' : 'are'} recorded${soon}.`]
  return [...parts, `${gone}.`].join(' ')
}

type DayCalls = Pick<OperationOutput<'costs.series'>['items'][number], 'bucket' | 'calls'>

/**
 * Says how many requests were answered yesterday, failed ones left out as in Costs, compared with the same weekday of other weeks. Null if that is not
 * known. `midnight`: when today began.
 */
export function yesterdaySentence(days: readonly DayCalls[], midnight: number, offsetMinutes: number): string | null {
  const callsOn = (daysBack: number) => {
    // A change to summer time moves a midnight, but never noon, to another day.
    const noon = midnight - daysBack * DAY_MS + DAY_MS / 2 + offsetMinutes * MINUTE_MS
    const key = new Date(noon).toISOString().slice(0, 10)
    return days.reduce((sum, { bucket, calls }) => (bucket.startsWith(key) ? sum + calls : sum), 0)
  }
  const usual = usualOf(Array.from({ length: USUAL_WEEKS }, (_, week) => callsOn(1 + 7 * (week + 1))))
  if (usual === null) return null
  const calls = callsOn(1)
  const answered = `${calls === 0 ? 'No requests were' : calls === 1 ? '1 request was' : `${plural(calls, 'request')} were`} answered`
  return `${answered} yesterday, ${comparedWith(usual, calls, 'fewer')} ${formatCount(Math.round(usual))} ${onWeekday(midnight - DAY_MS / 2 + offsetMinutes * MINUTE_MS, 'UTC')}.`
}
