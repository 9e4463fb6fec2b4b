import { snippetParts } from './snippet.ts'

/** Bounds the word forms that are marked. */
const MAX_FORMS = 200

/** Returns the words to mark: those marked in the snippets of hits, which include other forms of the typed words. */
export function foundWords(snippets: readonly string[]): readonly string[] {
  const forms = new Set<string>()
  for (const snippet of snippets) {
    for (const { text, marked } of snippetParts(snippet)) if (marked) forms.add(text.toLowerCase())
    if (forms.size > MAX_FORMS) break
  }
  return [...forms]
}

/** Returns a pattern that finds a text as typed, ignoring case; null if it is empty. */
export const textPattern = (text: string): RegExp | null =>
  text.trim() === '' ? null : new RegExp(escaped(text.trim()), 'giu')

/** Returns a pattern that finds each of the words, as a whole word; null if there are none. */
export function wordPattern(words: readonly string[]): RegExp | null {
  const longestFirst = words.filter((word) => word.trim() !== '').toSorted((one, other) => other.length - one.length)
  if (longestFirst.length === 0) return null
  return new RegExp(`(?<![\\p{L}\\p{N}_])(?:${longestFirst.map(escaped).join('|')})(?![\\p{L}\\p{N}_])`, 'giu')
}

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
