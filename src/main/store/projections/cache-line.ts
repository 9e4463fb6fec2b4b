import type { AspyEvent } from '../../../shared/event.ts'
import type { CacheCause } from '../../../shared/cache-causes.ts'
import { explainMiss, type Call, type Signs } from '../../ledger/explain.ts'
import { minimumTokens } from '../../ledger/minimum.ts'
import { missedTokens, promptTokens, type InputTokens } from '../../ledger/missed.ts'
import { isBranch } from '../../ledger/prefix.ts'
import { marksOf, type RequestBlocks } from '../../ledger/request-blocks.ts'
import type { AnsweredCall } from './answered-calls.ts'
import type { ProjectionContext } from './projection.ts'
import type { UsageFacts } from './usage-facts.ts'

export const CACHE_CALL_COLUMNS = [
  'id',
  'request_uuid',
  'session_id',
  'turn_id',
  'agent_id',
  'line',
  'timestamp',
  'sent_id',
  'begun_at',
  'model',
  'speed',
  'message_id',
  'input_tokens',
  'read_tokens',
  'written_tokens',
  'written_1h_tokens',
  'unreported',
  'ttl_ms',
  'could_read',
  'missed_tokens',
  'waste_usd',
  'kind',
  'place',
  'detail',
  'vendor_type',
  'vendor_tokens',
] as const

/** A row of `cache_calls`. */
type CacheCall = Record<(typeof CACHE_CALL_COLUMNS)[number], string | number | null>

interface Before {
  readonly id: number
  readonly request_uuid: string | null
  readonly timestamp: string
  readonly sent_id: number | null
  readonly begun_at: number
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

const CONVERSATION = 'conversation'
const CONVERSATIONS: ReadonlySet<string | null> = new Set([null, 'prompt', 'loop', 'subagent', 'compaction'])
const FIVE_MINUTES = 5 * 60_000
const ONE_HOUR = 60 * 60_000
/** Requests that may run at the same time in one line. */
const LOOKED_AT = 20

/** Compares an answer with the request before it in its line: the session's agent, and the model. */
export class CacheLine {
  readonly #context: ProjectionContext
  readonly #ofModel
  readonly #ofAnyModel
  readonly #compacted
  readonly #started

