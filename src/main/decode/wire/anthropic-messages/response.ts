import { firstCharacters } from '../../../../shared/cut-text.ts'
import type { RequestExchange, ResponseContext, ResponseDecoder } from '../wire.ts'
import type { Json, JsonObject } from '../../../../shared/event.ts'
import { ownName, type AnyDraft } from '../../draft.ts'
import { parseJson, wellFormed } from '../../json-access.ts'
import { isObject } from '../../../../shared/json-fields.ts'
import { hasTooManyValues, MAX_JSON_VALUES } from '../../json-values.ts'
import { headerOf } from '../../headers.ts'
import { isChatCompletion } from './chat-completion.ts'
import { batchIdOf, batchOfResults } from './batches.ts'
import { batchDrafts } from './batch-drafts.ts'
import { MAX_PARTS, wholeMessage, type AssembledMessage } from './message-assembly.ts'
import { StreamedMessages } from './streamed-messages.ts'
import { cutOf, errorDrafts, limitDrafts, responseDraft, type Outcome, type ResponsePlace } from '../response-facts.ts'
import { servedAs } from './asked.ts'
import { limitsOf } from './limits.ts'
import { messageDrafts } from './response-drafts.ts'
import { createFrameDecoder, FRAMES_TYPE } from '../event-frames.ts'
import { createStreamDecoder, IS_STREAM, type StreamEvent } from '../sse.ts'

/** A body that is not a stream is kept up to this size to be parsed; past it, only its size is recorded. */
const MAX_JSON_BYTES = 48 * 1024 * 1024
/** A stream is decoded up to this size: 128,000 tokens with a delta each, of 125 bytes, are 16 MB. */
const MAX_STREAM_BYTES = 20 * 1024 * 1024
/** Characters of a body that is neither a stream nor JSON, such as a gateway's page, that are kept in an error. */
const MAX_OTHER_TEXT = 256 * 1024

/** How a body ended: its text unless it was decoded as a stream while it arrived. */
interface Ended {
  readonly text: string
  readonly streamed: boolean
  readonly outcome: Outcome
  readonly error: string | null
}

export function createResponseDecoder(exchange: RequestExchange, context: ResponseContext): ResponseDecoder {
  const contentType = headerOf(context.responseHeaders, 'content-type') ?? ''
  const isFramed = contentType.includes(FRAMES_TYPE)
  const declared = isFramed || contentType.includes('text/event-stream')
  const stream = isFramed ? createFrameDecoder() : createStreamDecoder()
  const messages = new StreamedMessages()
  const pieces: Uint8Array[] = []
  let bodyBytes = 0
  let hasEvents = false
  const held: StreamEvent[] = []
  let batchId: string | null = null
  let tooLarge: string | null = null

  function bodyText(): string {
    return new TextDecoder().decode(Buffer.concat(pieces.splice(0)))
  }

  /** Returns the facts of what has arrived. */
  function facts({ text, streamed, outcome, error }: Ended, at: number): AnyDraft[] {
    const json = streamed || bodyBytes > MAX_JSON_BYTES ? undefined : parseJson(text)
    if (
      json === undefined &&
      !streamed &&
      batchOfResults(exchange.path) === null &&
      hasTooManyValues(Buffer.from(text))
    )
      tooLarge ??= `a body of more than ${MAX_JSON_VALUES} values`
    batchId = batchIdOf(json)
    const message = wellFormed(streamed ? messages.result() : messageOf(json, at))
    const own = ownName.wire(exchange.exchange)
    const place: ResponsePlace = {
      exchange,
      context,
      at,
      ...(message === null ? {} : { answer: { id: message.messageId, own } }),
    }
    tooLarge ??= tooMuchOf(message, stream.tooLarge)
    const cutBy = hasEnded(message, outcome) ? null : cutOf(outcome, streamed, context.status)
    const isMessage = context.requestKind !== 'infrastructure'
    const body = json ?? (streamed || text === '' ? undefined : cutPage(text))
    // A captive portal's page, or an error sent with 200, is not an answer.
    const isReadable = isObject(json) && isWhole(json) && isContent(json['content'])
    const isMissing = isMessage && !isReadable && !streamed && outcome === 'complete'
    const answer = message?.usage ? { ...message, served: servedAs(message.usage) } : message
    const errors = errorDrafts(place, message, { outcome, error, cutBy, isMissing, body })
    return [
      ...(isMessage ? messages.before().flatMap((each, n) => earlierDrafts(place, wellFormed(each), n)) : []),
      ...(isMessage && message ? messageDrafts(place, message, { isEnd: cutBy === null && !isMissing }) : []),
      ...batchDrafts(place, text),
      responseDraft(place, answer, { streamed, cutBy, bodyBytes, failed: errors.length > 0 }),
      ...limitDrafts(place, limitsOf(context.responseHeaders), { organizationHeader: 'anthropic-organization-id' }),
      ...errors,
    ]
  }

  return {
    get batchId() {
      return batchId
    },
    get tooLarge() {
      return tooLarge
    },
    push(bytes, at) {
      bodyBytes += bytes.length
      if (declared) {
        const now = at ?? context.responseAt ?? exchange.at
        if (bodyBytes > MAX_STREAM_BYTES) {
          tooLarge ??= `a stream of more than ${MAX_STREAM_BYTES} bytes; its rest is not decoded`
          return []
        }
        const events = stream.push(bytes)
        hasEvents ||= events.some(({ type }) => type === 'event')
        // Until an event arrives, it may be a gateway's JSON or page under the content type of a stream.
        if (!hasEvents && bodyBytes <= MAX_OTHER_TEXT) {
          pieces.push(bytes.slice())
          held.push(...events)
          return []
        }
        pieces.length = 0
        return [...held.splice(0), ...events].flatMap((event) => messages.take(event, now))
      }
      if (bodyBytes <= MAX_JSON_BYTES) pieces.push(bytes.slice())
      else {
        tooLarge ??= `a body of more than ${MAX_JSON_BYTES} bytes`
        pieces.length = 0
      }
      return []
    },
    end(outcome, at, error) {
      const text = bodyText()
      const streamed = IS_STREAM.test(text) || (declared && text.trim() === '')
      if (!declared && streamed) held.push(...stream.push(Buffer.from(text)))
      const rest = [...held, ...stream.end()]
      if (streamed) for (const event of rest) messages.take(event, at)
      return facts({ text, streamed, outcome, error }, at)
    },
    soFar: (at) =>
      facts({ text: '', streamed: declared && held.length === 0, outcome: 'aspy_stopped', error: null }, at),
  }
}

