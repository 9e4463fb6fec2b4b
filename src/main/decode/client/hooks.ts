import { decodeHook as decodeClaudeCodeHook } from './claude-code/hooks/decode-hook.ts'

/** Decodes a hook of any client. Only Claude Code has hooks with a session id. */
export const decodeHook = decodeClaudeCodeHook
