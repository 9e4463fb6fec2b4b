import { lexer, type Token, type Tokens } from 'marked'
import { nullIf } from './error-text.ts'

/** The lexer's time grows with the square of these in one paragraph. */
const MAX_DELIMITERS = 2000

/** Reads Markdown; null for a text that the lexer cannot take: nested deeper than its stack, or full of delimiters. */
export function tokensOf(text: string): readonly Token[] | null {
  if (mostDelimiters(text) > MAX_DELIMITERS || hasLongAddress(text)) return null
  return nullIf(RangeError, () => lexer(text))
}

/**
 * Returns the number that each item of a list was written with; none if all have the same ("1."), which leaves them to
 * who shows the list.
 */
export function itemNumbers({ ordered, items }: Tokens.List): readonly number[] {
  const numbers = ordered ? items.map(({ raw }) => Number.parseInt(raw, 10)) : []
  return numbers.some((number) => number !== numbers[0]) ? numbers : []
}

/** Its time grows with the square of the length of a possible name in an email address. */
const MAX_NAME = 2000

const hasLongAddress = (text: string): boolean =>
  text.includes('@') && text.split(/\s/).some((word) => word.lastIndexOf('@') > MAX_NAME)

/**
 * Returns the most characters in a paragraph that may begin or end emphasis, a link or a tag. Rows of tables and items
 * of lists are counted separately.
 */
function mostDelimiters(text: string): number {
  let [most, here] = [0, 0]
  for (const line of text.split('\n')) {
    if (/^\s*(?:\||$|[*+-]\s|[`~]{3})/.test(line)) here = 0
    here += line.length - line.replaceAll(/[*_~[<]/g, '').length
    most = Math.max(most, here)
  }
  return most
}
