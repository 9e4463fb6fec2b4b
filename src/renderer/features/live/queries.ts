import { queryOptions } from '@tanstack/react-query'
import { call } from '../../lib/client.ts'

/** Whether anything was ever recorded: an empty Live view differs for those who start. */
export const anySessionQuery = queryOptions({
  queryKey: ['sessions.list', 'any'],
  queryFn: async ({ signal }) => (await call('sessions.list', { limit: 1 }, signal)).items.length > 0,
})

/** Sessions that run on this machine now, whoever captures them. */
export const runningQuery = queryOptions({
  queryKey: ['transcripts.running'],
  queryFn: ({ signal }) => call('transcripts.running', {}, signal),
  refetchInterval: 10_000,
  retry: false,
})
