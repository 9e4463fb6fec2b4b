import type { Advice, AdviceState } from '../../shared/contract/advice.ts'
import type { Decision } from './decisions.ts'

/** A verdict needs so many opportunities on both sides; undecided, it is looked at once more at the second number. */
const LOOKS = [10, 30] as const
const PERMUTATIONS = 5000
const SIGNIFICANT = 0.05
const NONE = [0, 0] as const

type Checked = Advice['checked']

/** What an opportunity cost. Those of a session come together, so chance moves them together. */
export interface Cost {
  readonly cost: number
  readonly session: string
}

/** Compares the cost of opportunities before and after a fix, in the order in which they came. */
export function verdictOn(
  before: readonly Cost[],
  after: readonly Cost[],
  { promised }: Pick<Decision, 'promised'>,
): { readonly state: AdviceState; readonly checked: Checked } {
  const [first, second] = LOOKS
  if (before.length < first || after.length < first) return { state: 'applied', checked: null }
  const looks = after.length >= second ? [first, second] : [first]
  let found: { readonly state: AdviceState; readonly checked: Checked } = { state: 'applied', checked: null }
  for (const look of looks) {
    const seen = after.slice(0, look)
    const checked = { before: mean(before), after: mean(seen), n: look, p: chance(before, seen) }
    found = { state: stateOf(checked, promised, look === second), checked }
    if (found.state !== 'applied') return found
  }
  return found
}

function stateOf({ before, after, p }: NonNullable<Checked>, promised: number, isLast: boolean): AdviceState {
  if (p >= SIGNIFICANT) return isLast ? 'no_effect' : 'applied'
  if (after > before) return 'worse'
  return before - after >= promised / 2 ? 'worked' : 'partly'
}

const sumOf = (costs: readonly Cost[]): number => costs.reduce((sum, { cost }) => sum + cost, 0)
const mean = (costs: readonly Cost[]): number => sumOf(costs) / costs.length
const sessionsIn = (costs: readonly Cost[]): readonly (readonly Cost[])[] => [
  ...Map.groupBy(costs, ({ session }) => session).values(),
]

/**
 * Returns how often chance alone makes means differ as much, by permutation of sessions. The same values give the same
 * answer.
 */
function chance(before: readonly Cost[], after: readonly Cost[]): number {
  const later = sessionsIn(after)
  const all = [...sessionsIn(before), ...later].map((costs) => [sumOf(costs), costs.length] as const)
  const observed = Math.abs(mean(after) - mean(before))
  const [total, count] = [sumOf(before) + sumOf(after), before.length + after.length]
  const tolerance = 1e-12 * Math.max(1, observed)
  let random = 0x9e3779b9
  const below = (limit: number): number => {
    random = (Math.imul(random, 1664525) + 1013904223) >>> 0
    return Math.floor((random / 2 ** 32) * limit)
  }
  let asFar = 0
  for (let trial = 0; trial < PERMUTATIONS; trial += 1) {
    let [sum, size] = [0, 0]
    for (let at = 0; at < later.length; at += 1) {
      const other = at + below(all.length - at)
      const [one = NONE, two = NONE] = [all[at], all[other]]
      all[at] = two
      all[other] = one
      sum += two[0]
      size += two[1]
    }
    const difference = Math.abs(sum / size - (total - sum) / (count - size))
    if (difference >= observed - tolerance) asFar += 1
  }
  return (asFar + 1) / (PERMUTATIONS + 1)
}
