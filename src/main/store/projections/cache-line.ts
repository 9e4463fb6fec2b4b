import type { CacheCause } from '../../../shared/cache-causes.ts'
import type { Call } from '../../ledger/call.ts'
import { explainMiss } from '../../ledger/explain.ts'
import { wholeSteps } from '../../ledger/explain-unmarked.ts'
import { minimumTokens } from '../../ledger/minimum.ts'
import { missedTokens, promptTokens, type InputTokens } from '../../ledger/missed.ts'
import { isBranch } from '../../ledger/prefix.ts'
import { marksOf, type RequestBlocks } from '../../ledger/request-blocks.ts'
import type { AnsweredCall } from './answered-calls.ts'
import { CallsBefore, type Before, type LinePlace } from './calls-before.ts'
import type { ProjectionContext } from './projection.ts'
import type { RowOf } from '../schema/define-table.ts'
import type { TABLES } from '../tables.ts'
import type { UsageFacts } from './usage-facts.ts'
import { HOUR_MS, MINUTE_MS } from '../../../shared/time-units.ts'

interface Judged {
  /** The call that it was compared with. */
  readonly before: Before | undefined
  readonly left: number
  readonly cause: CacheCause | null
}

/** A row of `cache_calls`. */
export type CacheCall = RowOf<typeof TABLES.cache_calls>

const CONVERSATION = 'conversation'
const CONVERSATIONS: ReadonlySet<string | null> = new Set([null, 'prompt', 'loop', 'subagent', 'compaction'])
/** A prompt that is shorter than this part of what was left is that of another conversation. */
const SHORTER = 0.8
const CLEARED = 'the prompt is much shorter than the one before, as after /clear: what it could have read is not known'
const WENT_BACK = 'it went back to an earlier point, which the API may not have kept'
const FIVE_MINUTES = 5 * MINUTE_MS
/** Compares an answer with the request before it in its line: the session's agent, and the model. */
export class CacheLine {
  readonly #context: ProjectionContext
  readonly #calls: CallsBefore

  constructor(context: ProjectionContext) {
    this.#context = context
    this.#calls = new CallsBefore(context)
  }

  compare(call: AnsweredCall): CacheCall {
    const { event, facts, request, verdict } = call
    const found = request === null ? null : this.#context.requestBlocks.of(request.uuid)
    const usage = tokensOf(facts)
    const line = lineOf(facts, found)
    const timestamp = request?.ts_wall ?? event.ts_wall
    const sentAt = Date.parse(timestamp)
    const place = { line, model: facts.model, sentAt }
    const newest = this.#calls.newest(call, place)
    const now: Call = {
      model: facts.model,
      sentAt,
      begunAt: call.begunAt,
      notSentBefore: call.notSentBefore,
      answeredAt: call.answeredAt,
      monotonic: request?.ts_monotonic ?? null,
      isCaptured: request !== null,
      usage,
      speed: found?.shape.speed ?? facts.usage.speed,
      ttlMs: ttlOf(usage, found, newest?.ttl_ms ?? FIVE_MINUTES),
      blocks: found,
      messageId: event.payload.message_id,
    }
    const judged = this.#judge(call, place, now, newest)
    const missed = missedTokens(judged.left, usage)
    return {
      id: event.id,
      request_uuid: request?.uuid ?? null,
      session_id: event.session_id,
      turn_id: event.turn_id,
      agent_id: event.agent_id,
      line,
      timestamp,
      sent_id: request?.id ?? null,
      begun_at: call.begunAt,
      answered_at: now.answeredAt,
      monotonic: now.monotonic,
      before_id: judged.before?.id ?? null,
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
      cost_usd: facts.cost_usd,
      kind: judged.cause?.kind ?? null,
      place: judged.cause?.where ?? null,
      detail: judged.cause?.detail ?? null,
      vendor_type: verdict?.type ?? null,
      vendor_tokens: verdict?.tokens ?? null,
    }
  }

