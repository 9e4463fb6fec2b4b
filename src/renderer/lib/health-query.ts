import { queryOptions } from '@tanstack/react-query'
import { call } from './client.ts'

/** The app's health, refetched every two seconds while it is on screen. */
export const healthQuery = queryOptions({
  queryKey: ['health.get'],
  queryFn: ({ signal }) => call('health.get', {}, signal),
  refetchInterval: 2_000,
})
