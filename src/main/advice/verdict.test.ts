import { expect, test } from 'vitest'
import { DAY_MS } from '../../shared/time-units.ts'
import type { AdviceCall } from '../store/read/advice-calls.ts'
import type { AdviceSession } from '../store/read/advice-sessions.ts'
import { advised, failure } from './fixtures/advised.ts'
import { verdictOn, type Cost } from './verdict.ts'

/** Opportunities of `each` a session. */
const told = (values: readonly number[], each = 1): readonly Cost[] =>
  values.map((cost, at) => ({ cost, session: String(Math.floor(at / each)) }))

/** Numbers from 0 to 1, the same each time. */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

/** The cost of opportunities: `rate` of them cost about a dollar, the others nothing. */
function costs(random: () => number, count: number, rate: number): readonly number[] {
  return Array.from({ length: count }, () => (random() < rate ? 0.5 + random() : 0))
}

/** Planted outcomes: the rate after the fix, of 0.6 before, and the states that are right. */
const OUTCOMES = [
  { name: 'helped', count: 20, after: 0.02, right: ['worked'] },
  { name: 'helped a little', count: 5, after: 0.2, right: ['worked', 'partly'] },
  { name: 'without any effect', count: 20, after: 0.6, right: ['no_effect'] },
  { name: 'got worse by chance', count: 10, after: 0.6, right: ['no_effect'] },
  { name: 'got worse', count: 5, after: 1, right: ['worse'] },
] as const

