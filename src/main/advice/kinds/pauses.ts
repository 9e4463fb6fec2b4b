import { counted } from '../../../shared/counted.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../shared/time-units.ts'
import { missTry, type AdviceKind, type SettingsFix, type Try } from '../candidate.ts'
import type { AdviceCall } from '../../store/read/advice-calls.ts'
import { usdText } from '../rhythm.ts'

/** Lifetime of a cache entry that is not marked for an hour. */
const SHORT_LIFE_MS = 5 * MINUTE_MS
const MIN_EXPIRED = 3
/** Of so many newest writes, most say whether the hour is on. */
const NEWEST_WRITES = 5
/** What a conversation carries after a compaction more than at its start (median of 68 recorded ones). */
const KEPT_TOKENS = 11_000
/** What the answer that compacts costs in output. */
const SUMMARY_TOKENS = 4000

/** Pauses that cost the cache: returns to a conversation whose entries had expired. */
export const pauses: AdviceKind = {
  kind: 'pauses',
  find(place) {
    const calls = place.sessions.flatMap((session) => session.calls).toSorted((one, other) => one.at - other.at)
    const conversation = calls.filter(isConversation)
    const compacted = savedByCompactions(conversation)
    const fixOf = (some: typeof calls) => fixFor(savedByHour(some), compacted, (usd) => usdText(usd, place.rhythm))
    const asOf = (time: number) => {
      const served = servedModels(conversation.filter(({ at }) => at < time))
      const fix = fixOf(calls.filter(({ model }) => !served.has(model)))
      const note = servedNote(calls, served, (usd) => usdText(usd, place.rhythm))
      return { tries: triesOf(calls, served), fix: fix === null ? null : { ...fix, steps: [...fix.steps, ...note] } }
    }
    const now = asOf(Infinity)
    return [
      {
        kind: 'pauses',
        subject: '',
        place,
        // Pauses that neither remedy pays for are left as they are.
        tries: now.fix === null ? [] : now.tries,
        minHits: MIN_EXPIRED,
        headline: ({ hits, opportunities, sessions, usd }) =>
          `The cache had expired after ${hits} of ${opportunities} pauses of more than 5 minutes, in ${sessions}: ${usd} to write it again`,
        fix: now.fix,
        asOf,
        // What had the hour before and lost it was perhaps changed by an update.
        ...(now.fix?.set !== undefined && conversation.some(hasHour) ? { mayBeClient: true as const } : {}),
      },
    ]
  },
}

const isConversation = ({ request_kind: kind }: AdviceCall): boolean => kind !== 'side_call' && kind !== 'warmup'

const hasHour = ({ agent_id: agent, is_hour: isHour }: AdviceCall): boolean => agent === null && isHour === true

const pauseOf = ({ pause_ms: pause }: AdviceCall): number => pause ?? 0

/** An expiry beside another change does not count: without the pause, as much would have been written. */
const isExpired = ({ cause, changed_too: isChanged }: AdviceCall): boolean => cause === 'ttl_expired' && !isChanged

/** Returns the models for which the hour is on at the end of some calls. */
function servedModels(calls: readonly AdviceCall[]): ReadonlySet<string> {
  const known = calls.filter(({ agent_id: agent, is_hour: isHour }) => agent === null && isHour !== null)
  const isOn = ([, all]: readonly [string, readonly AdviceCall[]]) => {
    const newest = all.slice(-NEWEST_WRITES)
    return newest.filter(({ is_hour: isHour }) => isHour === true).length > newest.length / 2
  }
  return new Set([...Map.groupBy(known, ({ model }) => model)].filter(isOn).map(([model]) => model))
}

const isServed = (call: AdviceCall, served: ReadonlySet<string>): boolean =>
  served.has(call.model) && pauseOf(call) <= HOUR_MS

