import { queryOptions } from '@tanstack/react-query'
import { call } from '../../lib/client.ts'

/** An exchange, refetched until it has its response; after that it never changes. */
export function exchangeQuery(uuid: string) {
  return queryOptions({
    queryKey: ['requests.get', uuid],
    queryFn: ({ signal }) => call('requests.get', { uuid }, signal),
    refetchInterval: (query) => (query.state.data?.response === null ? 2000 : false),
  })
}

/** What each block of a request cost while its session carried it, by its place in the request. */
export function blockCostsQuery(session: string, uuid: string) {
  return queryOptions({
    queryKey: ['carry.session', session, uuid],
    queryFn: async ({ signal }) => {
      const { items } = await call('carry.session', { session_id: session, exchange: uuid, limit: 1000 }, signal)
      return new Map(items.map((item) => [item.entered.position, { usd: item.usd, requests: item.requests }]))
    },
  })
}

/** How a request differs from the one before it. */
export function requestDiffQuery(uuid: string) {
  return queryOptions({
    queryKey: ['requests.diff', uuid],
    queryFn: ({ signal }) => call('requests.diff', { uuid }, signal),
    retry: false,
  })
}
