import type { Json, JsonObject } from '../../../shared/event.ts'
import { insertInto, type RowOf } from '../schema/define-table.ts'
import { TABLES } from '../tables.ts'
import type { Projection } from './projection.ts'

/** The account's limits over time, from the headers of each response (`anthropic-ratelimit-…`). */
export const rateLimits: Projection = {
  name: 'rate_limits',
  open({ prepare, tables: t }) {
    const insert = prepare<[RowOf<typeof TABLES.rate_limits>]>(insertInto(t.rate_limits, TABLES.rate_limits))
    return {
      apply(event) {
        if (event.kind !== 'rate_limit') return
        const { limits } = event.payload
        insert.run({
          id: event.id,
          event_uuid: event.uuid,
          session_id: event.session_id,
          timestamp: event.ts_wall,
          requests_limit: number(limits, 'requests-limit'),
          requests_remaining: number(limits, 'requests-remaining'),
          tokens_limit: number(limits, 'tokens-limit'),
          tokens_remaining: number(limits, 'tokens-remaining'),
          input_tokens_limit: number(limits, 'input-tokens-limit'),
          input_tokens_remaining: number(limits, 'input-tokens-remaining'),
          output_tokens_limit: number(limits, 'output-tokens-limit'),
          output_tokens_remaining: number(limits, 'output-tokens-remaining'),
          unified_status: text(limits['unified-status']),
          claim: text(limits['unified-representative-claim']),
          five_hour_used: number(limits, 'unified-5h-utilization'),
          five_hour_resets_at: moment(limits['unified-5h-reset']),
          seven_day_used: number(limits, 'unified-7d-utilization'),
          seven_day_resets_at: moment(limits['unified-7d-reset']),
        })
      },
    }
  },
}

const number = (limits: JsonObject, name: string): number | null => {
  const value = limits[name]
  return typeof value === 'number' ? value : null
}
const text = (value: Json | undefined): string | null => (typeof value === 'string' ? value : null)

/** Parses a header with seconds since 1970, or a date. */
function moment(value: Json | undefined): string | null {
  const time = typeof value === 'number' ? value * 1000 : typeof value === 'string' ? Date.parse(value) : Number.NaN
  return Math.abs(time) <= 8.64e15 ? new Date(time).toISOString() : null
}
