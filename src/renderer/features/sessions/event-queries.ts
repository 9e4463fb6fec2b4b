import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type { AnyEvent, AspyEvent } from '../../../shared/event.ts'
import { call } from '../../lib/client.ts'
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

/** Compactions of a session, oldest first. */
export function compactionsQuery(sessionId: string) {
  return queryOptions({
    queryKey: ['sessions.events', 'compactions', sessionId],
    queryFn: async ({ signal }) => {
      const input = { session_id: sessionId, kinds: 'compaction', order: 'oldest' as const, limit: 200 }
      const { items } = await call('sessions.events', input, signal)
      return items.map(({ uuid, turn_id, ts_wall }) => ({ uuid, turn_id, timestamp: ts_wall }))
    },
  })
}

/** Bounds the pages that are searched for the events of one agent. */
const AGENT_PAGES = 3

/** Events of one agent, for a transcript in which their pages are not loaded. */
export function agentEventsQuery(sessionId: string, agent: SessionAgent) {
  return queryOptions({
    queryKey: ['sessions.events', sessionId, 'agent', agent.agent_id, agent.ended_at],
    queryFn: ({ signal }) => fetchAgentEvents(sessionId, agent, AGENT_PAGES, signal),
  })
}

/** The result of a tool call, or null if none is recorded. */
export function resultQuery(uuid: string) {
  return queryOptions({
    queryKey: ['events.children', 'result', uuid],
    queryFn: async ({ signal }) => {
      const { items } = await call('events.children', { uuid, limit: 20 }, signal)
      const events = items as readonly unknown[] as readonly AnyEvent[]
      return events.find((event) => event.kind === 'tool_result') ?? null
    },
  })
}

/** Pages of calls that are read for the files of a session. */
const MAX_EDIT_PAGES = 20

/** The tool calls of a session, oldest first, and which of them failed or were refused. */
export function editsQuery(sessionId: string) {
  return queryOptions({
    queryKey: ['sessions.events', 'edits', sessionId],
    queryFn: async ({ signal }) => {
      const calls: AspyEvent<'tool_call'>[] = []
      let next: string | null = null
      let pages = 0
      do {
        const place: { cursor?: string } = next === null ? {} : { cursor: next }
        const input = { session_id: sessionId, kinds: 'tool_call', order: 'oldest' as const, limit: 1000, ...place }
        const page = await call('sessions.events', input, signal)
        calls.push(...(page.items as readonly unknown[] as readonly AspyEvent<'tool_call'>[]))
        next = page.next
        pages += 1
      } while (next !== null && pages < MAX_EDIT_PAGES)
      return { calls, failed: await failedCalls(sessionId, signal), isPartial: next !== null }
    },
  })
}

async function failedCalls(sessionId: string, signal: AbortSignal): Promise<ReadonlySet<string>> {
  const failed = new Set<string>()
  let next: string | null = null
  let pages = 0
  do {
    const place: { cursor?: string } = next === null ? {} : { cursor: next }
    const page = await call('tools.list', { session_id: sessionId, limit: 500, ...place }, signal)
    for (const { uuid, success } of page.items) if (success === false) failed.add(uuid)
    next = page.next
    pages += 1
  } while (next !== null && pages < MAX_EDIT_PAGES * 2)
  return failed
}
