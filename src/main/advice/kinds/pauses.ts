import { HOUR_MS, MINUTE_MS } from '../../../shared/time-units.ts'
import type { AdviceKind, Candidate, Try } from '../candidate.ts'
import type { AdviceCall } from '../../store/read/advice-calls.ts'
import type { Place } from '../place.ts'
import { usdText } from '../rhythm.ts'

/** Lifetime of a cache entry that is not marked for an hour. */
const SHORT_LIFE_MS = 5 * MINUTE_MS
const MIN_EXPIRED = 3
/** So many of the newest writes say whether the hour is on. */
const NEWEST_WRITES = 5
/** What a conversation carries after a compaction more than at its start (median of 68 recorded ones). */
const KEPT_TOKENS = 11_000
/** What the answer that compacts costs in output. */
const SUMMARY_TOKENS = 4000

/** Pauses that cost the cache: returns to a conversation whose entries had expired. One of two fixes serves better. */
export const pauses: AdviceKind = {
  kind: 'pauses',
  find(place) {
    const all = place.sessions.flatMap((session) => session.calls).toSorted((one, other) => one.at - other.at)
    const calls = all.filter(isConversation)
    const [hour, compacted] = [withinHour(place, all), beyondHour(place, calls)]
    const isHour = hour.saved > 0 && !isHourOn(calls) && hour.saved >= compacted.saved
    return [
      { ...hour.candidate, isOutdone: !isHour },
      { ...compacted.candidate, isOutdone: isHour },
    ]
  },
}

const isConversation = ({ request_kind: kind }: AdviceCall): boolean => kind !== 'side_call' && kind !== 'warmup'

const pauseOf = ({ pause_ms: pause }: AdviceCall): number => pause ?? 0

const isHourOn = (calls: readonly AdviceCall[]): boolean =>
  calls
    .filter(({ agent_id: agent, is_hour: isHour }) => agent === null && isHour !== null)
    .slice(-NEWEST_WRITES)
    .some(({ is_hour: isHour }) => isHour === true)

interface Weighed {
  readonly candidate: Candidate
  /** USD that its fix would have saved. */
  readonly saved: number
}

/** Returns within an hour to entries that were written for five minutes: an hour of cache serves them. */
function withinHour(place: Place, calls: readonly AdviceCall[]): Weighed {
  const saved = calls.reduce((sum, call) => sum + call.hourSaves(), 0)
  return {
    saved,
    candidate: {
      kind: 'pauses',
      subject: '',
      place,
      tries: triesWithin(calls),
      minHits: MIN_EXPIRED,
      headline: ({ hits, opportunities, usd }) =>
        `The cache had expired in ${hits} of ${opportunities} returns after 5 minutes to an hour: ${usd} to write it again`,
      fix: {
        title: 'Keep the cache for an hour in this project',
        steps: [
          'Set ENABLE_PROMPT_CACHING_1H to 1 in the environment of this project. Each write to the cache then costs more.',
          `With the higher price of all writes counted, this would have saved ${usdText(saved, place.rhythm)}.`,
        ],
        file: 'project',
        set: [{ path: ['env', 'ENABLE_PROMPT_CACHING_1H'], value: '1' }],
      },
    },
  }
}

/** Each return is charged for what longer lifetimes cost since the one before. */
function triesWithin(calls: readonly AdviceCall[]): readonly Try[] {
  let charge = 0
  return calls.flatMap((call) => {
    charge += call.hourCosts()
    if (pauseOf(call) <= SHORT_LIFE_MS || pauseOf(call) > HOUR_MS) return []
    const hit = call.cause === 'ttl_expired' && call.was_hour !== true && !call.changed_too
    const claim = hit ? ({ of: 'miss', call: call.id } as const) : ({ of: 'nothing' } as const)
    const found = { at: call.at, event: call.id, hit, usd: hit ? call.waste_usd : 0, minutes: 0, charge, claim }
    charge = 0
    return [found]
  })
}

/** Returns after more than an hour, which no setting serves: a compaction before them writes less again. */
function beyondHour(place: Place, calls: readonly AdviceCall[]): Weighed {
  const fixed = new Map<string, number>()
  for (const call of calls) {
    const least = fixed.get(lineOf(call)) ?? Infinity
    fixed.set(lineOf(call), Math.min(least, call.context_tokens))
  }
  const tries = calls
    .filter((call) => pauseOf(call) > HOUR_MS)
    .map((call): Try => {
      const saved =
        call.cause === 'ttl_expired' && !call.changed_too ? savedByCompaction(call, fixed.get(lineOf(call)) ?? 0) : 0
      const hit = saved > 0
      const claim = hit ? ({ of: 'part', calls: [call.id] } as const) : ({ of: 'nothing' } as const)
      return { at: call.at, event: call.id, hit, usd: hit ? saved : 0, minutes: 0, claim }
    })
  return {
    saved: tries.reduce((sum, { usd }) => sum + usd, 0),
    candidate: {
      kind: 'pauses',
      subject: 'beyond an hour',
      place,
      tries,
      minHits: MIN_EXPIRED,
      headline: ({ hits, opportunities, usd }) =>
        `In ${hits} of ${opportunities} returns after more than an hour, the cache of a long conversation had expired: ` +
        `/compact before leaving would have saved ${usd}`,
      fix: {
        title: 'Make the context small before a long pause',
        steps: [
          'Run /compact before you leave, while the cache is still warm. What that costs is subtracted.',
          'Or start a new session and give it the summary of `aspy resume`.',
        ],
        file: null,
        set: [],
      },
    },
  }
}

const lineOf = ({ session_id: session, agent_id: agent }: AdviceCall): string => JSON.stringify([session, agent])

/** Compacting reads the whole context and writes a summary; what the session began with stays. */
function savedByCompaction(call: AdviceCall, startTokens: number): number {
  const { context_tokens: context, waste_usd: waste } = call
  const costs = call.wouldCost({ read: context, written: 0, output: SUMMARY_TOKENS })
  const smaller = Math.max(0, context - startTokens - KEPT_TOKENS)
  return costs === null || context === 0 ? 0 : (waste * smaller) / context - costs
}
