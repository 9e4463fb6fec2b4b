import { AspyError } from '../../../shared/contract/errors.ts'
import type { OperationOutput } from '../../../shared/contract/index.ts'
import type { Json, JsonObject, Payloads } from '../../../shared/event.ts'
import { naturalKey } from '../../decode/draft.ts'
import { filledString, listOf, objectOf, stringOf } from '../../../shared/json-fields.ts'
import { restoreRequest } from '../../requests/restore-request.ts'
import { requireEventRow } from '../../store/read/events.ts'
import type { Reader } from '../../store/read/reader.ts'
import { rowByKey, storedRequestOf } from '../../store/read/requests.ts'
import type { ReaderHandler } from '../../dispatch/handlers.ts'

/** Bounds the requests of a thread that are followed. Of a longer thread, only the newest part is returned. */
const MAX_REQUESTS = 1000
const MAX_BLOCKS = 200

type Thread = OperationOutput<'requests.thread'>

/** Follows `thread.previous_message_id` back to the start of the thread. */
export const requestThread: ReaderHandler<'requests.thread'> = (reader, { uuid }) => {
  if (requireEventRow(reader, uuid).kind !== 'model_request')
    throw new AspyError('not_found', `${uuid} is not an API request`)
  const parts: Thread['messages'][] = []
  const met = new Set<string>()
  let next: string | null = uuid
  let missing: string | null = null
  while (next !== null && missing === null) {
    if (met.has(next) || met.size >= MAX_REQUESTS) {
      missing = `the thread continues before request ${next}`
      break
    }
    met.add(next)
    const requestUuid: string = next
    const body = bodyOf(reader, requestUuid)
    if (body === null) {
      missing = `the body of request ${requestUuid} is not stored`
      break
    }
    parts.push(
      listOf(body['messages']).map((message) => ({
        request_uuid: requestUuid,
        role: stringOf(objectOf(message)['role']) ?? '',
        content: objectOf(message)['content'] ?? null,
      })),
    )
    const before = previousMessage(body)
    if (before === null) break
    const answered = requestOfMessage(reader, before)
    if (answered === null) {
      missing = `the message ${before} that it continues is not stored`
      break
    }
    parts.push([{ request_uuid: answered, role: 'assistant', content: answerOf(reader, before) }])
    next = answered
  }
  return { uuid, messages: parts.toReversed().flat(), complete: missing === null, missing }
}

/** Returns the message that a request continues from; null if the request carries its whole history. */
function previousMessage(body: JsonObject): string | null {
  const thread = objectOf(body['thread'])
  return thread['type'] === 'continue' ? filledString(thread['previous_message_id']) : null
}

function bodyOf(reader: Reader, uuid: string): JsonObject | null {
  if (storedRequestOf(reader, uuid) === null) return null
  try {
    return restoreRequest(
      { storedRequest: (id) => storedRequestOf(reader, id), getContent: (hash) => reader.content(hash) },
      uuid,
    )
  } catch (error) {
    if (error instanceof AspyError && error.code === 'gone') return null
    throw error
  }
}

/** Returns the request that a message answered. */
function requestOfMessage(reader: Reader, messageId: string): string | null {
  const response = rowByKey(reader, naturalKey.response(messageId))
  const exchange = response === undefined ? null : reader.payload(response.payload)['exchange_id']
  if (typeof exchange !== 'string') return null
  return rowByKey(reader, naturalKey.exchange(exchange, 'request'))?.uuid ?? null
}

/** Returns the recorded blocks of an answer as the next request would carry them. */
function answerOf(reader: Reader, messageId: string): Json {
  const blocks: Json[] = []
  for (let index = 0; index < MAX_BLOCKS; index += 1) {
    const row = rowByKey(reader, naturalKey.block(messageId, index))
    if (row === undefined) break
    const payload: unknown = reader.payload(row.payload)
    if (row.kind === 'assistant_text') blocks.push({ type: 'text', text: (payload as Payloads['assistant_text']).text })
    if (row.kind === 'thinking') blocks.push({ type: 'thinking', thinking: (payload as Payloads['thinking']).text })
    if (row.kind === 'tool_call') {
      const { call_id: id, tool_name: name, input } = payload as Payloads['tool_call']
      blocks.push({ type: 'tool_use', id, name, input })
    }
  }
  return blocks
}
