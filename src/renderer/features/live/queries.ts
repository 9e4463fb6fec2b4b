import { queryOptions } from '@tanstack/react-query'
import { call } from '../../lib/client.ts'

/** Whether anything was ever recorded. Before the first session, Live shows how to start. */
export const anySessionQuery = queryOptions({
  queryKey: ['sessions.list', 'any'],
  queryFn: async ({ signal }) => (await call('sessions.list', { limit: 1 }, signal)).items.length > 0,
})

/** Sessions running on this machine, captured or not. */
export const runningQuery = queryOptions({
  queryKey: ['transcripts.running'],
  queryFn: ({ signal }) => call('transcripts.running', {}, signal),
  refetchInterval: 10_000,
  retry: false,
})