/** Costs before and after; `isWorse`: the first ones after are dearer, as happens without any effect too. */
function sidesOf(seed: number, rate: number, isWorse: boolean): [before: readonly number[], after: readonly number[]] {
  const random = randomFrom(seed)
  const [before, after] = [costs(random, 40, 0.6), costs(random, 40, rate)]
  const isDearer = sum(after.slice(0, 10)) / 10 > sum(before) / 40
  return isWorse && !isDearer ? sidesOf(seed + 1_000_003, rate, true) : [before, after]
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

test('of sixty planted outcomes, the verdict is right in nine of ten', () => {
  const verdicts = OUTCOMES.flatMap(({ name, count, after, right }, group) =>
    Array.from({ length: count }, (_, at) => {
      const sides = sidesOf(1000 * group + 7 * at + 1, after, name === 'got worse by chance')
      const { state } = verdictOn(told(sides[0]), told(sides[1]), { promised: 0.6 })
      return { name, isRight: (right as readonly string[]).includes(state), state }
    }),
  )
  expect(verdicts).toHaveLength(60)
  const wrong = verdicts.filter(({ isRight }) => !isRight)
  expect([wrong.length, wrong]).toEqual([expect.toSatisfy((count: number) => count <= 6), wrong])
})

test('nothing is said before ten opportunities on both sides', () => {
  const [few, many] = [told(Array<number>(9).fill(1)), told(Array<number>(30).fill(0))]
  expect(verdictOn(few, many, { promised: 1 })).toEqual({ state: 'applied', checked: null })
  expect(verdictOn(many, few, { promised: 1 })).toEqual({ state: 'applied', checked: null })
})

test('what comes together in a session is one chance, not several', () => {
  const [some, more] = [9, 14].map((hits) =>
    Array.from({ length: 15 }, (_, at) => (at < hits ? [1, 1] : [0, 0])).flat(),
  )
  const verdict = (each: number) => verdictOn(told(some ?? [], each), told(more ?? [], each), { promised: 0.5 }).state
  expect([verdict(1), verdict(2)]).toEqual(['worse', 'no_effect'])
})

/** A session of a day in which something of a kind happened, dear or cheap; null: nothing of the kind was run. */
type Telling = (day: number, usd: number | null) => Partial<AdviceSession>

const callOf = (day: number, id: number, more: object): AdviceCall => {
  const usual = {
    agent_id: null,
    model: 'm',
    waste_usd: 0,
    pause_ms: null,
    is_hour: null,
    request_kind: 'loop',
    searches: 0,
    cause: null,
  }
  const own = {
    id: day * 10 + id,
    session_id: `s${day}`,
    at: day * DAY_MS + id,
    context_tokens: 1000,
    output_tokens: 10,
  }
  return {
    ...usual,
    ...own,
    cost_usd: 1,
    wouldCost: () => 0.1,
    hourCosts: () => 0,
    hourSaves: () => 0.1,
    ...more,
  } as unknown as AdviceCall
}

const TELLINGS: Readonly<Record<string, Telling>> = {
  failing_command: (day, usd) => ({
    ran: () => usd !== null,
    failed: usd === null || usd === 0 ? [] : [failure('npm run lint', 'no such option', day)],
    calls: [callOf(day, 9, { cost_usd: usd || 1 })],
  }),
  large_output: (day, usd) => ({
    outputs: !usd
      ? []
      : [
          {
            session_id: `s${day}`,
            event: day * 10,
            tool: 'Bash',
            command: 'npm run build',
            is_agent: false,
            tokens: usd * 9000,
            carriedUsd: () => usd,
          },
        ],
  }),
  costly_agents: (day, usd) => {
    const of = { agent_id: 'a' }
    const work =
      usd === null ? [] : [callOf(day, 3, { ...of, cost_usd: usd }), callOf(day, 4, { ...of, cost_usd: 0.05 })]
    const agents = [{ session_id: `s${day}`, agent_id: 'a', agent_type: 'scout', parent_agent_id: null }]
    return { agents: usd === null ? [] : agents, calls: [callOf(day, 1, {}), ...work, callOf(day, 9, {})] }
  },
  pauses: (day, usd) => ({
    calls: [
      callOf(day, 9, {
        pause_ms: 600_000,
        changed_too: false,
        ...(usd ? { cause: 'ttl_expired', waste_usd: usd } : {}),
      }),
    ],
  }),
}

/** How often it happens before and after the fix, in what share of the sessions that run it still; and the right states. */
const CHANGES: readonly {
  name: string
  rates: readonly [before: number, after: number]
  runs: number
  right: readonly string[]
}[] = [
  { name: 'helped', rates: [0.7, 0.05], runs: 0.9, right: ['worked'] },
  { name: 'is not run any more', rates: [0.7, 0], runs: 0, right: ['worked'] },
  { name: 'helped a little', rates: [0.8, 0.3], runs: 0.9, right: ['worked', 'partly'] },
  { name: 'without any effect', rates: [0.7, 0.7], runs: 0.9, right: ['no_effect'] },
  { name: 'got worse by chance', rates: [0.6, 0.6], runs: 0.9, right: ['no_effect'] },
  { name: 'got worse', rates: [0.5, 1], runs: 1, right: ['worse'] },
]
const DAYS = 40

/** What a kind cost on each day, 40 days before the fix and after it; null: it was not run. `isWorse`: at first, it is dearer after it. */
function daysOf(
  random: () => number,
  { rates: [before, after], runs }: (typeof CHANGES)[number],
  isWorse: boolean,
): readonly (number | null)[] {
  const days = Array.from({ length: 2 * DAYS }, (_, day) => {
    const [isRun, isHit] = [random() < (day < DAYS ? 0.9 : runs), random() < (day < DAYS ? before : after)]
    return isRun ? (isHit ? 0.5 + random() : 0) : null
  })
  const meanOf = (from: number, to: number) => sum(days.slice(from, to).map((usd) => usd ?? 0)) / (to - from)
  return isWorse && meanOf(DAYS, DAYS + 10) <= meanOf(0, DAYS)
    ? daysOf(random, { name: '', right: [], rates: [before, after], runs }, true)
    : days
}

/** Judges a planted change of what was suggested before. */
function judged(
  kind: string,
  change: (typeof CHANGES)[number],
  seed: number,
): ReturnType<typeof advised>[number] | undefined {
  const days = daysOf(randomFrom(seed), change, change.name === 'got worse by chance')
  const tell = (day: number) => TELLINGS[kind]?.(day, days[day] ?? null) ?? {}
  const [open] = advised(DAYS, tell)
  if (open === undefined) return judged(kind, change, seed + 1_000_003)
  const promised = sum(open.cases.map(({ usd }) => usd)) / open.opportunities
  const at = new Date((DAYS - 0.5) * DAY_MS).toISOString()
  return advised(2 * DAYS, tell, { [open.id]: { state: 'applied', at, hits: 28, file: null, promised } })[0]
}

test.each(Object.keys(TELLINGS))('of planted outcomes of %s, the verdict is right in nine of ten', (kind) => {
  const verdicts = CHANGES.flatMap((change, group) =>
    Array.from({ length: 20 }, (_, at) => {
      const state = judged(kind, change, 7919 * group + 31 * at + 1)?.state ?? 'gone'
      return change.right.includes(state) ? [] : [`${change.name}: ${state}`]
    }),
  )
  expect(verdicts).toHaveLength(120)
  const wrong = verdicts.flat()
  expect([wrong.length, wrong]).toEqual([expect.toSatisfy((count: number) => count <= 12), wrong])
})
