import { AspyError } from '../../../shared/contract/errors.ts'
import type { OperationOutput } from '../../../shared/contract/index.ts'
import { restoreRequest } from '../../requests/restore-request.ts'
import type { EventRow } from '../../store/log/log.ts'
import type { Reader } from '../../store/read/reader.ts'
import { storedRequestOf } from '../../store/read/requests.ts'
import {
  isTypedPrompt,
  isWholeAnswer,
  resultOfCall,
  resultsBetween,
  saidBefore,
  type SaidText,
  wasCompacted,
} from '../../store/read/resume.ts'
import { lastResume, type Resume } from './last-resume.ts'

type Truth = NonNullable<OperationOutput<'sessions.resume'>['resumed']>

/** A prompt, an answer or a tool result that the resumed request lacks. */
export type LostText = Truth['lost'][number]

/** Messages lost by a resume, oldest first. */
export interface ResumeTruth {
  readonly resumed: Omit<Truth, 'lost'>
  readonly lost: readonly LostText[]
}

const TEXTS = 2000
/** Characters of a text that are searched for: the client may shorten the rest. */
const COMPARED = 400

/**
 * Compares the first request after the last resume with the session's content at that time: the texts and tool results
 * of the previous request, and later ones. Returns null if the session was not resumed, if a compaction explains the
 * difference, or if the request's body is not stored.
 */
export function resumeTruth(reader: Reader, sessionId: string): ResumeTruth | null {
  const resume = lastResume(reader, sessionId)
  if (resume === null) return null
  const { at, basis, from, request, before } = resume
  const since = before?.ts_wall ?? request.ts_wall
  if ([from, sessionId].some((session) => wasCompacted(reader, session, since, request.ts_wall))) return null
  const carried = contentOf(reader, request)
  if (carried === null) return null
  const known = before === null ? null : contentOf(reader, before)
  const had = hadBefore(reader, resume, known)
  const lostResults = resultsLost(reader, resume, known, carried)
  if (had.length === 0 && lostResults.length === 0) return null
  const lost = had.filter((text) => !holds(carried, text))
  const missing = lost.filter((text) =>
    text.role === 'user' ? isTypedPrompt(reader, text.uuid) : isWholeAnswer(reader, text.uuid),
  )
  return {
    resumed: {
      at,
      basis,
      from_session_id: from === sessionId ? null : from,
      request: request.uuid,
      had: had.length - (lost.length - missing.length),
      carried: had.length - lost.length,
      lost_count: missing.length,
      lost_results: lostResults.length,
    },
    lost: [...missing.map((text) => ({ ...text, tool_name: null })), ...lostResults].toSorted((a, b) =>
      a.timestamp < b.timestamp ? -1 : a.timestamp > b.timestamp ? 1 : 0,
    ),
  }
}

/** Returns the messages that still counted: a person may have gone back in the conversation before leaving it. */
function hadBefore(reader: Reader, { from, until, before }: Resume, known: Content | null): SaidText[] {
  const said = saidBefore(reader, from, until, TEXTS)
  if (before === null || known === null) return said
  return said.filter((text) => text.timestamp >= before.ts_wall || holds(known, text))
}

/** The client may shorten the end of a text. */
const holds = ({ text }: Content, { content }: SaidText): boolean =>
  text.includes(plainText(content).slice(0, COMPARED))

/** Returns earlier and later tool results whose text is missing from the resumed request. */
function resultsLost(reader: Reader, { from, until, before }: Resume, known: Content | null, carried: Content) {
  if (before === null || known === null) return []
  const lost: LostText[] = []
  const since = resultsBetween(reader, from, before.ts_wall, until, TEXTS)
  const calls = new Set([...known.results.keys(), ...since.map(({ call_id }) => call_id)])
  for (const call of calls) {
    const [earlier, now] = [known.results.get(call), carried.results.get(call)]
    if (now !== undefined && (earlier === undefined || !isCleared(earlier, now))) continue
    const row = since.find(({ call_id }) => call_id === call) ?? resultOfCall(reader, from, call)
    if (row === undefined) continue
    const content = earlier ?? textsIn(JSON.parse(row.output_json)).join('\n')
    const { uuid, turn_id, timestamp, tool_name } = row
    if (content.trim() !== '') lost.push({ uuid, role: 'tool', tool_name, turn_id, timestamp, content })
  }
  return lost
}

/** The client replaces the text of an old result by a short note. Its reminders at the end of a result come and go. */
function isCleared(earlier: string, now: string): boolean {
  const beginning = plainText(withoutReminders(earlier)).slice(0, COMPARED / 2)
  return !plainText(now).includes(beginning) && now.length < earlier.length / 2
}

const withoutReminders = (text: string): string =>
  text.replaceAll(/<system-reminder>[\s\S]*?(?:<\/system-reminder>|$)/g, '')

/** Content of a request. */
interface Content {
  /** All texts of its messages as one. */
  readonly text: string
  /** Texts of the tool results by the ID of their call. */
  readonly results: ReadonlyMap<string, string>
}

/** Returns the content of a request; null if its body is not stored. */
function contentOf(reader: Reader, row: EventRow): Content | null {
  try {
    const source = { storedRequest: (uuid: string) => storedRequestOf(reader, uuid), getContent: reader.content }
    const { messages } = restoreRequest(source, row.uuid)
    return { text: plainText(textsIn(messages).join('\n')), results: new Map(resultsIn(messages)) }
  } catch (error) {
    if (error instanceof AspyError && (error.code === 'gone' || error.code === 'not_found')) return null
    throw error
  }
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}

/** Returns the tool results of messages: the ID of the call, and the texts. */
function resultsIn(messages: unknown): (readonly [call: string, text: string])[] {
  if (!Array.isArray(messages)) return []
  return messages.flatMap(({ content }: { readonly content?: unknown }) =>
    (Array.isArray(content) ? content : []).flatMap((block: Partial<ResultBlock>) =>
      block.type === 'tool_result' && typeof block.tool_use_id === 'string'
        ? [[block.tool_use_id, textOfBlocks(block.content)] as const]
        : [],
    ),
  )
}

interface ResultBlock {
  readonly type: unknown
  readonly tool_use_id: unknown
  readonly content: unknown
}

/** Returns the texts of blocks, without images. */
function textOfBlocks(content: unknown): string {
  if (typeof content === 'string') return content
  return (Array.isArray(content) ? content : [])
    .flatMap(({ text }: { readonly text?: unknown }) => (typeof text === 'string' ? [text] : []))
    .join('\n')
}

const plainText = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()
