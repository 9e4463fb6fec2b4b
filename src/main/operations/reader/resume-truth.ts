import { AspyError } from '../../../shared/contract/errors.ts'
import type { OperationOutput } from '../../../shared/contract/index.ts'
import type { Payloads, RequestKind } from '../../../shared/event.ts'
import { restoreRequest } from '../../requests/restore-request.ts'
import type { EventRow } from '../../store/log/log.ts'
import type { Reader } from '../../store/read/reader.ts'
import { storedRequestOf } from '../../store/read/requests.ts'
import { isTypedPrompt, mainRequests, newestOfKind, saidBefore, type SaidText } from '../../store/read/resume.ts'

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
 * Compares the first request after the last resume with what the session had by then. Returns null if the session was not
 * resumed, or the request's body is not stored. Without hooks, a request with fewer messages than the one before is taken
 * for a resume, unless a compaction explains it.
 */
export function resumeTruth(reader: Reader, sessionId: string): ResumeTruth | null {
  const resume = lastResume(reader, sessionId)
  if (resume === null) return null
  const carried = textsOfRequest(reader, resume.request)
  if (carried === null) return null
  const had = saidBefore(reader, sessionId, resume.at, TEXTS)
  if (had.length === 0) return null
  const lost = had.filter(({ content }) => !carried.includes(plainText(content).slice(0, COMPARED)))
  const missing = lost.filter((text) => text.role === 'assistant' || isTypedPrompt(reader, text.uuid))
  return {
    resumed: {
      at: resume.at,
      request: resume.request.uuid,
      had: had.length - (lost.length - missing.length),
      carried: had.length - lost.length,
      lost_count: missing.length,
    },
    lost: missing,
  }
}

interface Resume {
  readonly at: string
  readonly request: EventRow
}

function lastResume(reader: Reader, sessionId: string): Resume | null {
  // Newest first; only requests of the conversation itself.
  const requests = mainRequests(reader, sessionId, REQUESTS).filter((row) =>
    CONVERSATION.has(headOf(reader, row).request_kind),
  )
  const start = newestOfKind(reader, { session_id: sessionId, kind: 'session_started', limit: STARTS }).find(
    (row) => reader.head(row.payload)['start'] === 'resume',
  )
  if (start !== undefined) {
    const first = requests.findLast((row) => row.ts_wall >= start.ts_wall)
    return first === undefined ? null : { at: start.ts_wall, request: first }
  }
  const shorter = requests.find((row, at) => {
    const before = requests[at + 1]
    return before !== undefined && headOf(reader, row).message_count < headOf(reader, before).message_count
  })
  return shorter === undefined ? null : { at: shorter.ts_wall, request: shorter }
}

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
