import { z } from 'zod'

const missingValue = z.object({ name: z.string(), value: z.string(), exists: z.array(z.string()) })

/** Schema of `RecallNotes`. */
export const recallNotes = z.object({
  /** `name:value` searched as text, since nothing stored has this value; `exists`: some of the values that do exist. */
  as_text: z.array(missingValue),
  /** Arguments and exclusions that select nothing, and some of the values that exist. */
  unknown: z.array(missingValue).optional(),
  /** Words of the query that nothing recorded has, if it has other words and no other spelling is proposed. */
  unknown_words: z.array(z.string()).optional(),
  /** Words typed as `-word`, searched as text; `NOT word` excludes. */
  minus_words: z.array(z.string()),
  /** True if no text had the quotations and the other words, so that quotations only rank a text higher. */
  quotes: z.enum(['preferred']).optional(),
  /** The query in the spelling of stored words; `searched`: nothing matched as typed, so the hits are for it. */
  did_you_mean: z.object({ query: z.string(), searched: z.boolean() }).optional(),
  /** Emoji and other symbols of the query, which no index has. */
  symbols: z.array(z.string()).optional(),
  /** Set if the query has parentheses around several words beside OR: they do not group. */
  parentheses: z.enum(['ignored']).optional(),
  /** Set if the query is longer: only this many characters of it were searched. */
  searched_characters: z.number().optional(),
  /** More texts match than are ranked: only those since this moment were. */
  ranked_since: z.string().optional(),
  /** An import is under way: sessions that were last active before this moment cannot be found yet. */
  covers_since: z.string().optional(),
  /** The index is damaged, and Aspy rebuilds it while it runs: only the newest texts were read, and only those with all words found. */
  index: z.enum(['rebuilding']).optional(),
})
/** Differences between a search's interpretation and the likely intention. */
export type RecallNotes = z.infer<typeof recallNotes>
