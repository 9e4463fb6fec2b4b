import { firstCharacters } from '../../shared/cut-text.ts'
import { withoutEscapes } from '../base/escapes.ts'

/** Characters of a query that are searched. Longer ones are pasted texts, which are found by their beginning. */
const MAX_CHARACTERS = 2000

/** Returns the part of a query that is searched, up to the end of a word, without escape sequences. */
export function searchedPart(query: string): string {
  if (query.length <= MAX_CHARACTERS) return withoutEscapes(query)
  return withoutEscapes(firstCharacters(query, MAX_CHARACTERS)).replace(/\s\S*$/, '')
}

/** Further terms of a query are ignored. */
export const MAX_TERMS = 64
