import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { call } from './client.ts'
import type { Pack } from './pack-store.ts'

/** Loads the text of a pack, and what the app knows of its hits. */
export function loadPack({ hits, title, budget, wholeTurns, actions }: Pack, signal?: AbortSignal) {
  return call('recall.pack', { hits: [...hits], title, whole_turns: wholeTurns, actions, budget }, signal)
}

/** The pack on screen; while it loads after a change, the pack before. */
export function packQuery(pack: Pack) {
  const { hits, title, budget, wholeTurns, actions } = pack
  return queryOptions({
    queryKey: ['recall.pack', hits, title, wholeTurns, actions, budget],
    queryFn: ({ signal }) => loadPack(pack, signal),
    enabled: hits.length > 0,
    placeholderData: keepPreviousData,
    retry: false,
  })
}
