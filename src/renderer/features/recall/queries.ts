import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Hit } from '../../../shared/contract/recall.ts'
import { call } from '../../lib/client.ts'
import { viewerZone } from '../../lib/time-range.ts'
import { type RecallState, searchInput } from './recall-search.ts'

/** Hits of a search. Previous hits stay on screen until the new ones arrive; a newer search cancels this one. */
export function hitsQuery(state: RecallState) {
  return queryOptions({
    queryKey: ['recall.search', state.q, state.kinds, state.project, state.range, state.order],
    queryFn: ({ signal }) => call('recall.search', searchInput(state, Date.now(), viewerZone()), signal),
    enabled: (state.q ?? '').trim() !== '',
    placeholderData: keepPreviousData,
    retry: false,
  })
}

/** Prompts, newest first; with a query, only matching ones. */
export function promptsQuery(query: string, project: string | undefined) {
  return infiniteQueryOptions({
    queryKey: ['prompts.search', query, project],
    queryFn: ({ signal, pageParam }) =>
      call(
        'prompts.search',
        {
          query,
          limit: 100,
          ...(project === undefined ? {} : { project }),
          ...(pageParam === null ? {} : { cursor: pageParam }),
        },
        signal,
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next,
    placeholderData: keepPreviousData,
  })
}

/** A pack of the selected hits, or of their whole turns. */
export function packQuery(hits: readonly PackedHit[], wholeTurns: boolean, budget: number) {
  const uuids = hits.map(({ uuid }) => uuid)
  return queryOptions({
    queryKey: ['recall.pack', uuids, wholeTurns, budget],
    queryFn: ({ signal }) =>
      call('recall.pack', wholeTurns ? { turns: turnsOf(hits), budget } : { uuids, budget }, signal),
    enabled: hits.length > 0,
    placeholderData: keepPreviousData,
  })
}

/** Limit of recall.pack. */
const MAX_TURNS = 50

export type PackedHit = Pick<Hit, 'uuid' | 'session_id' | 'turn_id'>

/** Returns the distinct turns of hits, in the order of selection, up to the limit of a pack. */
export function turnsOf(hits: readonly PackedHit[]): { session_id: string; turn_id: number }[] {
  const turns = new Map(hits.map(({ session_id, turn_id }) => [`${session_id} ${turn_id}`, { session_id, turn_id }]))
  return [...turns.values()].slice(0, MAX_TURNS)
}

/** Hits per month for texts that contain all words of a search. */
export function monthsQuery(state: RecallState) {
  const { query, project, prompts, responses, thinking } = searchInput(state, Date.now(), viewerZone())
  return queryOptions({
    queryKey: ['recall.months', state.q, state.kinds, state.project],
    queryFn: ({ signal }) =>
      call(
        'recall.months',
        {
          query,
          ...(project === undefined ? {} : { project }),
          prompts: prompts ?? true,
          responses: responses ?? true,
          thinking: thinking ?? true,
        },
        signal,
      ),
    enabled: query.trim() !== '',
    placeholderData: keepPreviousData,
    retry: false,
  })
}

export const savedSearchesQuery = queryOptions({
  queryKey: ['searches.list'],
  queryFn: ({ signal }) => call('searches.list', {}, signal),
})

export const memoriesQuery = queryOptions({
  queryKey: ['memories.list'],
  queryFn: ({ signal }) => call('memories.list', { limit: 50 }, signal),
})
