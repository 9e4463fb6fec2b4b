import { z } from 'zod'
import { sessionId, uuid } from './fields.ts'
import { operation } from './operation.ts'

export const sessionKept = operation({
  name: 'sessions.kept',
  summary: 'How much of a session is recorded, whatever its client still has in its context.',
  input: z.object({ session_id: sessionId }),
  output: z.object({
    prompts: z.number(),
    answers: z.number(),
    thinking_blocks: z.number(),
    compactions: z.number(),
    /** Start of the session; null if it is unknown. */
    started_at: z.string().nullable(),
  }),
})

export const sessionStartNotice = operation({
  name: 'notices.session_start',
  summary: 'A notice for the model of a session that continues after a compaction: what to know, how to find the rest.',
  place: 'main',
  isForHooks: true,
  input: z.object({
    session_id: sessionId,
    /** As reported by the hook: startup, resume, clear, compact, fork. */
    start: z.string().max(50),
  }),
  output: z.object({
    /** What the user remembered of the session, then at most 600 characters; null if there is no notice. */
    text: z.string().nullable(),
  }),
})

export const noticeGive = operation({
  name: 'notices.give',
  summary: 'Remember texts, and hand them to the model of a session: with its next prompt and after each compaction.',
  place: 'main',
  writes: true,
  input: z.object({ session_id: sessionId, uuids: z.array(uuid).min(1).max(200) }),
  output: z.object({
    given: z.number(),
    /** False if no hooks of the session are known: its model gets the texts once it asks, such as to resume. */
    hooked: z.boolean(),
  }),
})
