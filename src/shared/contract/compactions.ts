import { z } from 'zod'
import { limit, sessionId, uuid } from './fields.ts'
import { operation } from './operation.ts'
import { textAnswer } from './recall.ts'

export const compactionDropped = operation({
  name: 'compactions.dropped',
  summary:
    'What was said before a compaction that its summary does not cover: texts by words missing from the summary. With a query those that hold all its words; on request as one fenced text.',
  input: z.object({
    /** The compaction; or a session, whose last one is meant. */
    uuid: uuid.optional(),
    session_id: sessionId.optional(),
    query: z.string().max(500).optional(),
    limit: limit(20, 200),
    /** Tokens: then the texts come as a pack, too, oldest first. */
    budget: z.coerce.number().int().min(100).max(100_000).optional(),
  }),
  output: z.object({
    items: z.array(
      z.object({
        uuid: z.string(),
        kind: z.enum(['user_prompt', 'assistant_text', 'thinking']),
        turn_id: z.number(),
        timestamp: z.string(),
        /** The first 600 characters. */
        content: z.string(),
        /** Distinct words, and how many of them the summary lacks. */
        words: z.number(),
        missing: z.number(),
        /** Some of the missing ones, in order of appearance. */
        missing_words: z.array(z.string()),
      }),
    ),
    /** Texts that were looked at. */
    texts: z.number(),
    /** Texts of which the summary has every word. */
    covered: z.number(),
    /** There are more texts: the newest were looked at. */
    partial: z.boolean(),
    pack: textAnswer.optional(),
  }),
})
