import { AspyError } from '../../../shared/contract/errors.ts'
import type { OperationOutput } from '../../../shared/contract/index.ts'
import { RECEIPT_CLASSES } from '../../../shared/contract/receipt.ts'
import type { RequestLine } from '../../../shared/contract/requests.ts'
import type { Payloads } from '../../../shared/event.ts'
import { naturalKey, ownName } from '../../decode/draft.ts'
import { restoreRequest } from '../../requests/restore-request.ts'
import type { EventRow } from '../../store/log/log.ts'
import { requireEventRow } from '../../store/read/events.ts'
import { usageKeys } from '../../store/read/exchange-cost.ts'
import type { Reader } from '../../store/read/reader.ts'
import { paidCallOf } from '../../store/read/receipt.ts'
import {
  requestRows,
  rowByKey,
  rowsByKeys,
  storedRequestOf,
  toolsSent,
  usagesByKeys,
} from '../../store/read/requests.ts'
import type { ReaderHandler } from '../../dispatch/handlers.ts'
import { costByClass, UNITS } from './receipt/classes.ts'

type Answer = OperationOutput<'requests.get'>

export const requestsList: ReaderHandler<'requests.list'> = (reader, input) =>
  requestRows(reader, input, (rows) => linesOf(reader, rows))

/** Returns the lines of a page. Responses and usage are read for all of them at once. */
function linesOf(reader: Reader, rows: readonly EventRow[]): (row: EventRow) => RequestLine {
  const requests = new Map(
    rows.map((row) => [row.id, reader.head(row.payload) as unknown as Payloads['model_request']]),
  )
  const keyOf = (request: Payloads['model_request']) => naturalKey.exchange(request.exchange_id, 'response')
  const found = rowsByKeys(reader, [...requests.values()].map(keyOf))
  const responses = new Map(
    [...found].map(([key, row]) => [
      key,
      { row, payload: reader.head(row.payload) as unknown as Payloads['model_response'] },
    ]),
  )
  const keys = [...responses.values()].flatMap(keysOf)
  const usages = usagesByKeys(reader, keys)
  const tools = toolsSent(reader, [...requests.keys()])
  return (row) => {
    const request = requests.get(row.id) ?? requestPayload(reader, row)
    const response = responses.get(keyOf(request)) ?? null
    const usage = keysOf(response).flatMap((key) => usages.get(key) ?? [])
    return lineOf(row, request, response, { usage: usage[0] ?? null, tools: tools.get(row.id) ?? [] })
  }
}

/** Returns what each of some requests cost; nothing for other events, and where it is not known. */
export function costsOf(reader: Reader, rows: readonly EventRow[]): (row: EventRow) => { readonly cost_usd?: number } {
  const line = linesOf(
    reader,
    rows.filter(({ kind }) => kind === 'model_request'),
  )
  return (row) => {
    const cost = row.kind === 'model_request' ? (line(row).usage?.cost_usd ?? null) : null
    return cost === null ? {} : { cost_usd: cost }
  }
}

const keysOf = (response: FoundResponse | null): readonly string[] =>
  response === null ? [] : usageKeys(response.row, response.payload)

export const requestGet: ReaderHandler<'requests.get'> = (reader, { uuid }) => {
  const row = requireRequest(reader, uuid)
  const request = requestPayload(reader, row)
  const response = responseOf(reader, row)
  const failure = rowByKey(reader, naturalKey.exchange(request.exchange_id, 'error'))
  const error = failure === undefined ? null : (failure.error_message ?? 'failed')
  const keys = keysOf(response)
  const usages = usagesByKeys(reader, keys)
  const key = keys.find((name) => usages.has(name))
  return {
    by_class: key === undefined ? [] : classesOf(reader, key),
    ...lineOf(row, request, response, {
      usage: key === undefined ? null : (usages.get(key) ?? null),
      tools: toolsSent(reader, [row.id]).get(row.id) ?? [],
    }),
    method: request.method,
    path: request.path,
    headers: headersOf(request.headers),
    ...bodyOf(reader, row.uuid, request),
    response:
      response === null
        ? null
        : {
            uuid: response.row.uuid,
            ts_wall: response.row.ts_wall,
            message_id: response.payload.message_id,
            streamed: response.payload.streamed,
            headers: headersOf(response.payload.headers),
            body_bytes: response.payload.body_bytes,
            error,
          },
    blocks: blocksOf(reader, request.exchange_id, response?.payload.message_id ?? null),
  }
}

