import type { AnyEvent, AspyEvent, Json } from '../../../shared/event.ts'
import { listOf, objectOf, stringOf } from '../../../shared/json-fields.ts'
import type { CacheVerdict } from '../../../shared/request-shape.ts'
import { headerOf } from '../../decode/headers.ts'
import { RecentlyUsed } from '../../base/recently-used.ts'
import type { Sighting } from '../log/log.ts'
import type { ProjectionContext } from './projection.ts'
import type { UsageFacts } from './usage-facts.ts'

/** Answers whose usage is known and whose end is not yet recorded. */
const ANSWERS_KEPT = 500

/** The event of a request, without its payload. */
export type SentRequest = Pick<AspyEvent, 'id' | 'uuid' | 'ts_wall' | 'ts_monotonic' | 'session_id' | 'agent_id'>

/** An answer with the request that it belongs to, if that was captured. */
export interface AnsweredCall {
  readonly event: AspyEvent<'api_usage'>
  readonly facts: UsageFacts
  readonly unreported: boolean
  readonly request: SentRequest | null
  /** Milliseconds since 1970. */
  readonly begunAt: number
  /** The time before which a call that was not captured was not sent; null if that is not known. */
  readonly notSentBefore: number | null
  /** The upstream's clock at that time (`date`), in ms since 1970; null if it was not given. */
  readonly answeredAt: number | null
  readonly verdict: CacheVerdict | null
  /** What cleared a part of the context at the API, by name; null for nothing. */
  readonly edited: string | null
}

type Answer = Pick<AnsweredCall, 'event' | 'facts' | 'unreported'>

/**
 * Joins the usage of an answer with its request. A call is complete when both the usage and the end of the answer are
 * recorded; for a message known from a transcript, with its usage. A transcript may be first, so a call may come twice.
 */
export class AnsweredCalls {
  readonly #context: ProjectionContext
  readonly #onCall: (call: AnsweredCall) => void
  readonly #answers = new RecentlyUsed<string, Answer>(ANSWERS_KEPT)
  readonly #request
  readonly #sentWith

  constructor(context: ProjectionContext, onCall: (call: AnsweredCall) => void) {
    this.#context = context
    this.#onCall = onCall
    // Reads only events recorded before the answer, as when following: a rebuild sees the whole log.
    this.#request = context.prepareLog<[string, number], SentRequest>(
      "SELECT id, uuid, ts_wall, ts_monotonic, session_id, agent_id FROM events WHERE uuid = ? AND kind = 'model_request' AND id < ?",
    )
    this.#sentWith = context
      .prepareLog<[string, string, number, string | null], string>(
        `SELECT ts_wall FROM events INDEXED BY events_by_session_time
         WHERE session_id = ? AND ts_wall <= ? AND id < ? AND agent_id IS ? AND kind IN ('user_prompt', 'tool_result')
         ORDER BY ts_wall DESC LIMIT 1`,
      )
      .pluck()
  }

  apply(event: AnyEvent): void {
    if (event.kind === 'model_request') this.#context.requestBlocks.note(event)
    else if (event.kind === 'api_usage') this.#takeUsage(event, [])
    else if (event.kind === 'model_response') this.#takeResponse(event)
  }

  applySighting(event: AnyEvent, sighting: Sighting, before: readonly Sighting[]): void {
    if (event.kind !== 'api_usage' || sighting.payload === null) return
    const seen = [...before, sighting]
    if (sighting.source === 'wire') this.#remember(event, seen)
    else if (before.every(({ source }) => source !== 'wire') && this.#isMore(event, before, seen))
      this.#takeUsage(event, seen)
  }

  /** True if an answer that no request is known of turned out larger, as when a transcript was read while it was written. */
  #isMore(event: AspyEvent<'api_usage'>, before: readonly Sighting[], seen: readonly Sighting[]): boolean {
    const tokens = (of: readonly Sighting[]) => this.#context.usageFacts(event, of)?.tokens
    return tokens(seen) !== tokens(before)
  }

  discard(): void {
    this.#answers.clear()
    this.#context.requestBlocks.clear()
  }

  #takeUsage(event: AspyEvent<'api_usage'>, sightings: readonly Sighting[]): void {
    const answer = this.#remember(event, sightings)
    // Usage from the wire is followed by the end of its answer, which names the request.
    if (answer === null || event.source === 'wire') return
    const verdict = event.payload.cache_verdict ?? null
    const { session_id: session, agent_id: agent, ts_wall: endedAt, id } = event
    const sentWith = this.#sentWith.get(session, endedAt, id, agent)
    const notSentBefore = sentWith === undefined ? null : Date.parse(sentWith)
    const own = { request: null, begunAt: Date.parse(endedAt), notSentBefore, answeredAt: null, verdict, edited: null }
    this.#onCall({ ...answer, ...own })
  }

  #remember(event: AspyEvent<'api_usage'>, sightings: readonly Sighting[]): Answer | null {
    const facts = this.#context.usageFacts(event, sightings)
    // A part of another answer has no request of its own.
    if (facts === null || event.payload.part !== undefined) return null
    const answer = { event, facts, unreported: event.payload.cache_unreported === true }
    // Without an id, they end at the same time.
    const ended = sightings.at(-1)?.seen_at ?? event.ts_wall
    this.#answers.set(event.payload.message_id ?? ended, answer)
    return answer
  }

  #takeResponse(event: AspyEvent<'model_response'>): void {
    const { exchange_id: exchange, message_id: message, ttft_ms: ttft, headers } = event.payload
    if (exchange === null) return
    const answer = this.#answers.get(message ?? event.ts_wall)
    if (answer === undefined) return
    const request = this.#request.get(exchange, event.id) ?? null
    const ended = Date.parse(event.ts_wall)
    const begunAt = request === null || ttft === null ? ended : Date.parse(request.ts_wall) + Math.round(ttft)
    const servedAt = Date.parse(headerOf(headers, 'date') ?? '')
    const answeredAt = Number.isNaN(servedAt) ? null : servedAt
    this.#onCall({
      ...answer,
      request,
      begunAt,
      notSentBefore: null,
      answeredAt,
      verdict: event.payload.cache_verdict ?? null,
      edited: editsIn(event.payload.applied_edits),
    })
  }
}

/** Returns the types of edits that cleared anything, by `cleared_tool_uses` and the like; null if none did. */
function editsIn(edits: Json | undefined): string | null {
  const types = listOf(edits).flatMap((edit) => {
    const { type = null, ...counts } = objectOf(edit)
    const isCleared = Object.entries(counts).some(([name, count]) => name.startsWith('cleared_') && Number(count) > 0)
    return isCleared ? [stringOf(type) ?? 'unnamed'] : []
  })
  return types.length === 0 ? null : types.join(', ')
}
