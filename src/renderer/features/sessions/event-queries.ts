import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type { AspyEvent } from '../../../shared/event.ts'
import { callPages } from '../../lib/operation.ts'
import { fetchAgentEvents, fetchTranscriptPage, type PagePoint } from './transcript/transcript-pages.ts'
import type { SessionAgent } from './transcript/transcript-rows.ts'

/** A session's events from its start, back from its end, or in both directions from a moment. */
export function transcriptQuery(sessionId: string, anchor: string | 'end' | null) {
  return infiniteQueryOptions({
    queryKey: ['sessions.events', sessionId, anchor],
    queryFn: ({ signal, pageParam }) => fetchTranscriptPage(sessionId, pageParam, signal),
    initialPageParam: firstPoint(anchor),
    getNextPageParam: (page) => page.next,
    getPreviousPageParam: (page) => page.previous,
  })
}

function firstPoint(anchor: string | null): PagePoint {
  if (anchor === null) return { to: 'start' }
  return anchor === 'end' ? { to: 'end' } : { to: 'around', at: anchor }
}

/** Bounds the pages that are searched for the events of one agent. */
const AGENT_PAGES = 3

/** Events of one agent, for a transcript in which their pages are not loaded. */
export const agentEventsQuery = (sessionId: string, agent: SessionAgent) =>
  queryOptions({
    queryKey: ['sessions.events', sessionId, 'agent', agent.agent_id, agent.ended_at],
    queryFn: ({ signal }) => fetchAgentEvents(sessionId, agent, AGENT_PAGES, signal),
  })

/** Number of calls of a session that are read for its files, and the same number of outcomes. */
const MAX_CALLS = 20_000

/** The tool calls of a session, oldest first, and which of them failed or were rejected. */
export function editsQuery(sessionId: string) {
  return queryOptions({
    queryKey: ['sessions.events', 'edits', sessionId],
    queryFn: async ({ signal }) => {
      const input = { session_id: sessionId, kinds: 'tool_call', order: 'oldest', limit: 1000 } as const
      const { items, isWhole } = await callPages('sessions.events', input, { most: MAX_CALLS, signal })
      const outcomes = await callPages('tools.list', { session_id: sessionId, limit: 500 }, { most: MAX_CALLS, signal })
      return {
        // An event of the log has the payload of its kind.
        calls: items as readonly unknown[] as readonly AspyEvent<'tool_call'>[],
        failed: new Set(outcomes.items.filter(({ success }) => success === false).map(({ uuid }) => uuid)),
        isPartial: !isWhole,
      }
    },
  })
}
