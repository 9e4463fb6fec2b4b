import type { AnyEvent, EventKind } from '../../../../shared/event.ts'
import { call } from '../../../lib/client.ts'
import { callPages } from '../../../lib/operation.ts'

/** The start and direction of a page of a transcript. */
export type PagePoint =
  | { readonly to: 'start' }
  | { readonly to: 'end' }
  | { readonly to: 'around'; readonly at: string }
  | { readonly to: 'later'; readonly after?: string | undefined; readonly cursor?: string | undefined }
  | { readonly to: 'earlier'; readonly before?: string | undefined; readonly cursor?: string | undefined }

export interface TranscriptPage {
  /** Oldest first. */
  readonly events: readonly AnyEvent[]
  readonly previous: PagePoint | null
  readonly next: PagePoint | null
}

const PAGE_EVENTS = 200
const EVENTS_BEFORE_ANCHOR = 60

/** Kinds shown in a transcript. Requests, responses and usage have their own views. */
const KINDS: EventKind[] = [
  'user_prompt',
  'thinking',
  'assistant_text',
  'tool_call',
  'tool_result',
  'compaction',
  'error',
  'agent_started',
  'agent_ended',
  'notification',
  'guard_action',
  'session_started',
  'session_ended',
  'unknown',
]

export const isTranscriptKind = (kind: EventKind): boolean => KINDS.includes(kind)

/** Shifts a time. Pages overlap by a millisecond, because two events may share one; `inOrder` removes duplicates. */
const shifted = (iso: string, ms: number): string => new Date(Date.parse(iso) + ms).toISOString()

/** Loads one page of a session's events. */
export async function fetchTranscriptPage(
  sessionId: string,
  point: PagePoint,
  signal: AbortSignal,
): Promise<TranscriptPage> {
  switch (point.to) {
    case 'start':
      return { ...(await later(sessionId, {}, signal)), previous: null }
    case 'end':
      return { ...(await earlier(sessionId, {}, PAGE_EVENTS, signal)), next: null }
    case 'later':
      return { ...(await later(sessionId, point, signal)), previous: null }
    case 'earlier':
      return { ...(await earlier(sessionId, point, PAGE_EVENTS, signal)), next: null }
    case 'around': {
      const [before, after] = await Promise.all([
        earlier(sessionId, { before: shifted(point.at, 1) }, EVENTS_BEFORE_ANCHOR, signal),
        later(sessionId, { after: shifted(point.at, -1) }, signal),
      ])
      return { events: inOrder([...before.events, ...after.events]), previous: before.previous, next: after.next }
    }
  }
}

async function later(
  sessionId: string,
  point: { after?: string | undefined; cursor?: string | undefined },
  signal: AbortSignal,
) {
  const { after, cursor } = point
  const input = { session_id: sessionId, kinds: KINDS, order: 'oldest', limit: PAGE_EVENTS, after, cursor } as const
  const answer = await call('sessions.events', input, signal)
  const next: PagePoint | null = answer.next === null ? null : { to: 'later', after, cursor: answer.next }
  return { events: answer.items as readonly unknown[] as readonly AnyEvent[], next }
}

async function earlier(
  sessionId: string,
  point: { before?: string | undefined; cursor?: string | undefined },
  limit: number,
  signal: AbortSignal,
) {
  const { before, cursor } = point
  const input = { session_id: sessionId, kinds: KINDS, order: 'newest', limit, before, cursor } as const
  const answer = await call('sessions.events', input, signal)
  const previous: PagePoint | null = answer.next === null ? null : { to: 'earlier', before, cursor: answer.next }
  return { events: inOrder(answer.items as readonly unknown[] as readonly AnyEvent[]), previous }
}

const AGENT_EVENTS = 1000

/** Loads the events of one agent, from its start to its end. */
export async function fetchAgentEvents(
  sessionId: string,
  agent: { readonly agent_id: string; readonly started_at: string | null; readonly ended_at: string | null },
  pages: number,
  signal: AbortSignal,
): Promise<readonly AnyEvent[]> {
  const { items } = await callPages(
    'sessions.events',
    {
      session_id: sessionId,
      kinds: KINDS,
      order: 'oldest',
      limit: AGENT_EVENTS,
      after: agent.started_at === null ? undefined : shifted(agent.started_at, -1),
      before: agent.ended_at === null ? undefined : shifted(agent.ended_at, 1),
    },
    { most: pages * AGENT_EVENTS, signal },
  )
  const events = items as readonly unknown[] as readonly AnyEvent[]
  return events.filter((event) => event.agent_id === agent.agent_id)
}

/** Sorts events by time and id and removes duplicates. */
export function inOrder(events: readonly AnyEvent[]): AnyEvent[] {
  const byId = new Map(events.map((event) => [event.id, event]))
  return [...byId.values()].sort((one, other) => one.ts_wall.localeCompare(other.ts_wall) || one.id - other.id)
}
