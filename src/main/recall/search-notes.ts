import type { Reader } from '../store/read/reader.ts'
import { frequencyOf } from '../store/read/recall-frequency.ts'
import { isRecorded } from '../store/read/recall-words.ts'
import { searchCoversSince } from '../store/read/search-covers-since.ts'
import { hasCjk } from '../base/words.ts'
import type { RecallQuery } from './query.ts'
import { spellingOf } from './spelling.ts'
import { COMMON } from './stages.ts'
import { eachOf } from './terms.ts'
import { storedMatches, valuesOf } from './stored-filters.ts'

export interface Correction {
  readonly typed: string
  readonly meant: string
}

/** Differences between a search's interpretation and the likely intention. */
export interface SearchNotes {
  /** `name:value` searched as text, with the values that exist. */
  readonly asText: readonly { readonly name: string; readonly value: string; readonly exists: readonly string[] }[]
  /** Arguments besides the query that select nothing, with the values that exist. */
  readonly unknown: readonly { readonly name: string; readonly value: string; readonly exists: readonly string[] }[]
  /** Words typed as `-word`: text, unless excluded by `NOT word`. */
  readonly minusWords: readonly string[]
  /** Words that nothing recorded has, and for which no other spelling is proposed; omitted if nothing matches anyway. */
  readonly unknownWords?: readonly string[]
  /** Emoji and other symbols of the query, which no index has. */
  readonly symbols?: readonly string[]
  /** Set if parentheses group words, which is not done. */
  readonly parentheses?: 'ignored'
  /** Set if nothing had the quotations and the rest, so that quotations were only preferred. */
  readonly quotes?: 'preferred'
  /** The query in stored spelling; `searched`: the hits are for it, because nothing was found as typed. */
  readonly didYouMean?: {
    readonly query: string
    readonly corrections: readonly Correction[]
    readonly searched: boolean
  }
  /** An import is under way: sessions of transcripts that were last active before this moment cannot be found yet. */
  readonly coversSince?: string
  /** Set if the query is longer: only this many characters of it were searched. */
  readonly searchedCharacters?: number
}

export const NO_NOTES: SearchNotes = { asText: [], unknown: [], minusWords: [] }

/** The arguments of a search that name stored values. */
export interface NamedValues {
  readonly project: string | null
  readonly session: string | null
  readonly client: string | null
}

/** Returns the notes of a search that has no query syntax. */
export const notesOfArguments = (reader: Reader, named: NamedValues): SearchNotes => ({
  ...NO_NOTES,
  unknown: unknownIn(reader, named),
})

function unknownIn(reader: Reader, named: NamedValues): SearchNotes['unknown'] {
  return (['project', 'session', 'client'] as const).flatMap((name) => {
    const value = named[name]
    if (value === null || storedMatches(reader, name, value).length > 0) return []
    return [{ name, value, exists: valuesOf(reader, name, value) }]
  })
}

/** Maximum number of words in a query that are corrected: each costs several hundred look-ups. */
const MAX_CORRECTED = 3

/** An emoji whole: of joined ones, with a skin, two letters that make a flag. */
const SYMBOL =
  /\p{Regional_Indicator}{2}|(?:\p{Extended_Pictographic}|\p{So})[\ufe0f\p{Emoji_Modifier}]*(?:\u200d\p{Extended_Pictographic}[\ufe0f\p{Emoji_Modifier}]*)*/gu
const MAX_SYMBOLS = 10

export function notesOf(reader: Reader, query: RecallQuery, named: NamedValues): SearchNotes {
  const coversSince = searchCoversSince(reader)
  const symbols = [...new Set(query.typed.match(SYMBOL) ?? [])].slice(0, MAX_SYMBOLS)
  return {
    ...(symbols.length === 0 ? {} : { symbols }),
    ...(query.hasGroups ? { parentheses: 'ignored' as const } : {}),
    ...(coversSince === null ? {} : { coversSince }),
    unknown: [
      ...unknownIn(reader, named),
      ...query.unknown.map((one) => ({ ...one, exists: valuesOf(reader, one.name, one.value) })),
    ],
    asText: query.asText.map(({ name, value }) => ({ name, value, exists: valuesOf(reader, name, value) })),
    minusWords: query.minusWords,
  }
}

/** Checks whether anything recorded has a term: a search has counted the texts that do, and only then are calls of tools asked. */
const isKnown = (reader: Reader, whole: string): boolean =>
  frequencyOf(reader, whole, COMMON) > 0 || isRecorded(reader, whole)

/** Returns corrections of the words that nothing recorded contains. */
export function correctionsOf(reader: Reader, query: RecallQuery): readonly Correction[] {
  const unknown = eachOf(query.terms).filter(
    ({ isStopWord, words, whole }) => !isStopWord && words.length === 1 && !isKnown(reader, whole),
  )
  return unknown.slice(0, MAX_CORRECTED).flatMap(({ raw }) => {
    const meant = spellingOf(reader, raw)
    return meant === null ? [] : [{ typed: raw, meant }]
  })
}

/** Maximum number of unknown words that are named: a pasted text may have any number. */
const MAX_UNKNOWN = 10

/**
 * Returns the words that nothing recorded has, without those corrected. If that is all words and there are no hits, "no
 * matches" says it already.
 */
export function unknownWordsOf(
  reader: Reader,
  { terms, phrases, asText }: RecallQuery,
  { corrections, hasHits }: { readonly corrections: readonly Correction[]; readonly hasHits: boolean },
): readonly string[] {
  const filters = asText.map(({ name, value }) => `${name}:${value}`)
  const telling = eachOf(terms).filter(
    ({ isStopWord, raw }) => !isStopWord && !hasCjk(raw) && !filters.some((filter) => filter.includes(raw)),
  )
  const unknown = telling.filter(({ whole }) => !isKnown(reader, whole)).map(({ raw }) => raw)
  if (!hasHits && unknown.length === telling.length + phrases.length) return []
  const corrected = new Set(corrections.map(({ typed }) => typed))
  return [...new Set(unknown)].filter((word) => !corrected.has(word)).slice(0, MAX_UNKNOWN)
}

/** Replaces misspelt words in a query. */
export function respell(text: string, corrections: readonly Correction[]): string {
  return corrections.reduce((query, { typed, meant }) => query.replace(typed, () => meant), text)
}
