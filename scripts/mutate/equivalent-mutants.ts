import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A mutant that no test can notice, because its change makes no observable difference. */
interface EquivalentMutant {
  /** Path from the root of the repository. */
  readonly file: string
  /** Text of the file, in one line, in which the mutant is. */
  readonly within: string
  /** The code that Stryker replaces there, and its replacement. */
  readonly from: string
  readonly to: string
  readonly why: string
}

/** Survivors of the samples that were read and found to change nothing. They count neither as killed nor as tried. */
export const EQUIVALENT_MUTANTS = JSON.parse(
  readFileSync(join(import.meta.dirname, 'equivalent-mutants.json'), 'utf8'),
) as readonly EquivalentMutant[]
