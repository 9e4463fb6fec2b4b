import { escapedWords } from './escapes.ts'
import { RecentlyUsed } from './recently-used.ts'
import { compoundsOf, fold, hasCjk, indexedText, isCommit, wordsOf } from './words.ts'

/** What words are made of, in a class of a pattern of JavaScript. */
const LETTERS = String.raw`\p{L}\p{N}\p{M}`

/**
 * Returns a pattern of the words of a quotation, in their form and order, in a folded text: case, accents and what is
 * between the words may differ; between scripts there may be nothing. A number may touch letters, and a commit may go on.
 */
export function patternOf(quoted: string, letters = LETTERS): string {
  const words = compoundsOf(quoted).flatMap((compound) => {
    const own = wordsOf(compound).map(fold)
    return [
      ...own.slice(0, -1),
      (own.at(-1) ?? '') + (/[+#]+$/.exec(compound)?.[0].replaceAll('+', String.raw`\+`) ?? ''),
    ]
  })
  const [first = '', last = ''] = [words[0], words.at(-1)]
  const besides = (sign: string) => (/\d/.test(sign) ? String.raw`\d` : letters)
  const begins = hasCjk(first) ? '' : `(?<![${besides(first.slice(0, 1))}]${first})`
  const ends = hasCjk(last) || isCommit(last) ? '' : `(?![${besides(last.slice(-1))}])`
  return (
    first +
    begins +
    words
      .slice(1)
      .map((word, at) => `[^${letters}]${hasCjk(word) === hasCjk(words[at] ?? '') ? '+' : '*'}${word}`)
      .join('') +
    ends
  )
}

const compiled = new RecentlyUsed<string, RegExp>(50)

/** Checks whether a text has what a pattern of `patternOf` matches, also written with escapes. */
export function hasQuotation(text: string, pattern: string): boolean {
  const sought = compiled.get(pattern) ?? new RegExp(pattern, 'u')
  compiled.set(pattern, sought)
  const isIn = (part: string) => sought.test(fold(indexedText(part)))
  return isIn(text) || [...escapedWords(text)].some(({ word }) => isIn(word))
}