/** Says which expired returns are no cases, so that the cases can be compared with all that expired. */
function servedNote(calls: readonly AdviceCall[], served: ReadonlySet<string>, textOf: (usd: number) => string) {
  const past = calls.filter((call) => isExpired(call) && isServed(call, served))
  if (past.length === 0) return []
  const usd = textOf(past.reduce((sum, call) => sum + call.waste_usd, 0))
  const models = [...new Set(past.map(({ model }) => model))]
  const keep = models.length === 1 ? 'keeps its' : 'keep their'
  return [
    `Not counted: ${counted(past.length, 'such pause')} (${usd}), because ${models.join(' and ')} now ${keep} cache for an hour.`,
  ]
}

/** Each return is charged for what longer lifetimes cost since the one before. Where the hour is on, it serves the shorter ones. */
function triesOf(calls: readonly AdviceCall[], served: ReadonlySet<string>): readonly Try[] {
  let since: AdviceCall[] = []
  return calls.flatMap((call) => {
    since.push(call)
    if (pauseOf(call) <= SHORT_LIFE_MS) return []
    const all = since
    since = []
    const hit = isExpired(call) && !isServed(call, served)
    const net = {
      charge: () => all.reduce((sum, one) => sum + one.hourCosts(), 0),
      saves: () => all.reduce((sum, one) => sum + one.hourSaves(), 0),
      context: call.context_tokens,
    }
    return [{ ...missTry(call, hit), net }]
  })
}

/**
 * An hour of cache serves returns within it to what was written for five minutes, and each write costs more. Days before
 * the first such return say nothing about a habit that has just begun.
 */
function savedByHour(calls: readonly AdviceCall[]): number {
  const isHelped = (call: AdviceCall) => isExpired(call) && pauseOf(call) <= HOUR_MS && call.was_hour !== true
  const first = calls.find(isHelped)
  const since = first === undefined ? Infinity : first.at - DAY_MS
  return calls.reduce((sum, call) => (call.at < since ? sum : sum + call.hourSaves()), 0)
}

/**
 * After more than an hour no setting helps, but a compaction before the pause: less is written again. While a command, an
 * agent or a question to the person is waited for, nobody can compact.
 */
function savedByCompactions(calls: readonly AdviceCall[]): number {
  const starts = new Map<string, number>()
  for (const call of calls) {
    const least = starts.get(lineOf(call)) ?? Infinity
    starts.set(lineOf(call), Math.min(least, call.context_tokens))
  }
  const cold = calls.filter((call) => pauseOf(call) > HOUR_MS && isExpired(call) && call.begins_turn)
  return cold.reduce((sum, call) => sum + Math.max(0, savedByCompaction(call, starts.get(lineOf(call)) ?? 0)), 0)
}

const lineOf = ({ session_id: session, agent_id: agent }: AdviceCall): string => JSON.stringify([session, agent])

/** Compacting reads the whole context and writes a summary; what the session began with stays. */
function savedByCompaction(call: AdviceCall, startTokens: number): number {
  const { context_tokens: context, waste_usd: waste } = call
  const costs = call.wouldCost({ read: context, written: 0, output: SUMMARY_TOKENS })
  const smaller = Math.max(0, context - startTokens - KEPT_TOKENS)
  return costs === null || context === 0 ? 0 : (waste * smaller) / context - costs
}

/** What saves more; null if nothing would have saved anything. */
function fixFor(byHour: number, byCompaction: number, textOf: (usd: number) => string): SettingsFix | null {
  if (byHour > 0 && byHour >= byCompaction)
    return {
      title: 'Keep the cache for an hour in this project',
      steps: [
        'Set ENABLE_PROMPT_CACHING_1H to 1 in the environment of this project. Each write to the cache then costs more.',
        `It would have saved ${textOf(byHour)} of that, after the higher price of all writes since such pauses began.`,
      ],
      set: [{ path: ['env', 'ENABLE_PROMPT_CACHING_1H'], value: '1' }],
    }
  if (byCompaction <= 0) return null
  return {
    title: 'Make the context small before a long pause',
    steps: [
      'Run /compact before you leave, while the cache is still warm.',
      `It would have saved ${textOf(byCompaction)} of that: it helps before pauses of more than an hour, and costs something itself.`,
      'Or start a new session and give it the summary of `aspy resume`.',
    ],
  }
}
