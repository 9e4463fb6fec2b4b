import { fold, isCommit } from '../base/words.ts'

const SUBSCRIPTS = '₀₁₂₃₄₅₆₇₈₉'
const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹'
/** Longest word whose digits may be small ones: `H₂O`, `km²`. */
const LONGEST_FORMULA = 8

/** An umlaut as keyboards without it write it, which the index has without its dots. */
const DIGRAPH = /(?<![aeiouq])([aou])e/g
const SHORTEST_SPELLED = 6

/** Lengths to which git shortens a commit. */
const ABBREVIATED = [7, 8, 9, 10, 11, 12]
/** What Arabic writes before a word with it: the article, also after `and`, `in`, `for`, `as`. */
const ARTICLES = ['ال', 'وال', 'بال', 'لل', 'كال']

/**
 * Returns how else a folded word is written, each as the index holds it: `strasse` for `straße`, `uebergroesse` for `Übergröße`, `h₂o` for `h2o`, `1 234 567`
 * for `1234567`, which is also how it holds `1,234,567`.
 */
export function spellingsOf(word: string, typed = word): readonly string[] {
  if (/^\d{4,15}$/.test(word)) return [word.replaceAll(/\B(?=(?:\d{3})+$)/g, ' ')]
  if (isCommit(word))
    return ABBREVIATED.filter((length) => length < word.length)
      .map((length) => word.slice(0, length))
      .filter(isCommit)
  const found = [word.normalize('NFKC'), word.replaceAll('ß', 'ss'), word.replaceAll('ss', 'ß')]
  const spelled = typed.toLowerCase().replaceAll(/[äöü]/g, (letter) => `${fold(letter)}e`)
  if (spelled !== typed.toLowerCase()) found.push(spelled, spelled.replaceAll('ß', 'ss'))
  const umlauts = word.length < SHORTEST_SPELLED ? word : word.replaceAll(DIGRAPH, '$1')
  if (umlauts !== word) found.push(umlauts, umlauts.replaceAll('ss', 'ß'))
  if (/^\p{Script=Arabic}{3,}$/u.test(word)) found.push(...ARTICLES.map((article) => fold(article + word)))
  if (word.length <= LONGEST_FORMULA && /^(?=.*[a-z])[a-z\d]*\d[a-z\d]*$/.test(word))
    for (const digits of [SUBSCRIPTS, SUPERSCRIPTS])
      found.push(word.replaceAll(/(?<=[a-z]\d*)\d/g, (digit) => digits[Number(digit)] ?? digit))
  return [...new Set(found)].filter((one) => one !== word)
}

/** Returns what matches a number, or the beginning of a version, in its other spellings; null if it has none. */
export function otherNumber(word: string): RegExp | null {
  if (/^v\d+$/.test(word)) return new RegExp(String.raw`(?<![\w.])${word.slice(1)}(?=\.\d)`, 'g')
  return /^\d{4,15}$/.test(word) ? groupedNumber(word) : null
}

const groupedNumber = (digits: string): RegExp =>
  new RegExp(
    String.raw`(?<![\d.,])${digits.replaceAll(/\B(?=(?:\d{3})+$)/g, String.raw`[,.'_ \u00a0\u202f\u2009]`)}(?!\d)`,
    'g',
  )
