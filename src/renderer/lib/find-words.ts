import { snippetParts } from './snippet.ts'

/** Bounds the forms that are marked. */
const MAX_FORMS = 200

/** Returns the words to mark: what the snippets of hits have marked, which includes other forms of the words that were typed. */
export function foundWords(snippets: readonly string[]): readonly string[] {
  const forms = new Set<string>()
  for (const snippet of snippets) {
    for (const { text, marked } of snippetParts(snippet)) if (marked) forms.add(text.toLowerCase())
    if (forms.size > MAX_FORMS) break
  }
  return [...forms]
}

/** Returns a pattern that finds each of the words, as a whole word; null if there are none. */
export function wordPattern(words: readonly string[]): RegExp | null {
  const longestFirst = words.filter((word) => word.trim() !== '').toSorted((one, other) => other.length - one.length)
  if (longestFirst.length === 0) return null
  const any = longestFirst.map((word) => word.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&')).join('|')
  return new RegExp(`(?<![\\p{L}\\p{N}_])(?:${any})(?![\\p{L}\\p{N}_])`, 'giu')
}
