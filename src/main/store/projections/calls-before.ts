import type { Signs } from '../../ledger/explain.ts'
import { isSameMessage } from '../../ledger/prefix.ts'
import { divergenceOf, type RequestBlocks } from '../../ledger/request-blocks.ts'
import type { AnsweredCall } from './answered-calls.ts'
import type { ProjectionContext } from './projection.ts'

/** The fields in a row of `cache_calls` for comparing other calls with it. */
export interface Before {
  readonly id: number
  readonly turn_id: number
  readonly request_uuid: string | null
  readonly timestamp: string
  readonly sent_id: number | null
  readonly begun_at: number
  readonly answered_at: number | null
  readonly monotonic: number | null
  readonly model: string
  readonly speed: string | null
  readonly message_id: string | null
  readonly input_tokens: number
  readonly read_tokens: number
  readonly written_tokens: number
  readonly written_1h_tokens: number
  readonly unreported: number
  readonly ttl_ms: number
}

const COLUMNS = `id, turn_id, request_uuid, timestamp, sent_id, begun_at, answered_at, monotonic, model, speed,
  message_id, input_tokens, read_tokens, written_tokens, written_1h_tokens, unreported, ttl_ms`
/** Requests that may run at the same time in one line. */
const LOOKED_AT = 20
/** If a call's request is not known, it continues the newest call. */
const WITHOUT_REQUEST = 1
/** Calls of turns that a rewind left behind. */
const LEFT_BEHIND = 5000

/** The place of a call among others. */
export interface LinePlace {
  readonly line: string
  readonly model: string
  /** Milliseconds since 1970. */
  readonly sentAt: number
}

/** Finds the calls that came before another in its line, and the events since then. */
export class CallsBefore {
  readonly #context: ProjectionContext
  readonly #ofModel
  readonly #ofAnyModel
  readonly #readMore
  readonly #between
  readonly #kept
  readonly #compacted
  readonly #started
  readonly #leftBehind
  readonly #accounts

