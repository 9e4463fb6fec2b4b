import type { AnyEvent, Json, JsonObject } from '../../../shared/event.ts'
import type { CacheVerdict } from '../../../shared/request-shape.ts'
import type { Sighting } from '../log/log.ts'
import { AnsweredCalls } from './answered-calls.ts'
import { CACHE_CALL_COLUMNS, CacheLine } from './cache-line.ts'
import type { OpenProjection, Projection, ProjectionContext } from './projection.ts'

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
  answered_at       INTEGER,             -- the same by the upstream's clock
  monotonic         REAL,                -- ms since the run began: when the request was sent
  before_id         INTEGER,             -- the call that it was compared with
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
  cost_usd          REAL,                -- of the whole answer
  kind              TEXT,                -- the cause; null: it read what it could
  place             TEXT,
  detail            TEXT,
  vendor_type       TEXT,
  vendor_tokens     INTEGER
) STRICT`,
    `CREATE INDEX ${own('cache_calls_by_line')} ON ${t.cache_calls} (session_id, agent_id, line, id)`,
    `CREATE INDEX ${own('cache_calls_missed')} ON ${t.cache_calls} (timestamp, id) WHERE kind IS NOT NULL`,
    `CREATE INDEX ${own('cache_calls_by_time')} ON ${t.cache_calls} (timestamp, could_read, read_tokens, missed_tokens, waste_usd, cost_usd, kind)`,
    `CREATE INDEX ${own('cache_calls_by_request')} ON ${t.cache_calls} (request_uuid) WHERE request_uuid IS NOT NULL`,
  ],
  open: (context) => new CacheCalls(context),
}

class CacheCalls implements OpenProjection {
  readonly #calls: AnsweredCalls
  readonly #addVerdict

  constructor(context: ProjectionContext) {
    const { prepare, tables: t } = context
    const line = new CacheLine(context)
    const insert = prepare(
      `INSERT OR REPLACE INTO ${t.cache_calls} (${CACHE_CALL_COLUMNS.join(', ')})
       VALUES (${CACHE_CALL_COLUMNS.map(() => '?').join(', ')})`,
    )
    this.#calls = new AnsweredCalls(context, (call) => {
      const row = line.compare(call)
      insert.run(...CACHE_CALL_COLUMNS.map((name) => row[name]))
    })
    this.#addVerdict = prepare<[string | null, number | null, number]>(
      `UPDATE ${t.cache_calls} SET vendor_type = ?, vendor_tokens = ? WHERE id = ? AND vendor_type IS NULL`,
    )
  }

  apply(event: AnyEvent): void {
    this.#calls.apply(event)
  }

  applySighting(event: AnyEvent, sighting: Sighting, before: readonly Sighting[]): void {
    this.#calls.applySighting(event, sighting, before)
    if (event.kind !== 'api_usage' || sighting.payload === null) return
    const verdict = verdictOf(sighting.payload['cache_verdict'])
    if (verdict) this.#addVerdict.run(verdict.type, verdict.tokens, event.id)
  }

  discard(): void {
    this.#calls.discard()
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
