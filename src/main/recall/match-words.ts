import { ownWordsOf, tokensOf, wordsOf } from '../base/words.ts'
import { MAX_TERMS, searchedPart } from './searched-part.ts'
import { quote } from './terms.ts'

/** Returns the words that `matchWords` requires, in lower case, for texts without an index. */
export const plainWords = (text: string): string[] => ownWordsOf(searchedPart(text).toLowerCase()).slice(0, MAX_TERMS)

/** Builds an FTS5 expression that requires all words of a text, or either of those around OR, for any index; null if it has none. */
export function matchWords(text: string): string | null {
  const tokens = tokensOf(searchedPart(text)).slice(0, MAX_TERMS)
  const isOr = (at: number) => tokens[at] === 'OR' && at > 0 && at < tokens.length - 1
  const groups: string[][] = []
  for (const [at, token] of tokens.entries()) {
    if (isOr(at)) continue
    const word = inEitherForm(token.toLowerCase())
    if (isOr(at - 1)) groups.at(-1)?.push(word)
    else groups.push([word])
  }
  if (groups.length === 0) return null
  return groups.map((group) => (group.length === 1 ? group.join('') : `(${group.join(' OR ')})`)).join(' AND ')
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
