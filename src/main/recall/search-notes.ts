import type { RecallNotes } from '../../shared/contract/recall-notes.ts'
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

/** The arguments of a search that name stored values. */
export interface NamedValues {
  readonly project: string | null
  readonly session: string | null
  readonly client: string | null
}

/** Returns the notes of a search that has no query syntax. */
export const notesOfArguments = (reader: Reader, named: NamedValues): RecallNotes => ({
  as_text: [],
  minus_words: [],
  ...unknownIn(reader, named, []),
})

function unknownIn(reader: Reader, named: NamedValues, excluded: RecallQuery['unknown']): Pick<RecallNotes, 'unknown'> {
  const given = (['project', 'session', 'client'] as const).flatMap((name) => {
    const value = named[name]
    return value === null || storedMatches(reader, name, value).length > 0 ? [] : [{ name, value }]
  })
  const unknown = withExisting(reader, [...given, ...excluded])
  return unknown.length === 0 ? {} : { unknown }
}

const withExisting = (reader: Reader, values: RecallQuery['unknown']): RecallNotes['as_text'] =>
  values.map(({ name, value }) => ({ name, value, exists: [...valuesOf(reader, name, value)] }))

/** Maximum number of words in a query that are corrected: each costs several hundred look-ups. */
const MAX_CORRECTED = 3

/** An emoji whole: of joined ones, with a skin, two letters that make a flag. */
const SYMBOL =
  /\p{Regional_Indicator}{2}|(?:\p{Extended_Pictographic}|\p{So})[\ufe0f\p{Emoji_Modifier}]*(?:\u200d\p{Extended_Pictographic}[\ufe0f\p{Emoji_Modifier}]*)*/gu
const MAX_SYMBOLS = 10

export function notesOf(reader: Reader, query: RecallQuery, named: NamedValues): RecallNotes {
  const coversSince = searchCoversSince(reader)
  const symbols = [...new Set(query.typed.match(SYMBOL) ?? [])].slice(0, MAX_SYMBOLS)
  return {
    as_text: withExisting(reader, query.asText),
    minus_words: [...query.minusWords],
    ...unknownIn(reader, named, query.unknown),
    ...(symbols.length === 0 ? {} : { symbols }),
    ...(query.hasGroups ? { parentheses: 'ignored' as const } : {}),
    ...(coversSince === null ? {} : { covers_since: coversSince }),
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
): string[] {
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
export const respell = (text: string, corrections: readonly Correction[]): string =>
  corrections.reduce((query, { typed, meant }) => query.replace(typed, () => meant), text)
