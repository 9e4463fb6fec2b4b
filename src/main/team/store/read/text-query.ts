import { patternOf } from '../../../base/quotation.ts'
import { fold, hasCjk } from '../../../base/words.ts'
import { createMarkFinder } from '../../../recall/marks.ts'
import { type LookUp, parseQuery } from '../../../recall/query.ts'
import { excludedWords, quotationsOf } from '../../../recall/quotations.ts'
import { beginningsOf, eachOf } from '../../../recall/terms.ts'

/** A search for texts, for PostgreSQL. */
export type TextQuery = ReturnType<typeof readTextQuery>

const EXPRESSION = /"([^"]*)"( \*)?/g

interface ReadOptions {
  readonly isTyping: boolean
  readonly zone: string | undefined
  /** Returns the stored values that a filter selects. */
  readonly lookUp: LookUp
}

/** Reads a search as a laptop does. `isTyping`: the last word may be begun. */
export function readTextQuery(typed: string, { isTyping, zone, lookUp }: ReadOptions) {
  const parsed = parseQuery(typed, { prefix: isTyping, zone, lookUp })
  const terms = [...parsed.phrases, ...parsed.terms]
  const excluded = excludedWords(parsed).map(({ whole }) => `!(${tsqueryOf(whole)})`)
  const words = [...new Set(terms.flatMap((term) => term.words))]
  const forms = eachOf(terms).flatMap(({ forms: others, words: [word = ''] }) =>
    others.map((form) => [form, word] as const),
  )
  const some = parsed.terms.length === 0 ? [] : terms
  const any = some.flatMap(({ whole, pieces }) => [whole, ...pieces].map(tsqueryOf)).join(' | ')
  return {
    /** Expressions for `to_tsquery`: of texts with all words, and of those with any; '' if there are no words. */
    all: [...terms.map(({ whole }) => `(${tsqueryOf(whole)})`), ...excluded].join(' & '),
    any: any === '' ? '' : [`(${any})`, ...excluded].join(' & '),
    /** What texts with all words must have besides, and what all must not have. */
    quotations: quotationsOf(parsed, (quoted) => patternOf(quoted, '[:alnum:]')).map(({ or, ...quotation }) => ({
      ...quotation,
      or: or === null ? null : tsqueryOf(or),
    })),
    /** The words that texts should have, folded. */
    words,
    /** Finds the words in a text, in each of their forms. */
    marks: createMarkFinder(words, beginningsOf(terms), new Map(forms)),
    /** The search as a laptop reads it, with its filters. */
    parsed,
  }
}

/** Translates an expression of a term, which has only quoted words, `*` behind the last, AND and OR. */
function tsqueryOf(expression: string): string {
  return expression
    .replaceAll(EXPRESSION, (_, words: string, star?: string) => {
      // Pairs of CJK signs are indexed with their marks.
      const lexemes = words.split(' ').map((word) => `'${hasCjk(word) ? word : fold(word)}'`)
      return `(${lexemes.join(' <-> ')}${star === undefined ? '' : ':*'})`
    })
    .replaceAll(' OR ', ' | ')
    .replaceAll(' AND ', ' & ')
}
