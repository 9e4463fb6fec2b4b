import { formsOf } from './forms.ts'
import { kindsOf } from './kinds-of.ts'
import { relatedTo } from './everyday.ts'
import { spellingsOf } from './spellings.ts'
import { stem } from './stem.ts'
import { isStopWord } from './stop-words.ts'
import { otherNamesOf, synonymsOf } from './vocabulary.ts'
import {
  compoundsOf,
  cjkRunsOf,
  fold,
  hasCjk,
  humpsOf,
  isCommit,
  joinedOf,
  pairsOf,
  withSigns,
  wordsOf,
} from '../base/words.ts'

/**
 * A word or compound of a query. Expressions are complete FTS5: every word is quoted, so none can be parsed as syntax.
 */
export interface Term {
  /** As typed. */
  readonly raw: string
  /** Matches the whole term, in any of its spellings. */
  readonly whole: string
  /** Match its parts, one expression each. */
  readonly pieces: readonly string[]
  /** Folded words, for highlighting. */
  readonly words: readonly string[]
  /** Inflected forms that count in full: `went` for `go`. */
  readonly forms: readonly string[]
  /** Technical synonyms. */
  readonly synonyms: readonly string[]
  /** Other names and everyday words with a similar meaning; some have several words. */
  readonly related: readonly string[]
  /** Its last word may go on: it is still being typed, or ends in `*`. */
  readonly begins: boolean
  /** Too common in questions to be worth searching for. */
  readonly isStopWord: boolean
  /** The terms that it joins with OR; [] for all others. */
  readonly either: readonly Term[]
  /** Set if it was quoted: `raw` has its words in the form that is meant. */
  readonly isQuoted?: true
}

/** Builds an FTS5 string. Words contain no quotes, so nothing needs escaping. */
export const quote = (words: readonly string[]): string => `"${words.map(withSigns).join(' ')}"`
const either = (expressions: readonly string[]): string =>
  expressions.length === 1 ? (expressions[0] ?? '') : `(${expressions.join(' OR ')})`

const NO_OTHERS = { forms: [], synonyms: [], related: [], begins: false, either: [] } as const

/** Splits a space-delimited item into terms; a CJK run is one term. `typing`: its last word is not complete. */
export function termsOf(text: string, typing: boolean): Term[] {
  const compounds = compoundsOf(text)
  return compounds.flatMap((compound, index) => {
    const prefix = typing && index === compounds.length - 1
    return hasCjk(compound) ? cjkTerms(compound, prefix) : [plainTerm(compound, prefix)]
  })
}

/** Leaves out parts of a compound that are too short to tell anything, if it has others: `py` in `sync.py`. */
export function tellingOf(parts: readonly string[]): readonly string[] {
  const telling = parts.filter((part) => part.length > 2 || hasCjk(part))
  return parts.length > 1 && telling.length > 0 ? telling : parts
}

/** A number that is also written with its thousands apart: `1299.50`. */
const DECIMAL = /^\d{4,15}\.\d+$/
/** A date, which a time may follow without a blank: `2026-03-04T10:00`. */
const DATE = /^\d{4}-\d\d-\d\d$/
/** A version, with or without its letter: `v24.1.0` is `24.1.0`. */
const VERSION = /^v?\d+\.\d/i
const otherStart = (word: string): string => (/^v/i.test(word) ? word.slice(1) : `v${word}`)

