import { failureOrigin } from '../../../shared/failures.ts'
import { firstCharacters } from '../../../shared/cut-text.ts'
import type { CutBy } from '../../../shared/cut-by.ts'
import type { Json, JsonObject } from '../../../shared/event.ts'
import type { CacheVerdict } from '../../../shared/request-shape.ts'
import type { ServedAs } from '../../../shared/service-terms.ts'
import { apiPathOf } from '../../proxy/protocol/api-path.ts'
import type { ExchangeOutcome } from '../../proxy/protocol/tap-protocol.ts'
import { accountIn } from '../../../shared/account.ts'
import { failureIdentity, isoTime, type DraftBase } from '../draft-base.ts'
import { naturalKey, type AnyDraft, type EventDraft } from '../draft.ts'
import { wordsOfError } from '../error-words.ts'
import { headerOf } from '../headers.ts'
import { numberOf } from '../../../shared/json-fields.ts'
import type { RequestExchange, ResponseContext } from './wire.ts'

/** A response, and when it ended (ms of this run). */
export interface ResponsePlace {
  readonly exchange: RequestExchange
  readonly context: ResponseContext
  readonly at: number
  /**
   * The answer in the response. Several exchanges may show the same answer of a batch, so it has no name of its own.
   */
  readonly answer?: EventDraft['answer']
}

/** Returns the name of an answer in keys. */
export const answerName = (place: ResponsePlace, messageId: string | null): string | null =>
  messageId ?? place.answer?.own ?? null

/** An answer, as far as it has arrived. */
export interface Answer {
  readonly messageId: string | null
  readonly model: string | null
  readonly stopReason: string | null
  readonly stopDetails?: Json | undefined
  /** Context that the API removed before answering. */
  readonly appliedEdits?: Json | undefined
  readonly cacheVerdict?: CacheVerdict | undefined
  readonly served?: ServedAs | undefined
  /** When its first block began, in ms of this run. */
  readonly firstBlockAt: number | null
  /** Data of `error` events. */
  readonly errors: readonly Json[]
}

/** Characters of a page that are searched for a message. */
const MAX_PAGE_CHARS = 20_000

/** Returns the fields shared by all drafts of a response, dated `at` (ms of this run). */
export function responseBase({ exchange, context, answer }: ResponsePlace, at: number): DraftBase {
  return {
    source: 'wire',
    session_id: context.sessionId,
    agent_id: context.agentId,
    ts_wall: isoTime(exchange.wall + (at - exchange.at)),
    ts_monotonic: at,
    account: context.account ?? null,
    project: context.project,
    request_id: headerOf(context.responseHeaders, context.requestIdHeader ?? 'request-id'),
    ...(answer === undefined ? {} : { answer }),
  }
}

/** Returns the draft of the response itself: status, stop reason, times, who cut it off. */
export function responseDraft(
  place: ResponsePlace,
  message: Answer | null,
  facts: {
    readonly streamed: boolean
    readonly cutBy: CutBy | null
    readonly bodyBytes: number
    /** True if it is also reported as an error. */
    readonly failed: boolean
    /** Key of the message, if its id alone does not identify it. */
    readonly key?: string
  },
): EventDraft<'model_response'> {
  const { exchange, context } = place
  const messageId = message?.messageId ?? null
  const name = message === null ? null : answerName(place, messageId)
  const status = context.status ?? 0
  const failed = status === 0 || status >= 400 || facts.cutBy !== null || facts.failed
  return {
    ...responseBase(place, place.at),
    kind: 'model_response',
    payload: {
      exchange_id: exchange.exchange,
      message_id: messageId,
      model: message?.model ?? context.model,
      status,
      stop_reason: message?.stopReason ?? null,
      ...(message?.stopDetails === undefined ? {} : { stop_details: message.stopDetails }),
      ...(message?.appliedEdits === undefined ? {} : { applied_edits: message.appliedEdits }),
      ...(message?.cacheVerdict === undefined ? {} : { cache_verdict: message.cacheVerdict }),
      ...(context.asked ? { asked: context.asked } : {}),
      ...(message?.served ? { served: message.served } : {}),
      streamed: facts.streamed,
      cut_by: facts.cutBy,
      ttft_ms: firstTokenMs(place, message),
      headers: context.responseHeaders,
      body_bytes: facts.bodyBytes,
    },
    duration_ms: place.at - exchange.at,
    success: !failed,
    keys: [
      naturalKey.exchange(exchange.exchange, 'response'),
      ...(name === null ? [] : [facts.key ?? naturalKey.response(name)]),
    ],
    parents: [naturalKey.exchange(exchange.exchange, 'request')],
  }
}

/**
 * Returns the draft of the account's limits; none if the response reports none. `key`: a further key besides the
 * exchange. `organizationHeader` names the organization whose limits they are.
 */
