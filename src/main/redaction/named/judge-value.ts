import { type Named, readCandidate } from './candidate.ts'
import { NEVER, SIGNALS, type Signal } from './signals.ts'

/** Under a name such as `password`, a value is secret unless the evidence against outweighs the evidence for it. */
const LIKELY = 0
/** Under a less specific name, and in a comparison or a call, the value itself must look secret. */
const CERTAIN = 10

/** Decides whether a value is secret: true to remove it. */
export function judgeValue(written: string, named: Named, signals: readonly Signal[] = SIGNALS): boolean {
  const it = readCandidate(written, named)
  let sum = 0
  for (const { on, test, weight } of signals) {
    if (!on(it) || !(test instanceof RegExp ? test.test(it.value) : test(it))) continue
    if (weight === NEVER) return false
    sum += weight
  }
  return sum >= (it.isNameEnough ? LIKELY : CERTAIN)
}
