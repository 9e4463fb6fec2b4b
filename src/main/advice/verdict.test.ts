import { expect, test } from 'vitest'
import { verdictOn } from './verdict.ts'

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
      const { state } = verdictOn(...sides, { promised: 0.6 })
      return { name, isRight: (right as readonly string[]).includes(state), state }
    }),
  )
  expect(verdicts).toHaveLength(60)
  const wrong = verdicts.filter(({ isRight }) => !isRight)
  expect([wrong.length, wrong]).toEqual([expect.toSatisfy((count: number) => count <= 6), wrong])
})

test('nothing is said before ten opportunities on both sides', () => {
  const [few, many] = [Array<number>(9).fill(1), Array<number>(30).fill(0)]
  expect(verdictOn(few, many, { promised: 1 })).toEqual({ state: 'applied', checked: null })
  expect(verdictOn(many, few, { promised: 1 })).toEqual({ state: 'applied', checked: null })
})