  constructor(context: ProjectionContext) {
    this.#context = context
    const { prepare, prepareLog, tables: t } = context
    this.#ofModel = prepare<[string, string | null, string, number, string, number], Before>(
      `SELECT ${COLUMNS} FROM ${t.cache_calls}
     WHERE session_id = ? AND agent_id IS ? AND line = ? AND id < ? AND model = ? ORDER BY id DESC LIMIT ?`,
    )
    this.#ofAnyModel = prepare<[string, string | null, string, number, number], Before>(
      `SELECT ${COLUMNS} FROM ${t.cache_calls}
     WHERE session_id = ? AND agent_id IS ? AND line = ? AND id < ? ORDER BY id DESC LIMIT ?`,
    )
    this.#readMore = prepare<[string, number, number, string, number, number], Before>(
      `SELECT ${COLUMNS} FROM ${t.cache_calls}
     WHERE session_id = ? AND id > ? AND id < ? AND model = ? AND read_tokens >= ? ORDER BY id DESC LIMIT ?`,
    )
    this.#between = prepare<[string, string | null, string, number, number], number>(
      `SELECT count(*) FROM ${t.cache_calls}
     WHERE session_id = ? AND agent_id IS ? AND line = ? AND id > ? AND id < ?`,
    ).pluck()
    this.#kept = prepare<[string, string | null, string, number], Record<'elsewhere' | 'longer', number | null>>(
      `SELECT max(read_tokens + written_tokens) FILTER (WHERE written_1h_tokens > 0) AS longer,
       max(input_tokens + read_tokens + written_tokens)
         FILTER (WHERE kind IN ('first_request', 'tools_changed', 'system_changed')) AS elsewhere
     FROM ${t.cache_calls} WHERE session_id = ? AND agent_id IS ? AND line = ? AND id < ?`,
    )
    this.#compacted = prepareLog<[string, string, number, number, string | null], number>(
      `SELECT 1 FROM events INDEXED BY events_by_session_time
     WHERE session_id = ? AND ts_wall >= ? AND kind = 'compaction' AND id > ? AND id < ? AND agent_id IS ? LIMIT 1`,
    ).pluck()
    this.#started = prepareLog<[string, string, number, number], string>(
      `SELECT payload ->> 'start' FROM events INDEXED BY events_by_session_time
     WHERE session_id = ? AND ts_wall >= ? AND kind = 'session_started' AND id > ? AND id < ? ORDER BY id DESC LIMIT 1`,
    ).pluck()
    this.#leftBehind = prepareLog<[string, number], string>(
      `SELECT s.payload ->> 'left_behind' AS at FROM events p JOIN sighting_rows s ON s.event_id = p.id
     WHERE p.session_id = ? AND p.turn_id = ? AND p.kind = 'user_prompt' AND at IS NOT NULL LIMIT 1`,
    ).pluck()
    this.#accounts = prepareLog<[number, number], number>(
      'SELECT count(DISTINCT user_id) FROM events WHERE id IN (?, ?)',
    ).pluck()
  }

  /** Returns the first call that `of` returns. Nearly always, that is the newest of the line. */
  newest(call: AnsweredCall, place: LinePlace): Before | undefined {
    const { session_id: session, agent_id: agent, id } = call.event
    const newest = this.#ofModel.get(session, agent, place.line, id, place.model, 1)
    return newest !== undefined && hadBegun(newest, call, place) ? newest : this.of(call, place)[0]
  }

  /** Returns the newest calls of the line whose answer had begun, of the same model if there are any; the newest first. */
  of(
    call: AnsweredCall,
    place: LinePlace,
    most = call.request === null ? WITHOUT_REQUEST : LOOKED_AT,
  ): readonly Before[] {
    const { session_id: session, agent_id: agent, id } = call.event
    const { line, model } = place
    const begun = (before: Before) => hadBegun(before, call, place)
    const same = this.#ofModel.all(session, agent, line, id, model, most).filter(begun)
    return same.length > 0 ? same : this.#ofAnyModel.all(session, agent, line, id, most).filter(begun)
  }

  /**
   * Returns the call that a request continues. That is the newest call. If two conversations alternate in the line, or
   * answers overtook each other, it is the newest call whose messages the request repeats and the newest call does not,
   * or at least its last one.
   */
  continued(calls: readonly Before[], now: RequestBlocks | null): Before | undefined {
    const [newest, ...others] = calls
    const blocks = newest === undefined ? null : this.#blocksOf(newest)
    if (now === null || blocks === null) return newest
    const own = (has: typeof repeats) =>
      others.find((call) => {
        const earlier = this.#blocksOf(call)
        return earlier !== null && has(now, earlier) && !has(blocks, earlier)
      })
    return own(continues) ?? own(hasLast) ?? newest
  }

  /** True if a rewind left a call behind, by what a transcript shows, before another one that was not captured. */
  isLeftBehind({ event, request }: AnsweredCall, before: Before): boolean {
    if (request !== null) return false
    const at = this.#leftBehind.get(event.session_id, before.turn_id)
    return at !== undefined && at <= event.ts_wall && at !== this.#leftBehind.get(event.session_id, event.turn_id)
  }

  /** Returns the newest call before those that a rewind left behind, and the first of these, which used what it had left. */
  rewoundTo(call: AnsweredCall, place: LinePlace): readonly Before[] {
    const calls = this.of(call, place, LEFT_BEHIND).filter(({ timestamp }) => timestamp <= call.event.ts_wall)
    const at = calls.findIndex((before) => !this.isLeftBehind(call, before))
    return at < 0 ? [] : calls.slice(Math.max(0, at - 1), at + 1).toReversed()
  }

  /** Returns the newest call that a request repeats, and the one after it, which used what it had left. */
  returnedTo(calls: readonly Before[], now: RequestBlocks): readonly Before[] {
    const at = calls.findIndex((call) => {
      const earlier = this.#blocksOf(call)
      return earlier !== null && repeats(now, earlier)
    })
    return at < 1 ? [] : calls.slice(at - 1, at + 1).toReversed()
  }

  /** Returns the newest request of any line that repeated a call and read what it had left: a side call, or a replay. */
  usedBy({ event }: AnsweredCall, before: Before): Before | undefined {
    const blocks = this.#blocksOf(before)
    const left = before.read_tokens + before.written_tokens
    return this.#readMore.all(event.session_id, before.id, event.id, before.model, left, LOOKED_AT).find((other) => {
      const own = this.#blocksOf(other)
      return blocks !== null && own !== null && repeats(own, blocks)
    })
  }

  /** Counts the calls of a line between two. */
  between({ event }: AnsweredCall, line: string, before: Before): number {
    return this.#between.get(event.session_id, event.agent_id, line, before.id, event.id) ?? 0
  }

  /**
   * Returns how many tokens of a line may outlive it: in other conversations what it began with, or again after its tools
   * or system changed; and what was written for an hour.
   */
  kept({ event }: AnsweredCall, line: string): Signs['kept'] {
    const { elsewhere, longer } = this.#kept.get(event.session_id, event.agent_id, line, event.id) ?? {}
    return { elsewhere: elsewhere ?? Infinity, longer: longer ?? 0 }
  }

  /** True if the conversation was compacted since a call. A compaction is recorded with the answer that has its summary. */
  wasCompacted({ event, request }: AnsweredCall, before: Before): boolean {
    const since = before.sent_id ?? before.id
    const from = earlier(before.timestamp, request?.ts_wall ?? event.ts_wall)
    return this.#compacted.get(event.session_id, from, since, event.id, event.agent_id) === 1
  }

  /** True if two calls name different users or keys. */
  isOfAnother({ event }: AnsweredCall, before: Before): boolean {
    return this.#accounts.get(before.id, event.id) === 2
  }

  /** Returns the kind of restart of the session since a call. */
  resumed({ event, request }: AnsweredCall, before: Before): 'resume' | 'fork' | null {
    const from = earlier(before.timestamp, request?.ts_wall ?? event.ts_wall)
    const start = this.#started.get(event.session_id, from, before.id, request?.id ?? event.id)
    return start === 'resume' || start === 'fork' ? start : null
  }

  #blocksOf({ request_uuid: uuid }: Before): RequestBlocks | null {
    return uuid === null ? null : this.#context.requestBlocks.of(uuid)
  }
}

const repeats = (request: RequestBlocks, earlier: RequestBlocks): boolean =>
  request.messages.length >= earlier.messages.length && divergenceOf(earlier, request) === null

/** The same of what was said, whatever tools and instructions were before. */
const continues = (request: RequestBlocks, { messages, shape }: RequestBlocks): boolean =>
  repeats(request, { ...request, messages, shape })

const hasLast = ({ messages }: RequestBlocks, earlier: RequestBlocks): boolean => {
  const last = earlier.messages.at(-1)
  return last !== undefined && messages.some((message) => isSameMessage(message, last))
}

/** True if the answer of `before` had begun when a request was sent. */
const hadBegun = (before: Before, { request }: AnsweredCall, { sentAt }: LinePlace): boolean =>
  request === null || before.id < request.id || before.begun_at <= sentAt

/** The clock may have been set back in between. */
const earlier = (one: string, other: string): string => (one < other ? one : other)
