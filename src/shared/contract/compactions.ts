import { z } from 'zod'
import { limit, sessionId, uuid } from './fields.ts'
import { operation } from './operation.ts'
import { textAnswer } from './recall.ts'

/** Category of a dropped text. */
export const DROPPED_GROUPS = ['decision', 'prompt', 'answer', 'thought'] as const

export const compactionDropped = operation({
  name: 'compactions.dropped',
  summary:
    'Texts before a compaction that its summary does not cover, by words missing from the summary. With a query, those that have all its words; on request as one fenced text.',
  input: z.object({
    /** The compaction, or a session for its last compaction. */
    uuid: uuid.optional(),
    session_id: sessionId.optional(),
    query: z.string().max(500).optional(),
    limit: limit(20, 200),
    /** Tokens. If set, the texts are also returned as a pack, oldest first. */
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
        /** Distinct words, and how many of them are missing from the summary. */
        words: z.number(),
        missing: z.number(),
        /** Some of the missing words, in order of appearance. */
        missing_words: z.array(z.string()),
        /** Sentences that no sentence of the summary has, and those that it has in other words; 600 characters each. */
        lost: z.array(z.string()),
        reworded: z.array(z.string()),
        /** `decision`: an answer or a thought that settles something, by its wording. */
        group: z.enum(DROPPED_GROUPS),
        /** Number of texts with the same words; only the newest is listed. */
        times: z.number(),
      }),
    ),
    /** Files that were read or written before the compaction and that the summary does not name, newest first. */
    files: z.array(z.object({ path: z.string(), uuid: z.string(), edited: z.boolean(), timestamp: z.string() })),
    /**
     * Outputs of calls on no file whose first line the summary does not have, newest first: the tool, its command,
     * pattern or address, and that line.
     */
    outputs: z.array(
      z.object({
        uuid: z.string(),
        /** The event of the output, as a pack takes it. */
        result_uuid: z.string(),
        tool: z.string(),
        target: z.string(),
        first_line: z.string(),
        timestamp: z.string(),
      }),
    ),
    /** The summary, up to 20,000 characters; empty if the API encrypts it, so that omissions are not known. */
    summary: z.string(),
    /** Number of texts that were examined. */
    texts: z.number(),
    /** Number of texts whose every word is in the summary. */
    covered: z.number(),
    /** Number of texts with a lost sentence by group, of all that match the query. */
    lost: z.object({ decision: z.number(), prompt: z.number(), answer: z.number(), thought: z.number() }),
    /** True if there are more texts: only the newest were examined. */
    partial: z.boolean(),
    pack: textAnswer.optional(),
  }),
})
