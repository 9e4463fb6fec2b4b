import { queryOptions } from '@tanstack/react-query'
import { call } from './client.ts'

/** Projects of the newest sessions, for project filters. */
export const projectsQuery = queryOptions({
  queryKey: ['sessions.list', 'projects'],
  queryFn: async ({ signal }) => {
    const { items } = await call('sessions.list', { limit: 200 }, signal)
    return [...new Set(items.flatMap((session) => session.project ?? []))].sort()
  },
  staleTime: 60_000,
})
