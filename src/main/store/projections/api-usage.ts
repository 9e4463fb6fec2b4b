import type { AspyEvent } from '../../../shared/event.ts'
import type { Sighting } from '../log/log.ts'
import type { Projection } from './projection.ts'

/** One row a response: its tokens and what they cost at list price. */
export const apiUsage: Projection = {
  name: 'api_usage',
  tables: ['api_usage'],
  open({ prepare, usageFacts }) {
    const upsert = prepare(
      `INSERT INTO api_usage (id, event_uuid, session_id, turn_id, agent_id, timestamp, model, input_tokens, output_tokens,
         thinking_tokens, cache_read_tokens, cache_creation_tokens, cache_creation_1h_tokens, web_search_requests, speed,
         inference_geo, cost_usd, basis, request_kind, ttft_ms, duration_ms)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET model = excluded.model, input_tokens = excluded.input_tokens,
         output_tokens = excluded.output_tokens, thinking_tokens = excluded.thinking_tokens,
         cache_read_tokens = excluded.cache_read_tokens, cache_creation_tokens = excluded.cache_creation_tokens,
         cache_creation_1h_tokens = excluded.cache_creation_1h_tokens, web_search_requests = excluded.web_search_requests,
         speed = excluded.speed, inference_geo = excluded.inference_geo, cost_usd = excluded.cost_usd,
         basis = excluded.basis, request_kind = excluded.request_kind, ttft_ms = excluded.ttft_ms,
         duration_ms = excluded.duration_ms`,
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
      )
    }
    return {
      apply(event) {
        if (event.kind === 'api_usage') write(event, [])
      },
      applySighting(event, sighting, before) {
        if (event.kind === 'api_usage' && sighting.payload !== null) write(event, [...before, sighting])
      },
      loseSightings(event, _, after) {
        if (event.kind === 'api_usage') write(event, after)
      },
    }
  },
}
