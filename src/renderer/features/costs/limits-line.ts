import type { OperationOutput } from '../../../shared/contract/index.ts'
import { DAY_MS } from '../../../shared/time-units.ts'
import type { Sentence } from '../../components/sentences.tsx'
import { formatMoment, formatShare } from '../../lib/format.ts'
import { limitWords } from '../../../shared/limit-words.ts'
import { exhaustion, followsCost, type LimitWindow } from '../../lib/limits.ts'
import { comparedWith, USUAL_WEEKS, usualOf } from '../../lib/usual.ts'
import { toSession } from '../../lib/places.ts'

/** A session with less of what was used is not worth a sentence. */
const LEAST_SHARE = 0.25

/** From this share on, a limit is near its end. */
export const WORRYING = 0.75

type Report = OperationOutput<'limits.series'>['items'][number]

/**
 * Says how much of the limit nearest to its end is used, how that compares with this hour of other weeks, what is
 * expected at its reset, and which session used most. Empty if nothing is used.
 */
export function limitSentences(
  windows: readonly LimitWindow[],
  reports: readonly Report[] = [],
  now = 0,
): readonly Sentence[] {
  const [window] = windows.toSorted((one, other) => nearness(other) - nearness(one))
  if (window === undefined || window.used <= 0) return []
  const { used, resets_at: resets, forecast, by_session: sessions } = window
  const until = resets === null ? '' : ` at its reset, ${formatMoment(resets)}`
  const expected = forecast === null ? '' : `; ${formatShare(forecast.at_reset)} expected${until}`
  const usual = usualOf(usedBefore(window, reports, now))
  const compared = usual === null ? '' : `, ${comparedWith(usual, used)} ${formatShare(usual)} at this time of the week`
  const sentences: Sentence[] = [
    { text: `${formatShare(used)} of ${nameOf(window)} is used${compared}${expected}.` },
    ...exhaustion(window).map((text) => ({ text })),
  ]
  const [most] = sessions.toSorted((one, other) => other.used - one.used)
  if (most !== undefined && most.used >= used * LEAST_SHARE && followsCost(sessions)) {
    const title = most.title ?? 'Untitled session'
    const to = toSession(most.session_id, { tab: 'requests' })
    sentences.push({ text: `“${title}” used about ${formatShare(most.used)} of the limit.`, links: [[title, to]] })
  }
  return sentences
}

/** Returns the used shares at this hour of the last weeks, as reported within the day before and not reset since. */
function usedBefore({ window, user, account }: LimitWindow, reports: readonly Report[], now: number): number[] {
  const own = reports.filter((report) => report.user === user && report.account === account)
  return Array.from({ length: USUAL_WEEKS }, (_, week) => {
    const at = now - (week + 1) * 7 * DAY_MS
    const last = own.findLast(({ timestamp }) => Date.parse(timestamp) <= at && Date.parse(timestamp) > at - DAY_MS)
    if (last === undefined) return 0
    const [used, resets] =
      window === '7d'
        ? [last.seven_day_used, last.seven_day_resets_at]
        : window === '5h'
          ? [last.five_hour_used, last.five_hour_resets_at]
          : [null, null]
    return resets !== null && Date.parse(resets) > at ? (used ?? 0) : 0
  })
}

/** Says `the 5-hour limit`, of whom, if there are several accounts or members. */
const nameOf = ({ window, user, account }: LimitWindow): string =>
  [`the ${limitWords(window)} limit`, ...[account, user].filter((part) => part !== undefined)].join(' of ')

/** What is expected counts only if it is a reason to worry: other limits may have no forecast yet. */
const nearness = ({ used, forecast }: LimitWindow): number =>
  forecast !== null && forecast.at_reset >= WORRYING ? Math.max(used, forecast.at_reset) : used
