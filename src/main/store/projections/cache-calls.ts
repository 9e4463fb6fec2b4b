import type { AnyEvent, AspyEvent, Json, JsonObject } from '../../../shared/event.ts'
import type { CacheVerdict } from '../../../shared/request-shape.ts'
import { RecentlyUsed } from '../../base/recently-used.ts'
import type { Sighting } from '../log/log.ts'
import { loggedCacheBlocks } from './cache-blocks.ts'
import { CACHE_CALL_COLUMNS, CacheLine, type CacheCall, type SentRequest } from './cache-line.ts'
import type { OpenProjection, Projection, ProjectionContext } from './projection.ts'
import type { UsageFacts } from './usage-facts.ts'

/** Answers whose usage is known and whose end is not yet recorded. */
const ANSWERS_KEPT = 500

/**
 * The cache ledger: one row per answer with usage, compared with the request before it in its line. The row is written when
 * both the usage and the end of the answer are recorded; for a message known from a transcript, with its usage.
 */
export const cacheCalls: Projection = {
  name: 'cache_calls',
  define: (t, own) => [
    `CREATE TABLE ${t.cache_calls} (
  id                INTEGER PRIMARY KEY, -- of the usage
  request_uuid      TEXT,                -- null: not captured
  session_id        TEXT    NOT NULL,
  turn_id           INTEGER NOT NULL,
  agent_id          TEXT,
  line              TEXT    NOT NULL,    -- conversation, or what a side call has in common with others
  timestamp         TEXT    NOT NULL,    -- when the request was sent
  sent_id           INTEGER,             -- the request's place in the log
  begun_at          INTEGER NOT NULL,    -- ms since 1970: the answer began
  model             TEXT    NOT NULL,
  speed             TEXT,
  message_id        TEXT,
  input_tokens      INTEGER NOT NULL,
  read_tokens       INTEGER NOT NULL,
  written_tokens    INTEGER NOT NULL,
  written_1h_tokens INTEGER NOT NULL,
  unreported        INTEGER NOT NULL,
  ttl_ms            INTEGER NOT NULL,    -- how long the API keeps what it cached last
  could_read        INTEGER NOT NULL,
  missed_tokens     INTEGER NOT NULL,
  waste_usd         REAL,                -- null: unpriced
  kind              TEXT,                -- the cause; null: it read what it could
  place             TEXT,
  detail            TEXT,
  vendor_type       TEXT,
  vendor_tokens     INTEGER
) STRICT`,
    `CREATE INDEX ${own('cache_calls_by_line')} ON ${t.cache_calls} (session_id, agent_id, line, id)`,
    `CREATE INDEX ${own('cache_calls_missed')} ON ${t.cache_calls} (timestamp, id) WHERE kind IS NOT NULL`,
    `CREATE INDEX ${own('cache_calls_by_time')} ON ${t.cache_calls} (timestamp, could_read, read_tokens, missed_tokens, waste_usd, kind)`,
    `CREATE INDEX ${own('cache_calls_by_request')} ON ${t.cache_calls} (request_uuid) WHERE request_uuid IS NOT NULL`,
  ],
  open: (context) => new CacheCalls(context),
}

interface Answer {
  readonly event: AspyEvent<'api_usage'>
  readonly facts: UsageFacts
  readonly unreported: boolean
}

class CacheCalls implements OpenProjection {
  readonly #context: ProjectionContext
  readonly #line: CacheLine
  readonly #blocks: ReturnType<typeof loggedCacheBlocks>
  readonly #answers = new RecentlyUsed<string, Answer>(ANSWERS_KEPT)
  readonly #request
  readonly #insert
  readonly #addVerdict

  constructor(context: ProjectionContext) {
    const { prepare, prepareLog, tables: t } = context
    this.#context = context
    this.#blocks = loggedCacheBlocks(prepareLog)
    this.#line = new CacheLine(context, this.#blocks)
    this.#request = prepareLog<[string], SentRequest>(
      "SELECT id, uuid, ts_wall, session_id, agent_id FROM events WHERE uuid = ? AND kind = 'model_request'",
    )
    this.#insert = prepare(
      `INSERT OR REPLACE INTO ${t.cache_calls} (${CACHE_CALL_COLUMNS.join(', ')})
       VALUES (${CACHE_CALL_COLUMNS.map((name) => `@${name}`).join(', ')})`,
    )
    this.#addVerdict = prepare<[string | null, number | null, number]>(
      `UPDATE ${t.cache_calls} SET vendor_type = ?, vendor_tokens = ? WHERE id = ? AND vendor_type IS NULL`,
    )
  }

  apply(event: AnyEvent): void {
    if (event.kind === 'model_request') this.#blocks.note(event)
    else if (event.kind === 'api_usage') this.#takeUsage(event, [])
    else if (event.kind === 'model_response') this.#takeResponse(event)
  }

  applySighting(event: AnyEvent, sighting: Sighting, before: readonly Sighting[]): void {
    if (event.kind !== 'api_usage' || sighting.payload === null) return
    if (sighting.source === 'wire') this.#remember(event, [...before, sighting])
    const verdict = verdictOf(sighting.payload['cache_verdict'])
    if (verdict) this.#addVerdict.run(verdict.type, verdict.tokens, event.id)
  }

  discard(): void {
    this.#answers.clear()
    this.#blocks.clear()
  }

  #takeUsage(event: AspyEvent<'api_usage'>, sightings: readonly Sighting[]): void {
    const answer = this.#remember(event, sightings)
    // Usage from the wire is followed by the end of its answer, which names the request.
    if (answer !== null && event.source !== 'wire') {
      this.#write(answer, null, Date.parse(event.ts_wall), event.payload.cache_verdict ?? null)
    }
  }

  #remember(event: AspyEvent<'api_usage'>, sightings: readonly Sighting[]): Answer | null {
    const facts = this.#context.usageFacts(event, sightings)
    if (facts === null) return null
    const answer = { event, facts, unreported: event.payload.cache_unreported === true }
    const { message_id: id } = event.payload
    if (id !== null) this.#answers.set(id, answer)
    return answer
  }

  #takeResponse(event: AspyEvent<'model_response'>): void {
    const { exchange_id: exchange, message_id: message, ttft_ms: ttft, cache_verdict: verdict } = event.payload
    if (exchange === null || message === null) return
    const answer = this.#answers.get(message)
    if (answer === undefined) return
    const request = this.#request.get(exchange) ?? null
    const ended = Date.parse(event.ts_wall)
    const begun = request === null || ttft === null ? ended : Date.parse(request.ts_wall) + Math.round(ttft)
    this.#write(answer, request, begun, verdict ?? null)
  }

  #write(answer: Answer, request: SentRequest | null, begunAt: number, verdict: CacheVerdict | null): void {
    const { event, facts, unreported } = answer
    const row: CacheCall = this.#line.compare({
      event,
      facts,
      unreported,
      request,
      begunAt,
      verdict,
    })
    this.#insert.run(row)
  }
}

function verdictOf(value: Json | undefined): CacheVerdict | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null
  const { type, tokens } = value as JsonObject
  return {
    type: typeof type === 'string' ? type : null,
    tokens: typeof tokens === 'number' ? tokens : null,
  }
}
