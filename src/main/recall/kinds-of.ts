import kinds from '../../../resources/words/kinds.json' with { type: 'json' }
import { stem } from './stem.ts'

/**
 * Everyday categories and their members. A question often names the category while the text names a member; the reverse is
 * rare, so the table only goes one way.
 */
const tableOfKinds = (): Map<string, readonly string[]> =>
  new Map(Object.entries(kinds).map(([kind, members]) => [stem(kind), members.split(', ')]))

/** Built on the first search, so that starting the thread does not wait for it. */
let byKind: ReadonlyMap<string, readonly string[]> | null = null

/**
 * Returns members of the category that a folded word names (`sport`: tennis, …). They are hints and weigh less than the
 * word itself.
 */
export function kindsOf(word: string): readonly string[] {
  byKind ??= tableOfKinds()
  return byKind.get(stem(word)) ?? []
}
