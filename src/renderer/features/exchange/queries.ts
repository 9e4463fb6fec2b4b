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