/** Decodes a message behind which the stream goes on with another one. */
function earlierDrafts(place: ResponsePlace, message: AssembledMessage, n: number): readonly AnyDraft[] {
  const answer = { id: message.messageId, own: ownName.wire(`${place.exchange.exchange}.${n}`) }
  return messageDrafts({ ...place, answer }, message, { isEnd: false })
}

/** Returns the beginning of a page, with a note that names its length. */
function cutPage(text: string): string {
  if (text.length <= MAX_OTHER_TEXT) return text
  return `${firstCharacters(text, MAX_OTHER_TEXT)}... [truncated, ${text.length} characters total]`
}

function tooMuchOf(message: AssembledMessage | null, ofStream: string | null): string | null {
  if (ofStream !== null) return ofStream
  if (message === null || message.surplus === 0) return null
  const { blocks, errors, unknown } = MAX_PARTS
  return `a message of more than ${blocks} blocks, ${errors} errors or ${unknown} unknown events; ${message.surplus} were left out`
}

/** Returns the message of a body, also one that the client does not find: it was paid for. */
function messageOf(json: Json | undefined, at: number): AssembledMessage | null {
  const wrapped = Array.isArray(json) ? json : isObject(json) ? WRAPPERS.map((name) => json[name]) : []
  const found = [json, ...wrapped].filter(isObject).find((each) => isWhole(each) || isChatCompletion(each))
  return found === undefined ? null : wholeMessage(found, at)
}

/** Fields in which gateways wrap an answer. */
const WRAPPERS = ['data', 'result', 'response', 'body', 'message'] as const

const isContent = (content: Json | undefined): boolean => Array.isArray(content) || typeof content === 'string'

/** A relay may leave the type out, or write the content as one text, or none. */
function isWhole({ type, role, content, usage }: JsonObject): boolean {
  const isNamed = type === 'message' || (type === undefined && role === 'assistant')
  return isNamed && (isContent(content) || isObject(usage))
}

/**
 * True if an answer came to its end. Clients take a stream with a stop reason but without `message_stop` as whole:
 * gateways leave the last event out.
 */
const hasEnded = (message: AssembledMessage | null, outcome: Outcome): boolean =>
  message !== null && (message.whole || (outcome === 'complete' && message.stopReason !== null))
