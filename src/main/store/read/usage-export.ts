import type { UsageRow } from '../../../shared/contract/store.ts'
import { fromCursor } from '../../listings/cursor.ts'
import { toPage } from './page.ts'
import type { Reader } from './reader.ts'

/** Returns tokens and cost of the answers of a session, in the order of its turns. */
export function usagePage(
  reader: Reader,
  { session_id, limit, cursor }: { session_id: string; limit: number; cursor?: string },
): { items: UsageRow[]; next: string | null } {
  const [turn, id] = cursor === undefined ? [-1, -1] : fromCursor(cursor, ['number', 'number'])
  const rows = reader.inTime<UsageRow & { readonly id: number }>(
    `SELECT u.id, u.event_uuid AS uuid, u.session_id, u.turn_id, u.agent_id, u.timestamp, u.model, u.request_kind,
       u.input_tokens, u.output_tokens, u.thinking_tokens, u.cache_read_tokens, u.cache_creation_tokens,
       u.cache_creation_1h_tokens, u.web_search_requests, u.cost_usd, u.price_basis, u.basis, u.service_tier, u.speed,
       u.inference_geo, u.ttft_ms, u.duration_ms
     FROM api_usage u WHERE u.session_id = ? AND u.id > 0 AND (u.turn_id, u.id) > (?, ?) ORDER BY u.turn_id, u.id LIMIT ?`,
    session_id,
    turn,
    id,
    limit + 1,
  )
  return toPage(
    rows,
    limit,
    (row) => [row.turn_id, row.id],
    (row) => {
      const { id: _, ...rest } = row
      return rest
    },
  )
}