  #judge(call: AnsweredCall, place: LinePlace, now: Call, newest: Before | undefined): Judged {
    const { read } = now.usage
    const isCertain = newest === undefined || isFilled(newest, now)
    const before = isCertain ? newest : this.#calls.continued(this.#calls.of(call, place), now.blocks)
    const found = (cause: CacheCause | null, left = read): Judged => ({ before, left, cause })
    const unknown = (detail: string) => found({ kind: 'unknown', where: null, detail })
    if (call.unreported) return unknown('the API did not report what it read from the cache')
    if (before === undefined) return found({ kind: 'first_request', where: null, detail: null })
    if (before.unreported === 1) return unknown('the API did not report what the request before left in the cache')
    const old = this.#callOf(before)
    const left = leftBy(before, now)
    const minimum = minimumTokens(now.model)
    if (left === 0 && minimum !== null && isBelow(old, now))
      return found({ kind: 'below_minimum', where: null, detail: belowMinimum(now.usage, minimum) })
    if (isFilled(before, now)) return found(null)
    if (this.#calls.isLeftBehind(call, before))
      return this.#judgeBranch(call, place, now, this.#calls.rewoundTo(call, place)) ?? found(null)
    const compacted = this.#calls.wasCompacted(call, before)
    if (!compacted && old.blocks !== null && now.blocks !== null && isBranch(old.blocks, now.blocks)) {
      const branch = this.#calls.returnedTo(this.#calls.of(call, place), now.blocks)
      return this.#judgeBranch(call, place, now, branch) ?? found(null)
    }
    const isUnseen = old.blocks === null || now.blocks === null
    // A new summary could not have been read, however late it was sent.
    if (isUnseen && compacted) return found({ kind: 'compaction', where: 'messages', detail: null })
    if (isUnseen && promptTokens(now.usage) < SHORTER * left) return unknown(CLEARED)
    const resumed = this.#calls.resumed(call, before)
    const between = this.#calls.between(call, place.line, before)
    const used = { ...old, ...usedAt(this.#calls.usedBy(call, before) ?? before) }
    const signs = { ...this.#signs(call, place, before), compacted, resumed, between }
    return found(explainMiss(used, now, signs), left)
  }

  /** Compares a request that goes back with the one that it repeats. Whether that was kept as long is not promised. */
  #judgeBranch(call: AnsweredCall, place: LinePlace, now: Call, [before, user]: readonly Before[]): Judged | null {
    if (before === undefined || before.unreported === 1 || isFilled(before, now)) return null
    const old = { ...this.#callOf(before), ...usedAt(user ?? before) }
    const signs = { ...this.#signs(call, place, before), compacted: false, resumed: null, between: 0 }
    const found = explainMiss(old, now, signs)
    const isUnproven = found.kind === 'provider' || (call.request === null && found.kind === 'unknown')
    const cause = isUnproven ? { ...found, kind: 'unknown' as const, detail: WENT_BACK } : found
    return { before, left: leftBy(before, now), cause }
  }

  #signs(call: AnsweredCall, { line }: LinePlace, before: Before) {
    const { verdict, edited } = call
    const isOtherAccount = this.#calls.isOfAnother(call, before)
    return { verdict, edited, isOtherAccount, kept: this.#calls.kept(call, line) }
  }

  #callOf(row: Before): Call {
    return {
      ...usedAt(row),
      model: row.model,
      notSentBefore: null,
      isCaptured: row.sent_id !== null,
      usage: usageOfRow(row),
      speed: row.speed,
      ttlMs: row.ttl_ms,
      blocks: row.request_uuid === null ? null : this.#context.requestBlocks.of(row.request_uuid),
      messageId: row.message_id,
    }
  }

  #waste({ model, last }: UsageFacts, at: string, { input, read, ...writes }: InputTokens) {
    const without = {
      ...last,
      input_tokens: input,
      cache_read_input_tokens: read,
      cache_creation_input_tokens: writes.written,
      cache_creation_1h_input_tokens: writes.written1h,
    }
    const { pricing } = this.#context
    const cost = pricing.price(model, last, at)
    const price = pricing.price(model, without, at)
    return cost === null || price === null ? null : cost - price
  }
}

/** Input tokens of an answer's last sampling by cache class: what it left in the cache. */
export function tokensOf({ last: usage }: UsageFacts): InputTokens {
  return {
    input: usage.input_tokens,
    read: usage.cache_read_input_tokens,
    written: usage.cache_creation_input_tokens,
    written1h: usage.cache_creation_1h_input_tokens,
  }
}

const usedAt = (row: Before) => ({
  sentAt: Date.parse(row.timestamp),
  begunAt: row.begun_at,
  answeredAt: row.answered_at,
  monotonic: row.monotonic,
})

const usageOfRow = (row: Before): InputTokens => ({
  input: row.input_tokens,
  read: row.read_tokens,
  written: row.written_tokens,
  written1h: row.written_1h_tokens,
})

/**
 * Names the line of a request. Side calls have their own prompts: only those with the same system prompt follow each
 * other.
 */
export function lineOf({ request_kind: kind }: UsageFacts, blocks: RequestBlocks | null): string {
  if (CONVERSATIONS.has(kind)) return CONVERSATION
  return `${kind ?? ''} ${blocks?.system.at(-1)?.hash ?? ''}`.trim()
}

/** The deepest entry was written last, and longer-lived entries must precede shorter-lived ones. */
function ttlOf({ written, written1h }: InputTokens, blocks: RequestBlocks | null, before: number): number {
  if (written > 0) return written1h < written ? FIVE_MINUTES : HOUR_MS
  const last = blocks === null ? undefined : marksOf(blocks).at(-1)
  if (last === undefined) return before
  return last.ttl === '1h' ? HOUR_MS : FIVE_MINUTES
}

/** Returns the tokens that a request left in the cache for another one. */
function leftBy({ read_tokens: read, written_tokens: written }: Before, { blocks }: Call): number {
  return blocks?.shape.unmarked === true ? wholeSteps(read + written) : read + written
}

/** True if a request read everything that the previous one had left in the cache. */
const isFilled = (before: Before, now: Call): boolean => missedTokens(leftBy(before, now), now.usage).tokens === 0

/** Nothing was cached although both requests asked for it: the marked parts were too short. */
function isBelow(before: Call, now: Call): boolean {
  const isMarked = (call: Call) => call.blocks !== null && marksOf(call.blocks).length > 0
  return isMarked(before) && isMarked(now) && now.usage.read + now.usage.written === 0
}

function belowMinimum(usage: InputTokens, minimum: number): string {
  const tokens = promptTokens(usage)
  return tokens < minimum
    ? `${tokens} of ${minimum} tokens`
    : `what precedes its last mark has fewer than ${minimum} tokens`
}
