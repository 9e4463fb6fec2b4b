import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { call } from './client.ts'
import type { Pack } from './pack-store.ts'

/** The text of a pack, and what the app knows of its hits. */
export function packQuery({ hits, title, budget, wholeTurns, actions }: Pack) {
  return queryOptions({
    queryKey: ['recall.pack', hits, title, wholeTurns, actions, budget],
    queryFn: ({ signal }) =>
      call('recall.pack', { hits: [...hits], title, whole_turns: wholeTurns, actions, budget }, signal),
    enabled: hits.length > 0,
    placeholderData: keepPreviousData,
    retry: false,
  })
}
