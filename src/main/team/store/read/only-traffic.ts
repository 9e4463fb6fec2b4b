import { TRAFFIC_KINDS } from '../../../../shared/turn-state.ts'
import type { Sql } from '../connection.ts'

/**
 * SQL that is true for a session, named `s`, of which only requests and their responses are known: a client's upkeep. The
 * laptop does not list it either. Sums are compared first, so that only sessions with nothing to show look at events.
 */
export function onlyTraffic(sql: Sql) {
  return sql`(s.prompts = 0 AND s.total_tokens = 0 AND s.unpriced_calls = 0 AND s.tool_calls = 0 AND s.thinking_blocks = 0
    AND s.errors = 0 AND NOT EXISTS (SELECT FROM events e WHERE e.session_key = s.session_key AND e.member_id = s.member_id
      AND e.kind <> ALL (${[...TRAFFIC_KINDS]})))`
}
