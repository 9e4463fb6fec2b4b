import { fold } from '../../../base/words.ts'
import { createMarkFinder, type MarkFinder } from '../../../recall/marks.ts'
import { excludesNext, isBegun, isOrBetween, minusWordIn } from '../../../recall/operators.ts'
import { MAX_TERMS, searchedPart } from '../../../recall/searched-part.ts'
import { beginningsOf, quotedTerm, termsOf, type Term } from '../../../recall/terms.ts'

/** A search for texts, for PostgreSQL. */
export interface TextQuery {
  /** Expressions for `to_tsquery`: of texts with all words, and of those with any; '' if there are no words. */
  readonly all: string
  readonly any: string
  /** The words that texts should have, folded. */
  readonly words: readonly string[]
  /** Finds the words in a text, in each of their forms. */
  readonly marks: MarkFinder
  /** Words typed as `-word`: searched as text. */
  readonly minusWords: readonly string[]
}

const ITEM = /(?<!\S)(-(?=")|NOT\s+)?(?:"([^"]*)"|(\S+))/gu
const EXPRESSION = /"([^"]*)"( \*)?/g

/** Reads a search as a laptop does, without its filters. `isTyping`: the last word may be begun. */
export function readTextQuery(typed: string, isTyping: boolean): TextQuery {
  const text = searchedPart(typed.normalize('NFC'))
  const groups: string[][] = []
  const excluded: string[] = []
  const terms: Term[] = []
  const minusWords: string[] = []
  let isOr = false
  for (const { 0: item, 1: sign, 2: quoted, 3: bare = '', index } of text.matchAll(ITEM)) {
    if (item === 'OR' && groups.length > 0 && isOrBetween(text, index)) {
      isOr = true
      continue
    }
    const isNegated = sign === '-' || (sign !== undefined && excludesNext(text, index))
    const isLast = isTyping && index + item.length === text.length && /[\p{L}\p{N}]$/u.test(bare)
    const phrase = quoted === undefined ? null : quotedTerm(quoted)
    const found = quoted === undefined ? termsOf(bare, isLast || isBegun(bare)) : phrase === null ? [] : [phrase]
    if (found.length === 0 || terms.length + excluded.length >= MAX_TERMS) continue
    const expression = found.map(({ whole }) => tsqueryOf(whole)).join(' & ')
    if (isNegated) excluded.push(`!(${expression})`)
    else {
      const minus = minusWordIn(bare)
      if (minus !== undefined) minusWords.push(minus)
      terms.push(...found)
      if (isOr) groups.at(-1)?.push(expression)
      else groups.push([expression])
    }
    isOr = false
  }
  const words = [...new Set(terms.flatMap((term) => term.words))]
  const forms = terms.flatMap(({ forms: others, words: [word = ''] }) => others.map((form) => [form, word] as const))
  const any = terms.flatMap(({ whole, pieces }) => [whole, ...pieces].map(tsqueryOf)).join(' | ')
  return {
    all: [...groups.map((group) => `(${group.join(' | ')})`), ...excluded].join(' & '),
    any: any === '' ? '' : [`(${any})`, ...excluded].join(' & '),
    words,
    marks: createMarkFinder(words, beginningsOf(terms), new Map(forms)),
    minusWords,
  }
}

/** Translates an expression of a term, which has only quoted words, `*` behind the last, AND and OR. */
function tsqueryOf(expression: string): string {
  return expression
    .replaceAll(EXPRESSION, (_, words: string, star?: string) => {
      const lexemes = words.split(' ').map((word) => `'${fold(word)}'`)
      return `(${lexemes.join(' <-> ')}${star === undefined ? '' : ':*'})`
    })
    .replaceAll(' OR ', ' | ')
    .replaceAll(' AND ', ' & ')
}
