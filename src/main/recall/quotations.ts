import { patternOf } from '../base/quotation.ts'
import type { Quotation } from '../store/read/quotations.ts'
import type { RecallQuery, Term } from './query.ts'

/** Returns what texts must have or must not have besides the words that an index finds, which may be other forms of these. */
export function quotationsOf(query: RecallQuery, toPattern: (quoted: string) => string = patternOf): Quotation[] {
  const quoted = (terms: readonly Term[], isExcluded: boolean, or: string | null = null): Quotation[] => {
    const patterns = terms.filter(({ isQuoted }) => isQuoted).map(({ raw }) => toPattern(raw))
    return patterns.length === 0 ? [] : [{ pattern: patterns.join('|'), or, isExcluded }]
  }
  const eitherOf = (terms: readonly Term[]) => {
    const others = terms.filter(({ isQuoted }) => isQuoted !== true).map(({ whole }) => whole)
    return quoted(terms, false, others.length === 0 ? null : others.join(' OR '))
  }
  return [
    ...query.phrases.flatMap((term) => quoted([term], false)),
    ...query.excluded.flatMap((term) => quoted([term], true)),
    ...query.terms.flatMap(({ either }) => eitherOf(either)),
  ]
}

/** Returns the excluded terms that an index tells apart: a quotation also excludes by its form. */
export const excludedWords = ({ excluded }: RecallQuery): readonly Term[] =>
  excluded.filter(({ isQuoted }) => isQuoted !== true)
