import { queryOptions } from '@tanstack/react-query'
import { call } from './client.ts'

/** How the app is, asked every two seconds while anyone looks. */
export const healthQuery = queryOptions({
  queryKey: ['health.get'],
  queryFn: ({ signal }) => call('health.get', {}, signal),
  refetchInterval: 2_000,
})
