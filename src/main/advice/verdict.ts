import type { Advice, AdviceState } from '../../shared/contract/advice.ts'
import type { Decision } from './decisions.ts'

/** A verdict needs so many opportunities on both sides; undecided, it is looked at once more at the second number. */
const LOOKS = [10, 30] as const
const PERMUTATIONS = 5000
const SIGNIFICANT = 0.05

type Checked = Advice['checked']

/** Compares the cost of opportunities before and after a fix, in the order in which they came. */
export function verdictOn(
  before: readonly number[],
  after: readonly number[],
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

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length

/** Returns how often chance alone makes means differ as much, by permutation. The same values give the same answer. */
function chance(before: readonly number[], after: readonly number[]): number {
  const all = [...before, ...after]
  const observed = Math.abs(mean(after) - mean(before))
  const total = all.reduce((sum, value) => sum + value, 0)
  const tolerance = 1e-12 * Math.max(1, observed)
  let random = 0x9e3779b9
  const below = (limit: number): number => {
    random = (Math.imul(random, 1664525) + 1013904223) >>> 0
    return Math.floor((random / 2 ** 32) * limit)
  }
  let asFar = 0
  for (let trial = 0; trial < PERMUTATIONS; trial += 1) {
    let sum = 0
    for (let at = 0; at < after.length; at += 1) {
      const other = at + below(all.length - at)
      const [one = 0, two = 0] = [all[at], all[other]]
      all[at] = two
      all[other] = one
      sum += two
    }
    const difference = Math.abs(sum / after.length - (total - sum) / before.length)
    if (difference >= observed - tolerance) asFar += 1
  }
  return (asFar + 1) / (PERMUTATIONS + 1)
}
