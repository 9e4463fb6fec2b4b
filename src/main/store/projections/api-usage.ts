import type { AspyEvent } from '../../../shared/event.ts'
import type { Sighting } from '../log/log.ts'
import { insertInto, replacing, type RowOf } from '../schema/define-table.ts'
import { SETTLED_USAGE } from '../schema/usage-tables.ts'
import { TABLES } from '../tables.ts'
import type { Projection } from './projection.ts'

/** One row per response: its tokens and their cost at list price. */
export const apiUsage: Projection = {
  name: 'api_usage',
  open({ prepare, tables: t, usageFacts }) {
    const upsert = prepare<[RowOf<typeof TABLES.api_usage>]>(
      `${insertInto(t.api_usage, TABLES.api_usage)} ON CONFLICT (id) DO UPDATE SET ${replacing(Object.keys(SETTLED_USAGE))}`,
    )
    const write = (event: AspyEvent<'api_usage'>, sightings: readonly Sighting[]) => {
      const facts = usageFacts(event, sightings)
      if (!facts) return
      const { usage } = facts
      upsert.run({
        id: event.id,
        event_uuid: event.uuid,
        session_id: event.session_id,
        turn_id: event.turn_id,
        agent_id: event.agent_id,
        timestamp: event.ts_wall,
        model: facts.model,
        input_tokens: usage.input_tokens,
        output_tokens: usage.output_tokens,
        thinking_tokens: usage.thinking_tokens,
        cache_read_tokens: usage.cache_read_input_tokens,
        cache_creation_tokens: usage.cache_creation_input_tokens,
        cache_creation_1h_tokens: usage.cache_creation_1h_input_tokens,
        web_search_requests: usage.web_search_requests,
        speed: usage.speed,
        inference_geo: usage.inference_geo,
        cost_usd: facts.cost_usd,
        basis: facts.basis,
        request_kind: facts.request_kind,
        ttft_ms: facts.ttft_ms,
        duration_ms: facts.duration_ms,
        context_tokens: facts.context_tokens,
        service_tier: usage.service_tier,
        price_basis: facts.price_basis,
      })
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
