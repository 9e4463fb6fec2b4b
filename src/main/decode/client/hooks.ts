import { decodeHook as decodeClaudeCodeHook } from './claude-code/hooks/decode-hook.ts'

/** Decodes a hook of any client. Only Claude Code has hooks that name their session. */
export const decodeHook = decodeClaudeCodeHook
