/** Stop reasons after which the client or the API continues the turn. */
const OPEN: ReadonlySet<string | null> = new Set([null, 'tool_use', 'pause_turn', 'compaction'])

/**
 * Stop reasons after which Claude Code either prompts the model again or shows an error and ends the turn (2.1.330).
 * For other callers, they end the turn.
 */
const CLIENT_GOES_ON: ReadonlySet<string | null> = new Set(['max_tokens', 'model_context_window_exceeded', 'refusal'])

/** True if an answer that stopped for this reason leaves its turn open. */
export function isOpenStop(reason: string | null, isClaudeCode: boolean): boolean {
  return OPEN.has(reason) || (isClaudeCode && CLIENT_GOES_ON.has(reason))
}
