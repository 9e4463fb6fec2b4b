import { fold } from '../../../base/words.ts'
import { createMarkFinder, type MarkFinder } from '../../../recall/marks.ts'
import { MAX_TERMS, searchedPart } from '../../../recall/query.ts'
import { quotedTerm, termsOf, type Term } from '../../../recall/terms.ts'

/** A search for texts, for PostgreSQL. */
export interface TextQuery {
  /** Expressions for `to_tsquery`: of texts with all words, and of those with any; '' if there are no words. */
  readonly all: string
  readonly any: string
  /** The words that texts should have, folded. */
  readonly words: readonly string[]
  /** Finds the words in a text, in each of their forms. */
  readonly marks: MarkFinder
}

const ITEM = /(?<!\S)(-(?=[\p{L}\p{N}_"]))?(?:"([^"]*)"|(\S+))/gu
const EXPRESSION = /"([^"]*)"( \*)?/g

/** Reads a search: words, `"quoted ones"`, `-excluded`, and `or` between alternatives. `isTyping`: the last may be begun. */
export function readTextQuery(typed: string, isTyping: boolean): TextQuery {
  const text = searchedPart(typed.normalize('NFC'))
  const groups: string[][] = []
  const excluded: string[] = []
  const terms: Term[] = []
  let isOr = false
  for (const { 0: item, 1: minus, 2: quoted, 3: bare = '', index } of text.matchAll(ITEM)) {
    if (bare.toLowerCase() === 'or' && groups.length > 0 && minus === undefined) {
      isOr = true
      continue
    }
    const isLast = isTyping && index + item.length === text.length && /[\p{L}\p{N}]$/u.test(bare)
    const phrase = quoted === undefined ? null : quotedTerm(quoted)
    const found = quoted === undefined ? termsOf(bare, isLast) : phrase === null ? [] : [phrase]
    if (found.length === 0 || terms.length + excluded.length >= MAX_TERMS) continue
    const expression = found.map(({ whole }) => tsqueryOf(whole)).join(' & ')
    if (minus !== undefined) excluded.push(`!(${expression})`)
    else {
      terms.push(...found)
      if (isOr) groups.at(-1)?.push(expression)
      else groups.push([expression])
    }
    isOr = false
  }
  const words = [...new Set(terms.flatMap((term) => term.words))]
  const forms = terms.flatMap(({ forms: others, words: [word = ''] }) => others.map((form) => [form, word] as const))
  const last = terms.at(-1)?.words.at(-1) ?? null
  return {
    all: [...groups.map((group) => `(${group.join(' | ')})`), ...excluded].join(' & '),
    any: terms.flatMap(({ whole, pieces }) => [whole, ...pieces].map(tsqueryOf)).join(' | '),
    words,
    marks: createMarkFinder(words, isTyping && last !== null ? [last] : [], new Map(forms)),
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