export function limitDrafts(
  place: ResponsePlace,
  limits: JsonObject,
  { organizationHeader, key = null }: { readonly organizationHeader: string; readonly key?: string | null },
): readonly AnyDraft[] {
  if (Object.keys(limits).length === 0) return []
  const { account = null, isKey, responseHeaders, hash } = place.context
  const organization = headerOf(responseHeaders, organizationHeader)
  const user = isKey === true ? null : account
  return [
    {
      ...responseBase(place, place.context.responseAt ?? place.at),
      kind: 'rate_limit',
      payload: {
        limits,
        ...(organization === null ? {} : { organization: accountIn({ user, organization }, hash) }),
      },
      keys: [naturalKey.exchange(place.exchange.exchange, 'limits'), ...(key === null ? [] : [key])],
      parents: [naturalKey.exchange(place.exchange.exchange, 'request')],
    },
  ]
}

/** How an answer ended. `aspy_stopped`: the app was killed before its end arrived. */
export type Outcome = ExchangeOutcome | 'aspy_stopped'

/**
 * Returns who ended a response that is not whole. A stream without its last event was cut off upstream, even if TCP
 * reports a clean end.
 */
export function cutOf(outcome: Outcome, streamed: boolean, status: number | null): CutBy | null {
  if (outcome === 'aspy_stopped') return 'aspy'
  if (outcome === 'client_aborted') return 'client'
  if (outcome === 'upstream_aborted' || outcome === 'upstream_unreachable') return 'upstream'
  return streamed && status !== null && status < 300 ? 'upstream' : null
}

interface Failure {
  readonly outcome: Outcome
  readonly error: string | null
  readonly cutBy: CutBy | null
  /** The request asked for a message, and none arrived. */
  readonly isMissing: boolean
  readonly body: Json | undefined
}

/**
 * A request of no API is the client's own upkeep, such as `HEAD /api/hello`: its failure is none of a session's, and its
 * response's status says what happened.
 */
const isUpkeep = ({ exchange, context }: ResponsePlace): boolean =>
  context.requestKind === 'infrastructure' && apiPathOf(exchange.path) === null

/** Returns what went wrong: an error answer, `error` events in mid-stream, a broken or refused connection. */
export function errorDrafts(place: ResponsePlace, message: Answer | null, failure: Failure): readonly AnyDraft[] {
  const { context } = place
  if (isUpkeep(place)) return []
  const found: AnyDraft[] = []
  const add = (payload: EventDraft<'error'>['payload']) => {
    const key = naturalKey.exchange(place.exchange.exchange, 'error')
    const base = responseBase(place, place.at)
    found.push({
      ...base,
      kind: 'error',
      payload,
      success: false,
      error_message: payload.message,
      ...(found.length === 0 ? failureIdentity(base.request_id, [key]) : { keys: [`${key}:${found.length}`] }),
      parents: [naturalKey.exchange(place.exchange.exchange, 'request')],
    })
  }
  for (const raw of message?.errors ?? []) {
    const { type, message: text } = wordsOfError(raw)
    add({ origin: 'stream', type, message: text ?? 'the stream said error', status: context.status, body: raw })
  }
  if (failure.outcome === 'upstream_unreachable') {
    add({ origin: 'connection', type: null, message: failure.error ?? 'no answer from upstream', status: null })
  } else if (context.status !== null && (context.status >= 400 || failure.isMissing) && found.length === 0) {
    add(errorAnswer(context.status, failure.body, retryAfter(place)))
  } else if (failure.cutBy === 'aspy') {
    add({ origin: 'capture', type: null, message: 'Interrupted: Aspy stopped', status: context.status })
  } else if (failure.cutBy === 'upstream' && found.length === 0) {
    const text = failure.error ?? 'the response ended before it was complete'
    add({ origin: 'connection', type: null, message: text, status: context.status })
  }
  return found
}

function errorAnswer(status: number, body: Json | undefined, retryAfterS: number | null) {
  const { type, message } = wordsOfError(body)
  const text = message ?? (typeof body === 'string' ? firstCharacters(wordsOf(body), 500) : '')
  return {
    origin: failureOrigin(text, 'upstream'),
    type,
    message: text || `upstream answered ${status}${status < 400 ? ' without a message' : ''}`,
    status,
    ...(body === undefined ? {} : { body }),
    retry_after_s: retryAfterS,
  }
}

/** Returns the text of a page without its tags. */
function wordsOf(body: string): string {
  if (!/^\s*</.test(body)) return body.trim()
  return body
    .slice(0, MAX_PAGE_CHARS)
    .replace(/<(script|style)\b[\s\S]*?(?:<\/\1>|$)/gi, ' ')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
}

/** Returns the seconds to wait, from `retry-after` (seconds or a date). */
function retryAfter({ context, exchange }: ResponsePlace): number | null {
  const header = headerOf(context.responseHeaders, 'retry-after')
  if (header === null) return null
  const seconds = numberOf(Number(header))
  if (seconds !== null) return seconds
  const date = Date.parse(header)
  return Number.isNaN(date) ? null : Math.max(0, Math.round((date - exchange.wall) / 1000))
}

/** Returns the time from the request's first byte to the first block; null if there was none. */
export function firstTokenMs(
  { exchange, context }: ResponsePlace,
  message: Pick<Answer, 'firstBlockAt'> | null,
): number | null {
  const first = message?.firstBlockAt ?? null
  if (first !== null) return first - exchange.at
  return context.responseAt === null || message === null ? null : context.responseAt - exchange.at
}
