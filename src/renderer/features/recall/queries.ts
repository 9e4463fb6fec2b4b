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

/** The whole text of a hit; null if no single event has it, as with a session's summary. */
export function previewQuery({ uuid, match_type: type }: Pick<Hit, 'uuid' | 'match_type'>) {
  return queryOptions({
    queryKey: ['recall.preview', uuid, type],
    queryFn: async ({ signal }) => {
      if (type === 'episode' || type === 'memory') return null
      const { payload } = await call('events.get', { uuid }, signal)
      return textIn(payload)
    },
    staleTime: Number.POSITIVE_INFINITY,
  })
}

/** Returns the text of an event; of a tool call or result its JSON. */
function textIn(payload: { readonly [key: string]: unknown }): string | null {
  const text = payload['text'] ?? payload['summary'] ?? payload['output'] ?? payload['input']
  if (text === undefined || text === null || text === '') return null
  return typeof text === 'string' ? text : JSON.stringify(text, null, 2)
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

/** A remembered event with the events that confirm it. */
export function memoryQuery(uuid: string) {
  return queryOptions({
    queryKey: ['memories.list', uuid],
    queryFn: ({ signal }) => call('memories.get', { uuid }, signal),
  })
}
