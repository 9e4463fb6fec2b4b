import { patternOf } from '../base/quotation.ts'
import type { Quotation } from '../store/read/quotations.ts'
import type { RecallQuery } from './query.ts'
import type { Term } from './terms.ts'

/** Returns what texts must have or must not have besides what an expression finds: it tells no forms of a word apart. */
export function quotationsOf(query: RecallQuery, toPattern: (quoted: string) => string = patternOf): Quotation[] {
  const expressed = excludedWords(query)
  const conditionOf = (terms: readonly Term[], isExcluded: boolean): Quotation => {
    const { true: quoted = [], false: others = [] } = Object.groupBy(terms, ({ isQuoted = false }) => `${isQuoted}`)
    return {
      pattern: quoted.length === 0 ? null : quoted.map(({ raw }) => toPattern(raw)).join('|'),
      or: others.length === 0 ? null : others.map(({ whole }) => whole).join(' OR '),
      isExcluded,
    }
  }
  const either = query.terms.filter((term) => term.either.some(({ isQuoted }) => isQuoted))
  return [
    ...query.phrases.map((term) => conditionOf([term], false)),
    ...query.excluded.filter((term) => !expressed.includes(term)).map((term) => conditionOf([term], true)),
    ...either.map((term) => conditionOf(term.either, false)),
  ]
}

/** Returns the excluded terms that an expression excludes: it needs words, and a quotation excludes by its form. */
export const excludedWords = ({ terms, phrases, excluded }: RecallQuery): readonly Term[] =>
  terms.length + phrases.length === 0 ? [] : excluded.filter(({ isQuoted }) => isQuoted !== true)
