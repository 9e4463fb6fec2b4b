import { ownWordsOf, tokensOf, wordsOf } from '../base/words.ts'
import { MAX_TERMS, searchedPart } from './query.ts'
import { quote } from './terms.ts'

/** Returns the words that `matchWords` requires, in lower case, for texts without an index. */
export const plainWords = (text: string): string[] => ownWordsOf(searchedPart(text).toLowerCase()).slice(0, MAX_TERMS)

/** Builds an FTS5 expression that requires all words of a text, for any index; null if it has none. */
export function matchWords(text: string): string | null {
  const tokens = tokensOf(searchedPart(text).toLowerCase()).slice(0, MAX_TERMS)
  return tokens.length === 0 ? null : tokens.map(inEitherForm).join(' AND ')
}

/** Only the index of recall has the words of several scripts apart, and without their marks. */
function inEitherForm(token: string): string {
  const words = wordsOf(token)
  return words.join(' ') !== token && words.length > 0 ? `(${quote([token])} OR ${quote(words)})` : quote([token])
}

/** Words at the beginning of a text that find others with the same text. */
const BEGINNING_WORDS = 12

/** Builds an FTS5 phrase of the first words of a text; null if it has none. */
export function matchBeginning(text: string): string | null {
  const words = tokensOf(text.slice(0, 1000)).slice(0, BEGINNING_WORDS)
  return words.length === 0 ? null : quote(words)
}
