import type { Json, JsonObject } from '../../../../shared/event.ts'
import { apiPathOf } from '../../../proxy/protocol/api-path.ts'
import { parseJson } from '../../json-access.ts'
import { filledString, isObject, listOf, objectOf, stringOf } from '../../../../shared/json-fields.ts'
import type { HashText } from '../../media.ts'
import { wholeMessage, type AssembledMessage } from './message-assembly.ts'

/** Message Batches API: `POST /v1/messages/batches`, and the results of a batch, one JSON object per line. */
const CREATION = /^batches$/i
const RESULTS = /^batches\/([^/]+)\/results$/i
/** The API's own limit of requests in a batch. */
const MAX_REQUESTS = 100_000

/** A request of a batch; `params` is the body of a Messages request. */
export interface BatchRequest {
  readonly customId: string
  readonly params: JsonObject
}

/** The outcome of one request of a batch: an answer, or why there is none. */
export interface BatchResult {
  readonly customId: string
  readonly message: AssembledMessage | null
  readonly failure: { readonly type: string; readonly message: string } | null
}

/** True if an exchange creates a batch. */
export const isBatchCreation = (method: string, path: string): boolean =>
  method === 'POST' && CREATION.test(apiPathOf(path)?.below ?? '')

/** The id of the batch whose results a path asks for; null for any other path. */
export const batchOfResults = (path: string): string | null => RESULTS.exec(apiPathOf(path)?.below ?? '')?.[1] ?? null

/** The id of the batch that an answer describes; null if it describes none. */
export const batchIdOf = (answer: Json | undefined): string | null =>
  isObject(answer) && answer['type'] === 'message_batch' ? filledString(answer['id']) : null

/** The requests of a batch. */
export function batchRequests(body: Json | null): readonly BatchRequest[] {
  return listOf(objectOf(body)['requests'])
    .slice(0, MAX_REQUESTS)
    .flatMap((request) => {
      const { custom_id: customId, params } = objectOf(request)
      return typeof customId === 'string' && isObject(params) ? [{ customId, params }] : []
    })
}

/** The outcomes of the requests. Usage counts at batch rates, even if a result does not name its tier. */
export function batchResults(text: string, at: number): readonly BatchResult[] {
  return text.split('\n').flatMap((line): readonly BatchResult[] => {
    const { custom_id: id, result } = objectOf(parseJson(line))
    const { type, message, error } = objectOf(result)
    const customId = stringOf(id) ?? ''
    if (type === 'succeeded' && isObject(message) && Array.isArray(message['content'])) {
      const priced = { ...message, usage: { ...objectOf(message['usage']), service_tier: 'batch' } }
      return [{ customId, message: wholeMessage(priced, at), failure: null }]
    }
    if (type !== 'errored' && type !== 'expired' && type !== 'canceled') return []
    // The error is wrapped as in an answer of the API.
    const cause = isObject(objectOf(error)['error']) ? objectOf(objectOf(error)['error']) : objectOf(error)
    const said = stringOf(cause['message']) ?? `the request was ${type}`
    return [{ customId, message: null, failure: { type: stringOf(cause['type']) ?? type, message: said } }]
  })
}

/** The session of a batch, the same for the creator and for readers of its results. */
export const batchSession = (batchId: string): string => `batch-${batchId}`

/** The exchange id of one request of a batch, in the form of a UUID; its result leads to the same id. */
export function batchExchange(batchId: string, customId: string, hash: HashText): string {
  const hex = hash(JSON.stringify([batchId, customId])).padEnd(32, '0')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-')
}
