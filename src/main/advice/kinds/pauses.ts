import { HOUR_MS, MINUTE_MS } from '../../../shared/time-units.ts'
import type { AdviceKind, SettingsFix, Try } from '../candidate.ts'
import type { AdviceCall } from '../../store/read/advice-calls.ts'

/** Lifetime of a cache entry that is not marked for an hour. */
const SHORT_LIFE_MS = 5 * MINUTE_MS
const MIN_EXPIRED = 3
/** Calls that show how long entries are kept now. */
const RECENT = 20

/** Pauses that cost the cache: returns to a conversation whose entries had expired. */
export const pauses: AdviceKind = {
  kind: 'pauses',
  find(place) {
    const calls = place.sessions.flatMap((session) => session.calls)
    const tries = triesOf(calls)
    return [
      {
        kind: 'pauses',
        subject: '',
        place,
        tries,
        minHits: MIN_EXPIRED,
        headline: ({ hits, opportunities, usd }) =>
          `The cache had expired in ${hits} of ${opportunities} returns after a pause: ${usd} to write it again`,
        fix: fixFor(calls),
        ...(isHourNow(calls) ? { openFix: SMALL } : {}),
      },
    ]
  },
}

const isReturn = ({ pause_ms: pause }: AdviceCall): boolean => pause !== null && pause > SHORT_LIFE_MS

/** Each return is charged for what longer lifetimes cost since the one before. */
function triesOf(calls: readonly AdviceCall[]): readonly Try[] {
  let charge = 0
  return calls
    .toSorted((one, other) => one.at - other.at)
    .flatMap((call) => {
      charge += call.hourCosts()
      if (!isReturn(call)) return []
      const found = { ...tryOf(call), charge }
      charge = 0
      return [found]
    })
}

const tryOf = ({ id, at, cause, waste_usd: waste }: AdviceCall): Try => {
  const hit = cause === 'ttl_expired'
  return {
    at,
    event: id,
    hit,
    usd: hit ? waste : 0,
    minutes: 0,
    claim: hit ? { of: 'miss', call: id } : { of: 'nothing' },
  }
}

const SMALL: SettingsFix = {
  title: 'Make the context small before a long pause',
  steps: [
    'Run /compact before you leave, while the cache is still warm.',
    'Or start a new session and give it the summary of `aspy resume`.',
  ],
  file: null,
  set: [],
}

/** A newer client, or the person, may have set the hour meanwhile. */
function isHourNow(calls: readonly AdviceCall[]): boolean {
  const known = calls.filter(({ is_hour: isHour }) => isHour !== null).toSorted((one, other) => one.at - other.at)
  return known.length > 0 && known.slice(-RECENT).every(({ is_hour: isHour }) => isHour)
}

/** An hour of cache pays only if what it saves after pauses is more than what each write costs more. */
function fixFor(calls: readonly AdviceCall[]): SettingsFix {
  const isShort = calls.some(
    ({ cause, pause_ms: pause, is_hour: isHour }) =>
      cause === 'ttl_expired' && pause !== null && pause < HOUR_MS && isHour === false,
  )
  const saved = isShort ? calls.reduce((sum, call) => sum + call.hourSaves(), 0) : 0
  if (saved > 0) {
    return {
      title: 'Keep the cache for an hour in this project',
      steps: [
        'Set ENABLE_PROMPT_CACHING_1H to 1 in the environment of this project. Each write to the cache then costs more.',
        `Over the recorded calls this would have saved $${saved.toFixed(2)}, with the higher price of all writes counted.`,
      ],
      file: 'project',
      set: [{ path: ['env', 'ENABLE_PROMPT_CACHING_1H'], value: '1' }],
    }
  }
  return SMALL
}
