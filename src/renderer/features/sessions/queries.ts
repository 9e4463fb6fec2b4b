import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { OperationOutput } from '../../../shared/contract/index.ts'
import { call } from '../../lib/client.ts'
import { startedIn, viewerZone } from '../../lib/time-range.ts'
import type { SessionsSearch } from './list/sessions-search.ts'

/** Sessions matching the filters, the most recently active first or sorted by a column. */
export function sessionsQuery(search: SessionsSearch) {
  const { q, project, starred, failed, client, model, branch, tag, agents, from, to, sort, when } = search
  return infiniteQueryOptions({
    queryKey: ['sessions.list', 'table', search],
    queryFn: ({ signal, pageParam }) =>
      call(
        'sessions.list',
        {
          limit: 100,
          ...(q === undefined ? {} : { query: q }),
          ...(project === undefined ? {} : { project }),
          ...(starred === undefined ? {} : { starred: true }),
          ...(failed === undefined ? {} : { failed: true }),
          ...(client === undefined ? {} : { client }),
          ...(model === undefined ? {} : { model }),
          ...(branch === undefined ? {} : { branch }),
          ...(tag === undefined ? {} : { tag }),
          ...(agents === undefined ? {} : { agents: true }),
          ...(from === undefined ? {} : { active_since: from }),
          ...(to === undefined ? {} : { active_before: to }),
          ...(when === undefined ? {} : startedIn(when, Date.now(), viewerZone())),
          sort: sort ?? 'last_activity',
          ...(pageParam === null ? {} : { cursor: pageParam }),
        },
        signal,
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next,
    placeholderData: keepPreviousData,
  })
}

const summaryQuery = queryOptions({
  queryKey: ['stats.summary', 'names'],
  queryFn: ({ signal }) => call('stats.summary', {}, signal),
  staleTime: 60_000,
})

/** Names of the clients that sessions were recorded of. */
export const clientsQuery = queryOptions({
  ...summaryQuery,
  select: ({ by_client: clients }) => clients.map(({ client }) => client),
})

/** Names of the models that were called, most expensive first. */
export const modelsQuery = queryOptions({
  ...summaryQuery,
  select: ({ by_model: models }) => models.map(({ model }) => model),
})

/** Tags that people set on sessions. */
export const tagsQuery = queryOptions({
  queryKey: ['sessions.tags'],
  queryFn: ({ signal }) => call('sessions.tags', {}, signal),
  select: ({ items }) => items.map(({ tag }) => tag),
})

/** More failures are not stepped through. */
const MAX_FAILURES = 2000

/** API errors and failed tool calls of a session, oldest first; fetched again when their number changes. */
export function failuresQuery(sessionId: string, count: number) {
  return queryOptions({
    queryKey: ['errors.list', 'session', sessionId, count],
    queryFn: async ({ signal }) => {
      const found: OperationOutput<'errors.list'>['items'] = []
      let cursor: string | undefined
      do {
        const input = { session_id: sessionId, tools: true, limit: 500, ...(cursor === undefined ? {} : { cursor }) }
        const page = await call('errors.list', input, signal)
        found.push(...page.items)
        cursor = page.next ?? undefined
      } while (cursor !== undefined && found.length < MAX_FAILURES)
      // Errors of Aspy are shown in Health.
      return found.filter(({ origin }) => origin !== 'capture').toReversed()
    },
    enabled: count > 0,
    placeholderData: keepPreviousData,
  })
}

export function sessionQuery(sessionId: string) {
  return queryOptions({
    queryKey: ['sessions.get', sessionId],
    queryFn: ({ signal }) => call('sessions.get', { session_id: sessionId }, signal),
    // A session without an end may still change.
    refetchInterval: ({ state }) => (state.data?.ended_at === null ? 10_000 : false),
  })
}

/** Whether a session has thinking with a signature but no text. */
export function signaturesQuery(sessionId: string) {
  return queryOptions({
    queryKey: ['sessions.events', 'signatures', sessionId],
    queryFn: async ({ signal }) => {
      const { items } = await call('sessions.events', { session_id: sessionId, kinds: 'thinking', limit: 20 }, signal)
      return items.some(({ kind, payload }) => kind === 'thinking' && payload['signature_only'] === true)
    },
  })
}

/** Prompts of a session in order, for the outline. */
export function outlineQuery(sessionId: string) {
  return queryOptions({
    queryKey: ['prompts.search', 'outline', sessionId],
    queryFn: ({ signal }) => call('prompts.search', { session_id: sessionId }, signal),
  })
}

/** One event. Deep links use its time to find the page to load. */
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

/** Direct effects of an event, loaded when its branch is opened. */
export function childrenQuery(uuid: string) {
  return queryOptions({
    queryKey: ['events.children', uuid],
    queryFn: ({ signal }) => call('events.children', { uuid, limit: 500 }, signal),
  })
}

/** Cost and tokens by turn, and the growth of the context. */
export function usageQuery(sessionId: string) {
  return queryOptions({
    queryKey: ['sessions.usage', sessionId],
    queryFn: ({ signal }) => call('sessions.usage', { session_id: sessionId }, signal),
  })
}

/** Aspy's cost total compared with Claude Code's own. */
export function reconcileQuery(sessionId: string) {
  return queryOptions({
    queryKey: ['sessions.reconcile', sessionId],
    queryFn: ({ signal }) => call('sessions.reconcile', { session_id: sessionId }, signal),
  })
}

/** Subagents of a session with their outcome and usage. */
export function agentsQuery(sessionId: string) {
  return queryOptions({
    queryKey: ['agents.list', sessionId],
    queryFn: ({ signal }) => call('agents.list', { session_id: sessionId }, signal),
  })
}

/** Tasks of a session in their latest state. */
export function tasksQuery(sessionId: string) {
  return queryOptions({
    queryKey: ['tasks.list', sessionId],
    queryFn: ({ signal }) => call('tasks.list', { session_id: sessionId }, signal),
  })
}

const LANE_EVENTS = 1000

/** Events of one agent in a turn, or of the main agent, in order; loaded when its lane is opened. */
export function laneQuery(sessionId: string, turn: number, agent: string | null) {
  return queryOptions({
    queryKey: ['events.list', sessionId, turn, agent],
    queryFn: ({ signal }) =>
      call('events.list', { session_id: sessionId, turn_id: turn, agent: agent ?? 'main', limit: LANE_EVENTS }, signal),
  })
}

/** Requests of a session, newest first. */
export function requestsQuery(sessionId: string) {
  return infiniteQueryOptions({
    queryKey: ['requests.list', sessionId],
    queryFn: ({ signal, pageParam }) =>
      call(
        'requests.list',
        { session_id: sessionId, limit: 200, ...(pageParam === null ? {} : { cursor: pageParam }) },
        signal,
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next,
  })
}

/** Token limit of the pack of dropped messages. */
export const DROPPED_PACK_TOKENS = 4000

/** Messages before a compaction that its summary does not cover; with a query, only those that contain all its words. */
export function droppedQuery(uuid: string, query: string) {
  return queryOptions({
    queryKey: ['compactions.dropped', uuid, query],
    queryFn: ({ signal }) =>
      call(
        'compactions.dropped',
        { uuid, limit: 60, budget: DROPPED_PACK_TOKENS, ...(query === '' ? {} : { query }) },
        signal,
      ),
    placeholderData: keepPreviousData,
    retry: false,
  })
}

/** More hits are counted, but not stepped through. */
const MAX_FOUND = 1000

/** Hits within one session, in the order of time. */
export function findQuery(sessionId: string, text: string) {
  return queryOptions({
    queryKey: ['recall.search', 'session', sessionId, text],
    queryFn: async ({ signal }) => {
      const hits: OperationOutput<'recall.search'>['items'] = []
      let cursor: string | undefined
      let total = 0
      do {
        const place = cursor === undefined ? {} : { cursor }
        const answer = await call(
          'recall.search',
          { query: text, session_id: sessionId, tools: true, order: 'time', limit: 100, prefix: true, ...place },
          signal,
        )
        hits.push(...answer.items)
        total = Math.max(total, answer.total)
        cursor = answer.next ?? undefined
      } while (cursor !== undefined && hits.length < MAX_FOUND)
      return { hits: hits.toReversed(), total: cursor === undefined ? hits.length : Math.max(total, hits.length) }
    },
    enabled: text !== '',
    placeholderData: keepPreviousData,
    retry: false,
  })
}

/** Whether the last resume of a session carried what it had; asked again with each new prompt. */
export function resumeTruthQuery(sessionId: string, prompts: number) {
  return queryOptions({
    queryKey: ['sessions.resume_truth', sessionId, prompts],
    queryFn: ({ signal }) => call('sessions.resume_truth', { session_id: sessionId }, signal),
    placeholderData: keepPreviousData,
    retry: false,
  })
}
