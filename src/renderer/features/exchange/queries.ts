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

/** How a request differs from the one before it. */
export function requestDiffQuery(uuid: string) {
  return queryOptions({
    queryKey: ['requests.diff', uuid],
    queryFn: ({ signal }) => call('requests.diff', { uuid }, signal),
    retry: false,
  })
}
