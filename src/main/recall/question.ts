import { fold } from '../base/words.ts'
import { isStopWord } from './stop-words.ts'

/** The kind of answer that a full-sentence question asks for. */
export interface Question {
  /** A time: a good answer names a time, or an age. */
  readonly asksWhen: boolean
  /** A number. */
  readonly asksHowMany: boolean
  /** "Who asked for …?" or "when did … ask?": prompts answer these. */
  readonly asksWhoAsked: boolean
}

const ASKS =
  /^\s*(?:(?:and|but|so|on|in|at|to|for|from|with|of|by)\s+)?(?:who|whom|whose|what|when|where|why|how|which|did|does|do|is|are|was|were|has|have|had|can|could|would|will|should)\b|[?？]\s*$/i
const ASKS_WHEN = /\bwhen\b|\bhow (?:long|recently)\b|\b(?:what|which) (?:date|year|month|week|day|time|season)\b/i
const ASKS_HOW_MANY = /\bhow (?:many|much|often|old)\b/i
const ASKS_WHO_ASKED =
  /\bwho (?:had |has |first )?(?:asked|wanted|requested|suggested|proposed|demanded|wished|reported|complained|mentioned|said|told)\b|\bdid (?:i|we|they|the user) (?:ask|want|request|suggest|propose|demand|wish|report|complain|mention|say|tell)\b/i
const HAS_MARK = /[?？](?:\s|$)/

/** Checks whether a text asks something. */
export const findsQuestion = (text: string): boolean => ASKS.test(text) || HAS_MARK.test(text)

/** Shorter queries are keywords, not questions. */
const MIN_WORDS = 3

/** Words of a description in a sentence (`content moves around on mobile`), at least one of them a stop word. */
const MIN_SENTENCE_WORDS = 5
/** A sentence has plain words, blanks and little punctuation; commands, code, paths and filters have other signs. */
const SENTENCE = /^[\p{L}\p{N}\s,.'’?-]+$/u
const SEPARATE_SIGN = /(?:^|\s)-|\w\.\w/

/**
 * Parses a query as a question; null if it is a list of keywords or code. A sentence searches for the thing that it
 * describes.
 */
export function questionIn(text: string): Question | null {
  const words = text.match(/[\p{L}\p{N}]+/gu) ?? []
  const asks = ASKS.test(text) && words.length >= MIN_WORDS
  if (!asks && !isSentence(text, words)) return null
  return {
    asksWhen: asks && ASKS_WHEN.test(text),
    asksHowMany: asks && ASKS_HOW_MANY.test(text),
    asksWhoAsked: asks && ASKS_WHO_ASKED.test(text),
  }
}

function isSentence(text: string, words: readonly string[]): boolean {
  if (words.length < MIN_SENTENCE_WORDS || !SENTENCE.test(text) || SEPARATE_SIGN.test(text)) return false
  return words.some((word) => isStopWord(word.toLowerCase()))
}

const MONTHS =
  'january|february|march|april|june|july|august|september|october|november|december|jan|feb|apr|aug|sept|oct|nov|dec'
const NAMES_TIME = new RegExp(
  String.raw`\b(?:yesterday|today|tonight|tomorrow|ago|last|next|recently|since|weekend|weeks?|months?|years?|days|` +
    String.raw`(?:mon|tues|wednes|thurs|fri|satur|sun)day|${MONTHS}|(?:19|20)\d\d|this (?:morning|spring|summer|fall|autumn|winter))\b`,
  'i',
)
const NAMES_NUMBER =
  /\b(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|hundred|once|twice|couple|several)\b/i

/** Checks whether a text names the time or the number that the question asks for. */
export const answersAs = ({ asksWhen, asksHowMany }: Question, text: string): { when: boolean; howMany: boolean } => ({
  when: asksWhen && NAMES_TIME.test(text),
  howMany: asksHowMany && NAMES_NUMBER.test(text),
})

/** A speaker's name before a text: `Ann: Good to see you`, `**Ann** (8 May): …`, `[Ann] …`. */
const SPOKEN =
  /^\W{0,3}(\p{Lu}[\p{L}\p{N}.'’_-]*(?: \p{Lu}[\p{L}\p{N}.'’_-]*){0,2})\W{0,3}(?:\([^)]{1,40}\)\W{0,3})?(?::|\])\s/u

/** Splits the speaker's names from the text; null if the text does not begin with a name. */
export function speakerOf(text: string): { readonly names: readonly string[]; readonly said: string } | null {
  const found = SPOKEN.exec(text.slice(0, 120))
  if (found === null) return null
  return { names: (found[1] ?? '').split(' '), said: text.slice(found[0].length) }
}

/** What a text says beside its speaker's name. */
export interface Speech {
  readonly said: string
  /** 1: the question names the speaker; -1: somebody else speaks; 0: no speaker is known. */
  readonly spoken: -1 | 0 | 1
}

/** Parts a text from its speaker's name. */
export function speechIn(text: string, isAsked: (name: string) => boolean): Speech {
  const speaker = speakerOf(text)
  if (speaker === null) return { said: text, spoken: 0 }
  return { said: speaker.said, spoken: speaker.names.some((name) => isAsked(fold(name))) ? 1 : -1 }
}

/** Checks whether a text ends in a question. */
export const isQuestion = (text: string): boolean => /[?？]\s*$/.test(text)
