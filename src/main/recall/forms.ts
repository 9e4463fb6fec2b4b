import forms from '../../../resources/words/forms.json' with { type: 'json' }
import { stem } from './stem.ts'

/**
 * Word forms that a stemmer cannot relate: irregular verbs and plurals, numbers as words and digits, abbreviated months and
 * days, family names and spelling variants.
 */
function formsByStem(): ReadonlyMap<string, readonly string[]> {
  const table = new Map<string, string[]>()
  for (const group of Object.values(forms).flat()) {
    const words = group.split(', ').map((word) => ({ word, stemmed: stem(word) }))
    for (const { stemmed } of words) {
      const others = words.filter((other) => other.stemmed !== stemmed).map(({ word }) => word)
      table.set(stemmed, [...new Set([...(table.get(stemmed) ?? []), ...others])])
    }
  }
  return table
}

/** Built on the first search, so that starting the thread does not wait for it. */
let byStem: ReadonlyMap<string, readonly string[]> | null = null

/** Returns other forms of a folded word, or an empty list. */
export function formsOf(word: string): readonly string[] {
  byStem ??= formsByStem()
  return byStem.get(stem(word)) ?? []
}
