import type { Reader } from '../store/read/reader.ts'
import { FILTER_NAMES, type FilterName, isDocKind } from './filters.ts'
import { parseQuery, type RecallQuery } from './query.ts'
import { quotationsOf } from './quotations.ts'
import type { SearchOptions } from './search.ts'
import { allWords, type DocFilter } from './stages.ts'
import { storedMatches, valuesMeant } from './stored-filters.ts'

type Scope = Pick<SearchOptions, 'types' | 'session' | 'project' | 'since' | 'until' | 'client' | 'order'>

/** Returns what the filters in the words of a search and its arguments select together. */
export function filterOf(reader: Reader, query: RecallQuery, options: Scope): DocFilter {
  const wanted = query.kinds.filter(isDocKind)
  const later = (a: string | null, b: string | null) => (a === null ? b : b === null ? a : a > b ? a : b)
  const sooner = (a: string | null, b: string | null) => (a === null ? b : b === null ? a : a < b ? a : b)
  const types = (wanted.length > 0 ? wanted : options.types).filter((type) => !query.not.kinds?.includes(type))
  return {
    // All four types: no filter needed.
    types: types.length === 4 ? [] : types,
    session: query.session ?? valuesMeant(reader, 'session', options.session),
    project: query.project ?? valuesMeant(reader, 'project', options.project),
    since: later(query.after, options.since),
    until: sooner(query.before, options.until),
    agent: query.agent,
    model: query.model,
    client: query.client ?? valuesMeant(reader, 'client', options.client),
    tool: query.tool,
    not: query.not,
    quotations: quotationsOf(query),
    isNewestFirst: options.order === 'time',
  }
}

/** Checks whether a filter leaves out anything that is recorded. */
export const isLimited = ({ types, since, until, not, ...values }: DocFilter): boolean =>
  types.length > 0 ||
  since !== null ||
  until !== null ||
  Object.keys(not ?? {}).length > 0 ||
  FILTER_NAMES.some((name) => values[name] !== null)

/** Returns the texts that have all words of a search, for counting without a search. */
export function textsWithAll(
  reader: Reader,
  { query: typed, zone, now, ...scope }: Scope & Pick<SearchOptions, 'query' | 'zone' | 'now'>,
): { readonly expression: string; readonly filter: DocFilter } | null {
  const lookUp = (name: FilterName, value: string) => storedMatches(reader, name, value)
  const query = parseQuery(typed, { lookUp, zone, now })
  const filter = filterOf(reader, query, scope)
  const isOfTexts = query.kinds.length > 0 ? query.kinds.some(isDocKind) : scope.types.length > 0
  const expression = isOfTexts && filter.tool === null ? allWords(query) : ''
  return expression === '' ? null : { expression, filter }
}
