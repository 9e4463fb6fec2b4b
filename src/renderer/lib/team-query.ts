import { queryOptions } from '@tanstack/react-query'
import { call } from './client.ts'

/** The team that this machine joined, or that the server of this page serves. */
export const teamQuery = queryOptions({
  queryKey: ['team.get'],
  queryFn: ({ signal }) => call('team.get', {}, signal),
  staleTime: 60_000,
})
