import { queryOptions, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { CacheMiss } from '../../shared/contract/cache.ts'
import { callPages } from './operation.ts'

/** Maximum number of misses marked in a session. */
const MAX_MISSES = 2000
const NONE: readonly CacheMiss[] = []

/** Requests of a session that did not read all they could from the prompt cache, newest first. */
function cacheMissesQuery(sessionId: string) {
  return queryOptions({
    queryKey: ['cache.list', 'session', sessionId],
    queryFn: async ({ signal }) => {
      const { items } = await callPages(
        'cache.list',
        { session_id: sessionId, limit: 500 },
        { most: MAX_MISSES, signal },
      )
      return items.filter((miss) => miss.missed_tokens > 0)
    },
    staleTime: 10_000,
  })
}

/** Lookups of a session's cache misses by request and by turn. Empty until they are loaded. */
export function useCacheMisses(sessionId: string): {
  readonly all: readonly CacheMiss[]
  readonly ofRequest: (uuid: string) => readonly CacheMiss[]
  readonly ofTurn: (turn: number) => readonly CacheMiss[]
} {
  const { data } = useQuery(cacheMissesQuery(sessionId))
  return useMemo(() => {
    const byRequest = Map.groupBy(data ?? NONE, ({ exchange }) => exchange)
    const byTurn = Map.groupBy(data ?? NONE, ({ turn_id: turn }) => turn)
    return {
      all: data ?? NONE,
      ofRequest: (uuid) => byRequest.get(uuid) ?? NONE,
      ofTurn: (turn) => byTurn.get(turn) ?? NONE,
    }
  }, [data])
}
