import { queryOptions } from '@tanstack/react-query'
import { isOwnError } from '../../../shared/failures.ts'
import { callPages, currency } from '../../lib/operation.ts'
import { viewerZone } from '../../lib/time-range.ts'

/** Maximum number of failures to step through. */
const MAX_FAILURES = 2000

/** API errors and failed tool calls of a session, oldest first; fetched again when their number changes. */
export function failuresQuery(sessionId: string, count: number) {
  return queryOptions({
    queryKey: ['errors.list', 'session', sessionId, count],
    queryFn: async ({ signal }) => {
      const input = { session_id: sessionId, tools: true, limit: 500 }
      const { items } = await callPages('errors.list', input, { most: MAX_FAILURES, signal })
      // Errors of Aspy are shown in Health, and what its guard stopped is a decision.
      return items.filter(({ origin }) => !isOwnError(origin)).toReversed()
    },
    enabled: count > 0,
    ...currency('errors.list'),
  })
}

/** Maximum number of hits to step through; further ones are only counted. */
const MAX_FOUND = 1000

/** Hits within one session, in the order of time. */
export function findQuery(sessionId: string, text: string) {
  return queryOptions({
    queryKey: ['recall.search', 'session', sessionId, text],
    queryFn: async ({ signal }) => {
      const { pages, items, isWhole } = await callPages(
        'recall.search',
        { query: text, session_id: sessionId, tz: viewerZone(), tools: true, order: 'time', limit: 100, prefix: true },
        { most: MAX_FOUND, signal },
      )
      const total = isWhole ? items.length : Math.max(items.length, ...pages.map((page) => page.total))
      return { hits: items.toReversed(), total }
    },
    enabled: text !== '',
    ...currency('recall.search'),
  })
}
