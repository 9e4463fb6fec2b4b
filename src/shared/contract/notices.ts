import { z } from 'zod'
import { sessionId } from './fields.ts'
import { operation } from './operation.ts'

export const sessionKept = operation({
  name: 'sessions.kept',
  summary: 'How much of a session is kept word for word, whatever its client still has in its context.',
  input: z.object({ session_id: sessionId }),
  output: z.object({
    prompts: z.number(),
    answers: z.number(),
    thinking_blocks: z.number(),
    compactions: z.number(),
    /** When it began; null: nothing is known of it. */
    started_at: z.string().nullable(),
  }),
})

export const sessionStartNotice = operation({
  name: 'notices.session_start',
  summary: 'What the model of a session that goes on after a compaction should know of what was dropped.',
  place: 'main',
  input: z.object({
    session_id: sessionId,
    /** As the hook says it: startup, resume, clear, compact, fork. */
    start: z.string().max(50),
  }),
  output: z.object({
    /** At most 600 characters; null: there is nothing to say. */
    text: z.string().nullable(),
  }),
})
