import { AspyError } from '../../../shared/contract/errors.ts'
import type { OperationOutput } from '../../../shared/contract/index.ts'
import type { Payloads, RequestKind } from '../../../shared/event.ts'
import { restoreRequest } from '../../requests/restore-request.ts'
import type { EventRow } from '../../store/log/log.ts'
import type { Reader } from '../../store/read/reader.ts'
import { storedRequestOf } from '../../store/read/requests.ts'
import {
  isTypedPrompt,
  isWholeAnswer,
  mainRequests,
  newestOfKind,
  saidBefore,
  type SaidText,
  wasCompacted,
} from '../../store/read/resume.ts'

type Truth = NonNullable<OperationOutput<'sessions.resume'>['resumed']>

/** What a resume lost, oldest first. */
export interface ResumeTruth {
  readonly resumed: Omit<Truth, 'lost'>
  readonly lost: readonly SaidText[]
}

const CONVERSATION: ReadonlySet<string> = new Set<RequestKind>(['prompt', 'loop'])
const REQUESTS = 300
const STARTS = 20
const TEXTS = 2000
/** Characters of a text that are looked for: the client may shorten the rest. */
const COMPARED = 400

/**
 * Compares the first request after the last resume with what the session had by then: the texts of the request before it,
 * and what was said since. Returns null if the session was not resumed, if a compaction explains the difference, or if
 * the request's body is not stored. Without hooks, a request with fewer messages than the one before it counts as a resume.
 */
export function resumeTruth(reader: Reader, sessionId: string): ResumeTruth | null {
  const resume = lastResume(reader, sessionId)
  if (resume === null) return null
  const { at, basis, request, before } = resume
  if (before !== null && wasCompacted(reader, sessionId, before.ts_wall, request.ts_wall)) return null
  const carried = textsOfRequest(reader, request)
  if (carried === null) return null
  const had = hadBefore(reader, sessionId, resume)
  if (had.length === 0) return null
  const lost = had.filter((text) => !holds(carried, text))
  const missing = lost.filter((text) =>
    text.role === 'user' ? isTypedPrompt(reader, text.uuid) : isWholeAnswer(reader, text.uuid),
  )
  return {
    resumed: {
      at,
      basis,
      request: request.uuid,
      had: had.length - (lost.length - missing.length),
      carried: had.length - lost.length,
      lost_count: missing.length,
    },
    lost: missing,
  }
}

interface Resume {
  readonly at: string
  readonly basis: Truth['basis']
  /** The first request after it. */
  readonly request: EventRow
  /** The last request before it. */
  readonly before: EventRow | null
}

function lastResume(reader: Reader, sessionId: string): Resume | null {
  // Newest first; only requests of the conversation itself.
  const requests = mainRequests(reader, sessionId, REQUESTS).filter((row) =>
    CONVERSATION.has(headOf(reader, row).request_kind),
  )
  const starts = newestOfKind(reader, { session_id: sessionId, kind: 'session_started', limit: STARTS })
  const start = starts.find((row) => reader.head(row.payload)['start'] === 'resume')
  if (start !== undefined) {
    const first = requests.findLastIndex((row) => row.ts_wall >= start.ts_wall)
    const request = requests[first]
    if (request === undefined) return null
    return { at: start.ts_wall, basis: 'hook', request, before: requests[first + 1] ?? null }
  }
  // The client reports its starts, and none was a resume: the person went back in the conversation.
  if (starts.length > 0) return null
  const shorter = requests.findIndex((row, at) => {
    const before = requests[at + 1]
    return before !== undefined && headOf(reader, row).message_count < headOf(reader, before).message_count
  })
  const request = requests[shorter]
  if (request === undefined) return null
  return { at: request.ts_wall, basis: 'request', request, before: requests[shorter + 1] ?? null }
}

/** Returns what was said and not taken back: a person may have gone back in the conversation before they left it. */
function hadBefore(reader: Reader, sessionId: string, { at, before }: Resume): SaidText[] {
  const said = saidBefore(reader, sessionId, at, TEXTS)
  const known = before === null ? null : textsOfRequest(reader, before)
  if (before === null || known === null) return said
  return said.filter((text) => text.timestamp >= before.ts_wall || holds(known, text))
}

/** The client may shorten the end of a text. */
const holds = (texts: string, { content }: SaidText): boolean => texts.includes(plainText(content).slice(0, COMPARED))

const headOf = (reader: Reader, row: EventRow) => reader.head(row.payload) as unknown as Payloads['model_request']

/** Returns all texts of a request's messages as one; null if its body is not stored. */
function textsOfRequest(reader: Reader, row: EventRow): string | null {
  try {
    const source = { storedRequest: (uuid: string) => storedRequestOf(reader, uuid), getContent: reader.content }
    const { messages } = restoreRequest(source, row.uuid)
    const texts: string[] = []
    collectTexts(messages, texts)
    return plainText(texts.join('\n'))
  } catch (error) {
    if (error instanceof AspyError && (error.code === 'gone' || error.code === 'not_found')) return null
    throw error
  }
}

function collectTexts(value: unknown, into: string[]): void {
  if (typeof value === 'string') into.push(value)
  else if (Array.isArray(value)) for (const each of value) collectTexts(each, into)
  else if (typeof value === 'object' && value !== null)
    for (const each of Object.values(value)) collectTexts(each, into)
}

const plainText = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()
