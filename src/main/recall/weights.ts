import type { RecallDocRow } from '../store/read/recall-docs.ts'
import type { MatchedBy } from './rank.ts'

/** All weights of the ranking. docs/design/recall.md says which score adds to which, and what they were fitted on. */

/** Reciprocal rank fusion: a document scores weight / (RANK_OFFSET + rank) in each list. */
export const RANK_OFFSET = 10
/** The list with related words exists to find texts that the other lists miss. */
export const STAGE_WEIGHT: { readonly [By in MatchedBy]: number } = {
  phrase: 2,
  all: 1.2,
  any: 1,
  related: 0.5,
  raw: 1,
}

/** Share of a word's weight that another name of it, or a related word, has. */
export const SHARE = { synonym: 0.9, related: 0.55 } as const

/** Factors of the whole score. */
export const KIND_WEIGHT: { readonly [Type in RecallDocRow['match_type']]: number } = {
  user_prompt: 1.06,
  compaction: 1.02,
  assistant_response: 1.02,
  thinking: 1,
  tool: 0.85,
  episode: 1,
  memory: 1.1,
}
/** A small bonus, never a filter: the newer document wins a tie. */
export const RECENCY_WEIGHT = 0.03
export const RECENCY_HALF_LIFE_DAYS = 30
/** Boost for texts from the time that the query names ("in May", "last week"). */
export const NAMED_TIME_WEIGHT = 1.6
/**
 * Further hits from the same turn rank slightly lower, so that other turns show up. Only slightly: the answer is often next to
 * the words of the query.
 */
export const SAME_TURN_WEIGHT = 0.88
/** A text that contains no word of the query: only its neighbours do, or it has a related word. */
export const WITHOUT_A_WORD = 0.75
/** A prompt that only asks what the query asks. */
export const ECHO = 0.4
/** Added to the score of a text that contains the typed text verbatim: more than all other scores. */
export const PASTED = 3

/** Keywords, in a text that was read. */
export const CLOSENESS = {
  /** A word one or two texts away. Preceding texts count more, since answers follow questions. */
  neighbours: [0.4, 0.35],
  before: 1.2,
  /** Bonus for query words close to each other. */
  proximity: 0.1,
} as const

/**
 * A question, in a text that was read; fitted on half of the judged questions about coding sessions and the conversations
 * (docs/benchmarks.md). Shares of the question's words are from 0 to 1, weighted by the rarity of the words.
 */
export const ANSWER = {
  /** bm25 of the text itself: about 1 if a text of typical length has every word once. */
  words: 0.5,
  /** Share of words that only the preceding text, the following text or the turn's prompt adds. */
  before: 0.55,
  after: 0.18,
  prompt: 0.27,
  /** Share of words found anywhere in the turn and in the session. */
  turn: 0.16,
  session: 0.17,
  followsQuestion: 0.055,
  speaker: 0.25,
  namesTime: 0.2,
  namesNumber: 0.16,
  /** 1 if the question asks who asked for something, and this is a prompt. */
  asker: 0.39,
  /** A text this short rarely answers anything. */
  short: -0.63,
} as const

/** A question, where the best hits are a talk of people. Its sum counts with `whole` beside the places in the lists. */
export const TALK = {
  whole: 0.2,
  /** A word found one, two or three texts before or after the candidate. */
  before: [0.8, 0.45, 0.15],
  after: [0.45, 0.3, 0.15],
  /** Added to the weight of a word in the preceding text when that text is a question. */
  askedBefore: 0.2,
  followsQuestion: 0.15,
  isQuestion: -0.1,
  speaker: 0.3,
  namesTime: 0.3,
  namesNumber: 0.15,
  /** Question words found anywhere in the session, even if no single text has them all. */
  session: 0.4,
  /** Bonus for finding many of the words in one place. */
  coverage: 0.3,
  proximity: 0.1,
  short: -0.15,
} as const

/** The length at which `short` has fallen to a third. */
export const SHORT_CHARACTERS = 60
