import type { Sentence } from '../../components/sentences.tsx'
import { formatMoment, formatShare } from '../../lib/format.ts'
import { exhaustion, limitName, type LimitWindow } from '../../lib/limits.ts'

/** A session with less of what was used is not worth a sentence. */
const LEAST_SHARE = 0.25

/**
 * Says how much of the limit nearest to its end is used, what is expected at its reset, and which session used most.
 * Empty if nothing is used.
 */
export function limitSentences(windows: readonly LimitWindow[]): readonly Sentence[] {
  const [window] = windows.toSorted((one, other) => nearness(other) - nearness(one))
  if (window === undefined || window.used <= 0) return []
  const { used, resets_at: resets, forecast, by_session: sessions } = window
  const until = resets === null ? '' : ` at its reset, ${formatMoment(resets)}`
  const expected = forecast === null ? '' : `; ${formatShare(forecast.at_reset)} expected${until}`
  const sentences: Sentence[] = [
    { text: `${formatShare(used)} of ${nameOf(window)} is used${expected}.` },
    ...exhaustion(window).map((text) => ({ text })),
  ]
  const [most] = sessions.toSorted((one, other) => other.used - one.used)
  if (most !== undefined && most.used >= used * LEAST_SHARE)
    sentences.push({
      text: `“${most.title ?? 'Untitled session'}” used ${formatShare(most.used)} of the limit.`,
      to: { to: '/sessions/$sessionId', params: { sessionId: most.session_id }, search: { tab: 'requests' } },
    })
  return sentences
}

/** Says `the 5-hour limit`, of whom, if there are several accounts or members. */
function nameOf({ window, user, account }: LimitWindow): string {
  const name = limitName(window).replace(/ (hour|day)s$/, '-$1')
  return [`the ${name} limit`, ...[account, user].filter((part) => part !== undefined)].join(' of ')
}

const nearness = ({ used, forecast }: LimitWindow): number => Math.max(used, forecast?.at_reset ?? 0)
