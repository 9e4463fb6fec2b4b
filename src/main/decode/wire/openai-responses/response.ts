import type { Json } from '../../../../shared/event.ts'
import { headerOf } from '../../headers.ts'
import { parseJson, wellFormed } from '../../json-access.ts'
import { isObject } from '../../../../shared/json-fields.ts'
import { uniqueId } from '../../unique-id.ts'
import { naturalKey, ownName, type AnyDraft } from '../../draft.ts'
import { cutOf, errorDrafts, limitDrafts, responseDraft, type Outcome, type ResponsePlace } from '../response-facts.ts'
import { HeldStream } from '../held-stream.ts'
import { IS_STREAM } from '../sse.ts'
import type { RequestExchange, ResponseContext, ResponseDecoder } from '../wire.ts'
import { limitsOfEvent, limitsOfHeaders } from './limits.ts'
import { responseLimitsKey } from './keys.ts'
import { ResponseAssembly, type AssembledResponse } from './response-assembly.ts'
import { answerDrafts } from './response-drafts.ts'
import { readResponsesUsage } from './usage.ts'

/** A body that is not a stream is kept up to this size to be parsed; past it, only its size is recorded. */
const MAX_JSON_BYTES = 48 * 1024 * 1024
/** A stream is decoded up to this size. */
const MAX_STREAM_BYTES = 48 * 1024 * 1024
/** Characters of a body that is neither a stream nor JSON that an error keeps. */
const MAX_OTHER_TEXT = 256 * 1024
const TOO_LONG = {
  type: 'broken',
  text: `a stream of more than ${MAX_STREAM_BYTES} bytes; its rest is not decoded`,
} as const
const UPGRADE_REQUIRED = 426

/** How a body ended: its text unless it was decoded while it arrived. */
interface Ended {
  readonly text: string
  readonly streamed: boolean
  readonly outcome: Outcome
  readonly error: string | null
}

/** Decodes one response of the Responses API, from a stream, from JSON, or from the messages of a WebSocket. */
export function createResponseDecoder(exchange: RequestExchange, given: ResponseContext): ResponseDecoder {
  const context = { ...given, requestIdHeader: 'x-request-id' }
  const isDeclared = (headerOf(context.responseHeaders, 'content-type') ?? '').includes('text/event-stream')
  const stream = new HeldStream()
  const assembly = new ResponseAssembly()
  const pieces: Uint8Array[] = []
  let bodyBytes = 0
  let byMessages = false
  let answered: { readonly id: string; readonly output: readonly Json[] } | null = null

  /** Returns the facts of what has arrived. */
  function facts({ text, streamed, outcome, error }: Ended, at: number): AnyDraft[] {
    const json = streamed || bodyBytes > MAX_JSON_BYTES ? undefined : parseJson(text)
    if (isResponse(json)) assembly.takeWhole(json, at)
    const assembled = streamed || isResponse(json) ? wellFormed(assembly.result()) : null
    // A header names the model that served the request, if it differs from the requested one. On a WebSocket, headers
    // are those of the connection.
    const served = byMessages ? null : headerOf(context.responseHeaders, 'openai-model')
    const response = assembled && { ...assembled, model: served ?? assembled.model }
    const id = response?.id ? uniqueId(response.id, context.sessionId) : null
    const named = id === null ? {} : { answer: { id, own: ownName.wire(exchange.exchange) } }
    const place: ResponsePlace = { exchange, context, at, ...named }
    const isModel = context.requestKind !== 'infrastructure'
    const cutBy = isModel && response?.whole ? null : cutOf(outcome, isModel && streamed, context.status)
    const isMissing = isModel && response === null && outcome === 'complete'
    const body = json ?? (streamed || text === '' ? undefined : text.slice(0, MAX_OTHER_TEXT))
    const answer = response === null ? null : answerOf(response)
    if (response?.completed && id !== null) answered = { id, output: response.items.map(({ item }) => item) }
    // An upstream without WebSockets: the client sends plain requests instead.
    const isRefusedUpgrade = context.status === UPGRADE_REQUIRED && !isModel
    const errors = isRefusedUpgrade ? [] : errorDrafts(place, answer, { outcome, error, cutBy, isMissing, body })
    return [
      ...(isModel && response ? answerDrafts(place, response, cutBy) : []),
      responseDraft(place, answer, {
        streamed,
        cutBy,
        bodyBytes,
        failed: errors.length > 0,
        ...(id === null ? {} : { key: naturalKey.response(id) }),
      }),
      ...limitDrafts(
        place,
        {
          ...limitsOfHeaders(context.responseHeaders),
          ...(response?.limits ? limitsOfEvent(response.limits) : {}),
        },
        {
          organizationHeader: 'openai-organization',
          key: response?.id ? responseLimitsKey(context.sessionId, response.id) : null,
        },
      ),
      ...errors,
    ]
  }

  return {
    batchId: null,
    get isOver() {
      return assembly.isOver
    },
    get answered() {
      return answered
    },
    take(event, at) {
      byMessages = true
      bodyBytes += event.type === 'broken' ? event.text.length : JSON.stringify(event.data).length
      return assembly.take(event, at)
    },
    push(bytes, at) {
      bodyBytes += bytes.length
      if (isDeclared) {
        const now = at ?? context.responseAt ?? exchange.at
        if (bodyBytes > MAX_STREAM_BYTES) {
          if (bodyBytes - bytes.length <= MAX_STREAM_BYTES) assembly.take(TOO_LONG, now)
          return []
        }
        return stream.push(bytes).flatMap((event) => assembly.take(event, now))
      }
      if (bodyBytes <= MAX_JSON_BYTES) pieces.push(bytes.slice())
      else pieces.length = 0
      return []
    },
    end(outcome, at, error) {
      const plain = new TextDecoder().decode(Buffer.concat(pieces.splice(0)))
      const isPlain = !isDeclared && !byMessages && !IS_STREAM.test(plain)
      if (!isPlain) for (const event of stream.push(Buffer.from(plain))) assembly.take(event, at)
      const rest = stream.end()
      for (const event of rest.events) assembly.take(event, at)
      const text = isPlain ? plain : rest.text
      return facts({ text, streamed: byMessages || (!isPlain && rest.streamed), outcome, error }, at)
    },
    soFar: (at) => facts({ text: '', streamed: isDeclared || byMessages, outcome: 'aspy_stopped', error: null }, at),
  }
}

const isResponse = (json: Json | undefined): json is { readonly [key: string]: Json } =>
  isObject(json) && Array.isArray(json['output'])

/** Returns the fields of a response that every API's answers have. */
function answerOf(response: AssembledResponse) {
  const { usage, serviceTier } = response
  return {
    ...response,
    messageId: response.id,
    served:
      usage === null
        ? undefined
        : {
            speed: null,
            service_tier: readResponsesUsage(usage, { serviceTier }).service_tier,
            inference_geo: null,
            cache_ttl: null,
          },
  }
}
