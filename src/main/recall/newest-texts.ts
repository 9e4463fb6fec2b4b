import { hasQuotation } from '../base/quotation.ts'
import { damageOf, reportDamage } from '../store/database/damage.ts'
import { newestDocs } from '../store/read/recall.ts'
import { findDocs, textOf, withUuids } from '../store/read/recall-docs.ts'
import type { Reader } from '../store/read/reader.ts'
import { matcherOf } from './dropped.ts'
import { type FilterName, isDocKind } from './filters.ts'
import { wordsToMark } from './hit-marks.ts'
import { parseQuery } from './query.ts'
import { filterOf } from './search-filter.ts'
import { search, type SearchOptions, type SearchResult } from './search.ts'
import { notesOfArguments } from './search-notes.ts'
import { storedMatches } from './stored-filters.ts'

/** Time for reading texts. */
const MAX_MS = 300
const MAX_READ = 2000

/** Searches by the index or, while a damaged one is being rebuilt, in the newest texts, as the answer then says. */
export function searchTexts(reader: Reader, asked: SearchOptions): SearchResult {
  try {
    return search(reader, asked)
  } catch (error) {
    const isTorn = damageOf(error)?.isText === true
    if (!isTorn || asked.syntax === 'fts5' || reader.budget.willRetry) throw error
    reportDamage(reader.databasePath, error)
    return { ...newestTexts(reader, asked), notes: { ...notesOfArguments(reader, asked), index: 'rebuilding' } }
  }
}

/** Returns the newest texts with all words, newest first. */
function newestTexts(reader: Reader, asked: SearchOptions): Omit<SearchResult, 'notes'> {
  const lookUp = (name: FilterName, value: string) => storedMatches(reader, name, value)
  const query = parseQuery(asked.query, { ...asked, lookUp })
  const filter = filterOf(reader, query, asked)
  const isOfTexts = filter.tool === null && (query.kinds.length === 0 || query.kinds.some(isDocKind))
  const hasTypes = asked.types.length > 0 || query.kinds.some(isDocKind)
  // Those with an expression ask the index.
  const quotations = filter.quotations?.filter(({ or }) => or === null) ?? []
  const isAsQuoted = (text: string) =>
    quotations.every(({ pattern, isExcluded }) => hasQuotation(text, pattern ?? '') !== isExcluded)
  const matches = matcherOf([...query.terms, ...query.phrases])
  const excluded = query.excluded.filter(({ isQuoted }) => isQuoted !== true).map((term) => matcherOf([term]))
  const isHit = (text: string) => matches(text) && !excluded.some((isExcluded) => isExcluded(text)) && isAsQuoted(text)
  const newest = isOfTexts && hasTypes ? newestDocs(reader, { ...filter, quotations: [] }, MAX_READ).matches : []
  const ids = newest.map(({ id }) => id)
  const docs = findDocs(reader, ids)
  const until = performance.now() + MAX_MS
  const hits = ids
    .flatMap((id) => docs.get(id) ?? [])
    .filter((doc) => performance.now() < until && isHit(textOf(reader, doc)))
  const ranked = withUuids(reader, hits.slice(0, asked.limit)).map((doc) => ({ doc, score: 0 }))
  return {
    ranked,
    limit: asked.limit,
    total: hits.length,
    isAbout: true,
    isQuestion: false,
    matchedBy: hits.length === 0 ? [] : ['all'],
    partial: true,
    strict: null,
    query,
    filter,
    ...wordsToMark(query),
  }
}