/** Returns what a call cost in each class of tokens, by the key of its usage. */
function classesOf(reader: Reader, key: string): Answer['by_class'] {
  const call = paidCallOf(reader, key)
  if (call === undefined) return []
  const cost = costByClass(reader.pricing, call)
  return RECEIPT_CLASSES.map((name) => ({ class: name, units: UNITS[name](call), cost_usd: cost?.[name] ?? null }))
}

/** Returns a request by its own uuid or by that of its response. */
function requireRequest(reader: Reader, uuid: string): EventRow {
  const row = requireEventRow(reader, uuid)
  if (row.kind === 'model_request') return row
  if (row.kind === 'model_response') {
    const exchange = responsePayload(reader, row).exchange_id
    const request = exchange === null ? undefined : rowByKey(reader, naturalKey.exchange(exchange, 'request'))
    if (request !== undefined) return request
  }
  throw new AspyError('not_found', `${uuid} is not an API request`)
}

interface FoundResponse {
  readonly row: EventRow
  readonly payload: Payloads['model_response']
}

// Payloads in the log have the shape of their kind.
const requestPayload = (reader: Reader, row: EventRow) =>
  reader.payload(row.payload) as unknown as Payloads['model_request']
const responsePayload = (reader: Reader, row: EventRow) =>
  reader.payload(row.payload) as unknown as Payloads['model_response']

function responseOf(reader: Reader, request: EventRow): FoundResponse | null {
  const row = rowByKey(reader, naturalKey.exchange(requestPayload(reader, request).exchange_id, 'response'))
  return row === undefined ? null : { row, payload: responsePayload(reader, row) }
}

function lineOf(
  row: EventRow,
  request: Payloads['model_request'],
  response: FoundResponse | null,
  { usage, tools }: Pick<RequestLine, 'usage' | 'tools'>,
): RequestLine {
  const answer = response?.payload
  return {
    uuid: row.uuid,
    session_id: row.session_id,
    turn_id: row.turn_id,
    agent_id: row.agent_id,
    ts_wall: row.ts_wall,
    request_kind: request.request_kind,
    tools: request.request_kind === 'compaction' ? [] : tools,
    model: request.model,
    message_count: request.message_count,
    body_bytes: request.body_bytes,
    retry_of: request.retry_of ?? null,
    status: answer?.status ?? null,
    stop_reason: answer?.stop_reason ?? null,
    cut_by: answer?.cut_by ?? null,
    ttft_ms: answer?.ttft_ms ?? null,
    duration_ms: response?.row.duration_ms ?? null,
    usage,
  }
}

function bodyOf(reader: Reader, uuid: string, request: Payloads['model_request']) {
  if (request.request === null) return { body: null, body_missing: whyMissing(request) }
  try {
    const source = {
      storedRequest: (id: string) => (id === uuid ? request.request : storedRequestOf(reader, id)),
      getContent: reader.content,
    }
    return { body: { ...restoreRequest(source, uuid) }, body_missing: null }
  } catch (error) {
    if (error instanceof AspyError && error.code === 'gone') return { body: null, body_missing: error.message }
    throw error
  }
}

const whyMissing = (payload: object): string =>
  'archive_missing' in payload ? String(payload.archive_missing) : 'The request body was not stored.'

const MAX_BLOCKS = 200

/** Returns the blocks of an answer by their keys, up to the first missing one. */
function blocksOf(reader: Reader, exchangeId: string, messageId: string | null): Answer['blocks'] {
  const own = ownName.wire(exchangeId)
  const name = messageId === null || rowByKey(reader, naturalKey.response(own)) !== undefined ? own : messageId
  const blocks: Answer['blocks'] = []
  for (let index = 0; index < MAX_BLOCKS; index += 1) {
    const row = rowByKey(reader, naturalKey.block(name, index))
    if (row === undefined) break
    const payload = reader.payload(row.payload)
    const text = payload['text'] ?? payload['input'] ?? payload['summary'] ?? payload['output'] ?? ''
    const tool = payload['tool_name']
    blocks.push({
      uuid: row.uuid,
      kind: row.kind,
      text: typeof text === 'string' ? text : JSON.stringify(text, null, 2),
      tool_name: typeof tool === 'string' ? tool : null,
    })
  }
  return blocks
}

const headersOf = (headers: readonly (readonly [string, string])[] | undefined): [string, string][] =>
  (headers ?? []).map(([name, value]) => [name, value])
