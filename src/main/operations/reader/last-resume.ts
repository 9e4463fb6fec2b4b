import type { OperationOutput } from '../../../shared/contract/index.ts'
import type { Payloads, RequestKind } from '../../../shared/event.ts'
import type { EventRow } from '../../store/log/log.ts'
import type { Reader } from '../../store/read/reader.ts'
import { firstRequests, mainRequests, newestOfKind } from '../../store/read/resume.ts'
import { linksOfSessions, repeatedUntil } from '../../store/read/session-links.ts'

/** The last time that a conversation was resumed. */
export interface Resume {
  readonly at: string
  readonly basis: NonNullable<OperationOutput<'sessions.resume'>['resumed']>['basis']
  /** The session that was resumed: another one if the client gave the conversation a new ID. */
  readonly from: string
  /** Its messages before this time belong to the conversation. ISO 8601. */
  readonly until: string
  /** The first request after it. */
  readonly request: EventRow
  /** The last request before it. */
  readonly before: EventRow | null
}

const CONVERSATION: ReadonlySet<string> = new Set<RequestKind>(['prompt', 'loop'])
const REQUESTS = 300
const STARTS = 20

/** Finds the last resume of a session: its own, or that of the session that it continues under a new ID. */
export function lastResume(reader: Reader, sessionId: string): Resume | null {
  const own = ownResume(reader, sessionId)
  return own?.before == null ? (resumeUnderNewId(reader, sessionId) ?? own) : own
}

/** Without hooks, a request with fewer messages than the previous one counts as a resume. */
function ownResume(reader: Reader, sessionId: string): Resume | null {
  // Newest first; only requests of the conversation itself.
  const requests = conversationOf(reader, mainRequests(reader, sessionId, REQUESTS))
  const starts = newestOfKind(reader, { session_id: sessionId, kind: 'session_started', limit: STARTS })
  const start = starts.find((row) => reader.head(row.payload)['start'] === 'resume')
  const resumeAt = (at: string, basis: Resume['basis'], place: number): Resume | null => {
    const request = requests[place]
    if (request === undefined) return null
    return { at, basis, from: sessionId, until: at, request, before: requests[place + 1] ?? null }
  }
  if (start !== undefined) {
    const first = requests.findLastIndex((row) => row.ts_wall >= start.ts_wall)
    return resumeAt(start.ts_wall, 'hook', first)
  }
  // The client reports its starts, and none was a resume, so the person went back in the conversation.
  if (starts.length > 0) return null
  const shorter = requests.findIndex((row, at) => {
    const before = requests[at + 1]
    return before !== undefined && headOf(reader, row).message_count < headOf(reader, before).message_count
  })
  return resumeAt(requests[shorter]?.ts_wall ?? '', 'request', shorter)
}

/**
 * A client may give a resumed conversation a new ID, and a fork always has one. A fork contains only the messages up to
 * the fork point; later ones of the original are not missing.
 */
function resumeUnderNewId(reader: Reader, sessionId: string): Resume | null {
  const links = linksOfSessions(reader, [sessionId]).get(sessionId) ?? []
  const link = links.find(({ kind }) => kind === 'resumed_from') ?? links.find(({ kind }) => kind === 'forked_from')
  const request = conversationOf(reader, firstRequests(reader, sessionId, STARTS))[0]
  if (link === undefined || request === undefined) return null
  const until =
    link.kind === 'forked_from'
      ? justAfter(repeatedUntil(reader, sessionId, link.session_id) ?? link.at)
      : request.ts_wall
  const before = conversationOf(reader, mainRequests(reader, link.session_id, REQUESTS)).find(
    ({ ts_wall }) => ts_wall < until,
  )
  return { at: request.ts_wall, basis: 'link', from: link.session_id, until, request, before: before ?? null }
}

const justAfter = (time: string): string => new Date(Date.parse(time) + 1).toISOString()

const headOf = (reader: Reader, row: EventRow) => reader.head(row.payload) as unknown as Payloads['model_request']

const conversationOf = (reader: Reader, requests: readonly EventRow[]): EventRow[] =>
  requests.filter((row) => CONVERSATION.has(headOf(reader, row).request_kind))
