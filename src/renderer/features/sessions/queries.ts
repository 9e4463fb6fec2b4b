import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { call } from '../../lib/client.ts'
import { fetchTranscriptPage, type PagePoint } from './transcript-pages.ts'

/** Sessions, newest first, by a word of title, project or id. */
export function sessionsQuery(query: string | undefined, project: string | undefined) {
  return infiniteQueryOptions({
    queryKey: ['sessions.list', 'table', query, project],
    queryFn: ({ signal, pageParam }) =>
      call(
        'sessions.list',
        {
          limit: 100,
          ...(query === undefined ? {} : { query }),
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

export function sessionQuery(sessionId: string) {
  return queryOptions({
    queryKey: ['sessions.get', sessionId],
    queryFn: ({ signal }) => call('sessions.get', { session_id: sessionId }, signal),
  })
}

/** Prompts of a session by number, for the outline. */
export function outlineQuery(sessionId: string) {
  return queryOptions({
    queryKey: ['prompts.search', 'outline', sessionId],
    queryFn: ({ signal }) => call('prompts.search', { session_id: sessionId, limit: 500 }, signal),
  })
}

/** When an event happened: where a deep link begins to read. */
export function anchorQuery(uuid: string | undefined) {
  return queryOptions({
    queryKey: ['events.get', uuid],
    queryFn: ({ signal }) => call('events.get', { uuid: uuid ?? '' }, signal),
    enabled: uuid !== undefined,
  })
}

export function chainQuery(uuid: string) {
  return queryOptions({
    queryKey: ['events.chain', uuid],
    queryFn: ({ signal }) => call('events.chain', { uuid }, signal),
  })
}

/** A session's events in both directions from a moment, or from its start. */
export function transcriptQuery(sessionId: string, anchor: string | null) {
  return infiniteQueryOptions({
    queryKey: ['sessions.events', sessionId, anchor],
    queryFn: ({ signal, pageParam }) => fetchTranscriptPage(sessionId, pageParam, signal),
    initialPageParam: (anchor === null ? { to: 'start' } : { to: 'around', at: anchor }) as PagePoint,
    getNextPageParam: (page) => page.next,
    getPreviousPageParam: (page) => page.previous,
  })
}
