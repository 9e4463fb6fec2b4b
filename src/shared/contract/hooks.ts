import { z } from 'zod'
import { operation } from './operation.ts'

export const hookPost = operation({
  name: 'hooks.post',
  summary: 'Accepts any hook event of Claude Code and answers at once; with chosen texts, if some wait.',
  place: 'main',
  writes: true,
  isForHooks: true,
  rawBody: { maxBytes: 4 * 1024 * 1024, parsedBytes: 64 * 1024 },
  http: { method: 'POST', path: '/api/hooks' },
  input: z.looseObject({ session_id: z.string().min(1).max(200), hook_event_name: z.string().min(1).max(100) }),
  output: z.object({
    /** Texts that were chosen for the model of this session (`notices.give`), handed over with its next prompt. */
    hookSpecificOutput: z
      .object({ hookEventName: z.literal('UserPromptSubmit'), additionalContext: z.string() })
      .optional(),
  }),
})