function plainTerm(compound: string, prefix: boolean): Term {
  const words = wordsOf(compound)
  const isOfCommit = isCommit(fold(compound))
  const humps = words.flatMap((word) => humpsOf(word))
  const joined = joinedOf(compound)
  const signed = /[+#]$/.test(compound) && words.length === 1 && joined !== null
  const star = prefix || isOfCommit ? ' *' : ''
  const ways = signed ? [quote([joined])] : [quote(words) + star]
  if (!signed && joined !== null) ways.push(quote([joined]) + star)
  // Of several words, the humps of one are not the whole.
  if (humps.length > 1 && words.length === 1) ways.push(quote(humps) + star)
  if (DECIMAL.test(compound)) ways.push(quote([...spellingsOf(words[0] ?? ''), ...words.slice(1)]))
  if (DATE.test(compound)) ways.push(`${quote([`${words.join(' ')}T`])} *`)
  if (VERSION.test(compound)) ways.push(quote([otherStart(words[0] ?? ''), ...words.slice(1)]) + star)
  if (prefix && words.length === 1) ways.push(...shorterStems(compound))
  const pieces = [...new Set([...(words.length > 1 ? words : []), ...humps].map(fold))].filter(
    (piece) => piece.length > 1,
  )
  const folded = words.map(fold)
  const alone = folded.length === 1 && !prefix && !signed ? (folded[0] ?? '') : ''
  const forms = [...formsOf(alone), ...spellingsOf(alone, compound), ...(signed || joined === null ? [] : [joined])]
  const synonyms = synonymsOf(alone)
  ways.push(...forms.filter((form) => form !== joined).map((form) => quote([form])))
  return {
    raw: compound,
    whole: either(ways),
    pieces: [...tellingOf(pieces).filter((piece) => !isStopWord(piece)), ...synonyms].map((piece) => quote([piece])),
    words: [...new Set([...folded, ...humps.filter((hump) => hump.length > 2 && !isStopWord(hump))])],
    forms,
    synonyms,
    related: [...new Set([...otherNamesOf(alone), ...relatedTo(alone), ...kindsOf(alone)])],
    begins: prefix,
    either: [],
    isStopWord: !signed && (folded.every(isStopWord) || isStopWord(folded.join(''))),
  }
}

/** Endings that a word may still get, whole and begun. */
const ENDINGS =
  's es d ed ied g ng ing n on ion tion ation e er r y ly ally t nt ment ent ant s ss ness ty ity l al ve ive e le ble able ible l ul ful d ed zed ized sed ised'.split(
    ' ',
  )

/** Returns stems in the index that are shorter than the text typed so far: `solar`, as `solariz` may become `solarized`. */
function shorterStems(word: string): string[] {
  const stems = ENDINGS.map((ending) => stem(fold(word) + ending))
  return [...new Set(stems)].filter((one) => one.length >= 4 && one.length < word.length).map((one) => quote([one]))
}

function cjkTerms(compound: string, typing: boolean): Term[] {
  const runs = cjkRunsOf(compound)
  const others = compoundsOf(compound.replaceAll(/./gu, (sign) => (hasCjk(sign) ? ' ' : sign)))
  return [
    ...others.map((word, at) => plainTerm(word, typing && at === others.length - 1 && compound.endsWith(word))),
    ...runs.map((run): Term => {
      const pairs = pairsOf(run).slice(0, -1)
      const single = pairs.length === 0
      return {
        raw: run,
        whole: single ? `${quote([run])} *` : quote(pairs),
        pieces: pairs.length > 1 ? pairs.map((pair) => quote([pair])) : [],
        words: single ? [run] : pairs,
        ...NO_OTHERS,
        isStopWord: false,
      }
    }),
  ]
}

/** Returns a term that matches a text word by word, in order; null if it has no words. */
export function quotedTerm(text: string): Term | null {
  const terms = termsOf(text, false)
  const words = wordsOf(text)
  if (terms.length === 0 || words.length === 0) return null
  // Only the column `parts` has the signs of some scripts, and not in the order of the text.
  const cjk = hasCjk(text) || withSigns(text) !== text
  return {
    raw: text,
    whole: cjk || terms.length === 1 ? terms.map((term) => term.whole).join(' AND ') : quote(words),
    pieces: [],
    words: cjk ? terms.flatMap((term) => term.words) : words.map(fold),
    ...NO_OTHERS,
    isStopWord: false,
  }
}

/** Returns the term of which one side is enough: `redis OR postgres`. */
export function joinedByOr(one: readonly Term[], other: readonly Term[]): Term {
  const terms = [...one, ...other]
  const all = <Item>(of: (term: Term) => readonly Item[]) => terms.flatMap(of)
  const side = (own: readonly Term[]) =>
    (own.length === 1 ? '' : '(') + own.map(({ whole }) => whole).join(' AND ') + (own.length === 1 ? '' : ')')
  return {
    raw: [one, other].map((own) => own.map(({ raw }) => raw).join(' ')).join(' OR '),
    whole: either([side(one), side(other)]),
    pieces: all(({ pieces }) => pieces),
    words: all(({ words }) => words),
    forms: all(({ forms }) => forms),
    synonyms: all(({ synonyms }) => synonyms),
    related: all(({ related }) => related),
    begins: false,
    isStopWord: terms.every(({ isStopWord: isCommon }) => isCommon),
    either: all((term) => eachOf([term])),
  }
}

/** Returns terms with those that OR joins one by one. */
export const eachOf = (terms: readonly Term[]): readonly Term[] =>
  terms.flatMap((term) => (term.either.length === 0 ? [term] : term.either))

/** Adds other names of words in a row (`time zone`: timezone, tz), also as one word, to the first of them. */
export function withNamesOfPairs(terms: readonly Term[]): readonly Term[] {
  return terms.map((term, at) => {
    const next = terms[at + 1]
    const [one, two] = [term.words[0], next?.words[0]]
    if (one === undefined || two === undefined || term.words.length > 1 || next?.words.length !== 1) return term
    if (term.isStopWord && next.isStopWord) return term
    const joined = term.isStopWord || next.isStopWord || hasCjk(one + two) ? [] : [one + two]
    return { ...term, related: [...new Set([...otherNamesOf(one, two), ...joined, ...term.related])] }
  })
}

/** Words of a pasted text that are searched as one phrase. */
const MAX_PHRASE_WORDS = 24

/** Returns the folded last words of terms that may go on. */
export const beginningsOf = (terms: readonly Term[]): readonly string[] =>
  eachOf(terms).flatMap(({ begins, words }) => (begins ? words.slice(-1) : []))

/** Returns all words in order as one phrase; null for a single word, or with CJK. */
export function wholePhrase(terms: readonly Term[]): string | null {
  const words = terms.flatMap((term) => wordsOf(term.raw))
  if (words.length < 2 || terms.some((term) => hasCjk(term.raw))) return null
  return quote(words.slice(0, MAX_PHRASE_WORDS))
}