  constructor(context: ProjectionContext) {
    this.#context = context
    const { prepare, prepareLog, tables: t } = context
    const columns = `id, request_uuid, timestamp, sent_id, begun_at, model, speed, message_id, input_tokens, read_tokens, written_tokens,
     written_1h_tokens, unreported, ttl_ms`
    this.#ofModel = prepare<[string, string | null, string, number, string], Before>(
      `SELECT ${columns} FROM ${t.cache_calls}
     WHERE session_id = ? AND agent_id IS ? AND line = ? AND id < ? AND model = ? ORDER BY id DESC LIMIT ${LOOKED_AT}`,
    )
    this.#ofAnyModel = prepare<[string, string | null, string, number], Before>(
      `SELECT ${columns} FROM ${t.cache_calls}
     WHERE session_id = ? AND agent_id IS ? AND line = ? AND id < ? ORDER BY id DESC LIMIT ${LOOKED_AT}`,
    )
    this.#compacted = prepareLog<[string, string, number, number, string | null], number>(
      `SELECT 1 FROM events INDEXED BY events_by_session_time
     WHERE session_id = ? AND ts_wall >= ? AND kind = 'compaction' AND id > ? AND id < ? AND agent_id IS ? LIMIT 1`,
    ).pluck()
    this.#started = prepareLog<[string, string, number, number], string>(
      `SELECT payload ->> 'start' FROM events INDEXED BY events_by_session_time
     WHERE session_id = ? AND ts_wall >= ? AND kind = 'session_started' AND id > ? AND id < ? ORDER BY id DESC LIMIT 1`,
    ).pluck()
  }

  compare(call: AnsweredCall): CacheCall {
    const { event, facts, request, verdict } = call
    const found = request === null ? null : this.#context.requestBlocks.of(request.uuid)
    const usage = tokensOf(facts)
    const line = lineOf(facts, found)
    const sentAt = request?.ts_wall ?? event.ts_wall
    const before = this.#beforeOf(call, line, Date.parse(sentAt))
    const now: Call = {
      model: facts.model,
      sentAt: Date.parse(sentAt),
      usage,
      speed: found?.shape.speed ?? facts.usage.speed,
      ttlMs: ttlOf(usage, found, before?.ttl_ms ?? FIVE_MINUTES),
      blocks: found,
      messageId: event.payload.message_id,
    }
    const judged = this.#judge(call, now, before)
    const missed = missedTokens(judged.left, usage)
    return {
      id: event.id,
      request_uuid: request?.uuid ?? null,
      session_id: event.session_id,
      turn_id: event.turn_id,
      agent_id: event.agent_id,
      line,
      timestamp: sentAt,
      sent_id: request?.id ?? null,
      begun_at: call.begunAt,
      model: facts.model,
      speed: now.speed,
      message_id: event.payload.message_id,
      input_tokens: usage.input,
      read_tokens: usage.read,
      written_tokens: usage.written,
      written_1h_tokens: usage.written1h,
      unreported: Number(call.unreported),
      ttl_ms: now.ttlMs,
      could_read: missed.couldRead,
      missed_tokens: missed.tokens,
      waste_usd: missed.tokens === 0 ? 0 : this.#waste(facts, event.ts_wall, missed.withoutMiss),
      kind: judged.cause?.kind ?? null,
      place: judged.cause?.where ?? null,
      detail: judged.cause?.detail ?? null,
      vendor_type: verdict?.type ?? null,
      vendor_tokens: verdict?.tokens ?? null,
    }
  }

  /** The newest request of the line whose answer had begun, of the same model if there is one. */
  #beforeOf({ event, request }: AnsweredCall, line: string, sentAt: number): Before | null {
    const hadBegun = ({ id, begun_at: begun }: Before) => request === null || id < request.id || begun <= sentAt
    const { session_id: session, agent_id: agent } = event
    return (
      this.#ofModel.all(session, agent, line, event.id, modelOf(event, this.#context)).find(hadBegun) ??
      this.#ofAnyModel.all(session, agent, line, event.id).find(hadBegun) ??
      null
    )
  }

  #judge(
    { event, unreported, request, verdict }: AnsweredCall,
    now: Call,
    before: Before | null,
  ): { readonly left: number; readonly cause: CacheCause | null } {
    const { read } = now.usage
    const unknown = (detail: string) => ({ left: read, cause: { kind: 'unknown' as const, where: null, detail } })
    if (unreported) return unknown('the API did not report what it read from the cache')
    if (before === null) return { left: read, cause: { kind: 'first_request', where: null, detail: null } }
    if (before.unreported === 1) return unknown('the API did not report what the request before left in the cache')
    const old: Call = {
      model: before.model,
      sentAt: Date.parse(before.timestamp),
      usage: usageOfRow(before),
      speed: before.speed,
      ttlMs: before.ttl_ms,
      blocks: before.request_uuid === null ? null : this.#context.requestBlocks.of(before.request_uuid),
      messageId: before.message_id,
    }
    const left = before.read_tokens + before.written_tokens
    const minimum = minimumTokens(now.model)
    if (left === 0 && minimum !== null && isBelow(old, now, minimum)) {
      const detail = `${promptTokens(now.usage)} of ${minimum} tokens`
      return { left: read, cause: { kind: 'below_minimum', where: null, detail } }
    }
    if (missedTokens(left, now.usage).tokens === 0) return { left: read, cause: null }
    // A compaction is recorded with the answer that has its summary.
    const since = before.sent_id ?? before.id
    const until = request?.id ?? event.id
    const wasCompacted = this.#compacted.get(event.session_id, before.timestamp, since, event.id, event.agent_id) === 1
    const start = this.#started.get(event.session_id, before.timestamp, before.id, until)
    const resumed: Signs['resumed'] = start === 'resume' || start === 'fork' ? start : null
    if (!wasCompacted && old.blocks !== null && now.blocks !== null && isBranch(old.blocks, now.blocks)) {
      return { left: read, cause: null }
    }
    const clockJumped = old.sentAt > now.sentAt
    const signs = { compacted: wasCompacted, resumed, verdict, clockJumped }
    return { left, cause: explainMiss(old, now, signs) }
  }

  #waste({ model, usage, cost_usd: cost }: UsageFacts, at: string, { input, read, ...writes }: InputTokens) {
    const without = {
      ...usage,
      input_tokens: input,
      cache_read_input_tokens: read,
      cache_creation_input_tokens: writes.written,
      cache_creation_1h_input_tokens: writes.written1h,
    }
    const price = this.#context.pricing.price(model, without, at)
    return cost === null || price === null ? null : cost - price
  }
}

const modelOf = (event: AspyEvent<'api_usage'>, { usageFacts }: ProjectionContext): string =>
  usageFacts(event, [])?.model ?? event.payload.model

/** Input tokens of an answer by cache class. */
export function tokensOf({ usage }: UsageFacts): InputTokens {
  return {
    input: usage.input_tokens,
    read: usage.cache_read_input_tokens,
    written: usage.cache_creation_input_tokens,
    written1h: usage.cache_creation_1h_input_tokens,
  }
}

const usageOfRow = (row: Before): InputTokens => ({
  input: row.input_tokens,
  read: row.read_tokens,
  written: row.written_tokens,
  written1h: row.written_1h_tokens,
})

/** Names the line of a request. Side calls have prompts of their own: only those with the same system prompt follow each other. */
export function lineOf({ request_kind: kind }: UsageFacts, blocks: RequestBlocks | null): string {
  if (CONVERSATIONS.has(kind)) return CONVERSATION
  return `${kind ?? ''} ${blocks?.system.at(-1)?.hash ?? ''}`.trim()
}

/** The deepest entry was written last, and what lasts longer must stand before what lasts shorter. */
function ttlOf({ written, written1h }: InputTokens, blocks: RequestBlocks | null, before: number): number {
  if (written > 0) return written1h < written ? FIVE_MINUTES : ONE_HOUR
  const last = blocks === null ? undefined : marksOf(blocks).at(-1)
  if (last === undefined) return before
  return last.ttl === '1h' ? ONE_HOUR : FIVE_MINUTES
}

/** Nothing was cached although the request before asked for it: it and this one were too short. */
function isBelow(before: Call, now: Call, minimum: number): boolean {
  const isMarked = now.blocks !== null && marksOf(now.blocks).length > 0
  return isMarked && promptTokens(before.usage) < minimum && now.usage.read + now.usage.written === 0
}
