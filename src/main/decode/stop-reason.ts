import type { Json } from '../../shared/event.ts'
import { objectOf } from '../../shared/json-fields.ts'

/** Stop reasons after which the client or the API continues the turn. */
const OPEN: ReadonlySet<string | null> = new Set([null, 'tool_use', 'pause_turn', 'compaction'])

/**
 * Stop reasons after which Claude Code either prompts the model again or shows an error and ends the turn (2.1.330).
 * For other callers, they end the turn.
 */
const CLIENT_GOES_ON: ReadonlySet<string | null> = new Set(['max_tokens', 'model_context_window_exceeded', 'refusal'])

/**
 * True if an answer that stopped for this reason leaves its turn open. Clients go by its calls: one leaves the turn open
 * though a relay says `end_turn` or `tool_calls`, and `tool_use` without any ends it. Null if its calls are not known.
 */
export function isOpenStop(reason: string | null, isClaudeCode: boolean, hasCall: boolean | null = null): boolean {
  if (hasCall === true) return true
  if (hasCall === false && reason === 'tool_use') return false
  return OPEN.has(reason) || (isClaudeCode && CLIENT_GOES_ON.has(reason))
}

/** True for a block that the client answers with a result. */
export const isClientCall = (block: Json): boolean => objectOf(block)['type'] === 'tool_use'
