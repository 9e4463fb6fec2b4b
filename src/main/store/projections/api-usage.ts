import type { AspyEvent } from '../../../shared/event.ts'
import type { Sighting } from '../log/log.ts'
import type { Projection } from './projection.ts'

/** One row per response: its tokens and their cost at list price. */
export const apiUsage: Projection = {
  name: 'api_usage',
  define: (t, own) => [
    `CREATE TABLE ${t.api_usage} (
  id                       INTEGER PRIMARY KEY,
  event_uuid               TEXT    NOT NULL,
  session_id               TEXT    NOT NULL,
  turn_id                  INTEGER NOT NULL,
  agent_id                 TEXT,
  timestamp                TEXT    NOT NULL,
  model                    TEXT    NOT NULL,
  input_tokens             INTEGER NOT NULL,
  output_tokens            INTEGER NOT NULL,
  thinking_tokens          INTEGER,
  cache_read_tokens        INTEGER NOT NULL,
  cache_creation_tokens    INTEGER NOT NULL, -- all
  cache_creation_1h_tokens INTEGER NOT NULL, -- the part of it that is kept for an hour
  web_search_requests      INTEGER NOT NULL DEFAULT 0,
  speed                    TEXT,
  inference_geo            TEXT,
  cost_usd                 REAL,             -- null: unpriced
  basis                    TEXT    NOT NULL CHECK (basis IN ('measured', 'lower_bound')),
  request_kind             TEXT,
  ttft_ms                  REAL,
  duration_ms              REAL
, service_tier TEXT, price_basis TEXT) STRICT`,
    `CREATE INDEX ${own('api_usage_by_session')} ON ${t.api_usage} (session_id, turn_id, id)`,
  ],
  open({ prepare, tables: t, usageFacts }) {
    const upsert = prepare(
      `INSERT INTO ${t.api_usage} (id, event_uuid, session_id, turn_id, agent_id, timestamp, model, input_tokens, output_tokens,
         thinking_tokens, cache_read_tokens, cache_creation_tokens, cache_creation_1h_tokens, web_search_requests, speed,
         inference_geo, cost_usd, basis, request_kind, ttft_ms, duration_ms, service_tier, price_basis)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET model = excluded.model, input_tokens = excluded.input_tokens,
         output_tokens = excluded.output_tokens, thinking_tokens = excluded.thinking_tokens,
         cache_read_tokens = excluded.cache_read_tokens, cache_creation_tokens = excluded.cache_creation_tokens,
         cache_creation_1h_tokens = excluded.cache_creation_1h_tokens, web_search_requests = excluded.web_search_requests,
         speed = excluded.speed, inference_geo = excluded.inference_geo, cost_usd = excluded.cost_usd,
         basis = excluded.basis, request_kind = excluded.request_kind, ttft_ms = excluded.ttft_ms,
         duration_ms = excluded.duration_ms, service_tier = excluded.service_tier, price_basis = excluded.price_basis`,
    )
    const write = (event: AspyEvent<'api_usage'>, sightings: readonly Sighting[]) => {
      const facts = usageFacts(event, sightings)
      if (!facts) return
      const { usage } = facts
      upsert.run(
        event.id,
        event.uuid,
        event.session_id,
        event.turn_id,
        event.agent_id,
        event.ts_wall,
        facts.model,
        usage.input_tokens,
        usage.output_tokens,
        usage.thinking_tokens,
        usage.cache_read_input_tokens,
        usage.cache_creation_input_tokens,
        usage.cache_creation_1h_input_tokens,
        usage.web_search_requests,
        usage.speed,
        usage.inference_geo,
        facts.cost_usd,
        facts.basis,
        facts.request_kind,
        facts.ttft_ms,
        facts.duration_ms,
        usage.service_tier,
        facts.price_basis,
      )
    }
    return {
      apply(event) {
        if (event.kind === 'api_usage') write(event, [])
      },
      applySighting(event, sighting, before) {
        if (event.kind === 'api_usage' && sighting.payload !== null) write(event, [...before, sighting])
      },
      loseSightings(event, after) {
        if (event.kind === 'api_usage') write(event, after)
      },
    }
  },
}
