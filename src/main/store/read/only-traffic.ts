import { TRAFFIC_KINDS } from '../../../shared/turn-state.ts'

const list = TRAFFIC_KINDS.map((kind) => `'${kind}'`).join(', ')

/**
 * SQL that is true for a session, named `s`, of which only requests and their responses are known: a client's upkeep, such
 * as `HEAD /api/hello`. A request with a prompt brings its prompt along. Sums are compared first, so that only sessions
 * with nothing to show look into the log.
 */
export const ONLY_TRAFFIC = `(s.prompts = 0 AND s.total_tokens = 0 AND s.unpriced_calls = 0 AND s.tool_calls = 0
  AND s.thinking_blocks = 0 AND s.errors = 0
  AND NOT EXISTS (SELECT 1 FROM events e WHERE e.session_id = s.id AND e.kind NOT IN (${list})))`
