import { countDocs } from '../store/read/recall.ts'
import { estimatedFrequencyOf, frequencyOf } from '../store/read/recall-frequency.ts'
import type { Reader } from '../store/read/reader.ts'
import { isRecorded } from '../store/read/recall-words.ts'
import type { QueryWord } from './closeness.ts'
import type { RecallQuery } from './query.ts'
import { COMMON } from './stages.ts'
import { eachOf } from './terms.ts'
import { SHARE } from './weights.ts'

const COUNT_CACHE_MS = 60_000
/** Further words of a query are ignored. */
const MAX_WORDS = 40

/** Returns the number of documents, at most a minute old. */
export function documentCount(reader: Reader): number {
  return reader.cached(
    'documents',
    () => COUNT_CACHE_MS,
    () => countDocs(reader),
  )
}

/**
 * Counts the texts that have a word themselves, up to `COMMON`. In a long log, the count for a word this common is
 * estimated, since most of the word's index would have to be read.
 */
function ownTextsWith(reader: Reader, word: string): number {
  const isCommon = frequencyOf(reader, `"${word}"`, COMMON) >= COMMON
  return (isCommon ? estimatedFrequencyOf : frequencyOf)(reader, `{text parts} : "${word}"`, COMMON)
}

/** Returns the significant words of a query with their weights (inverse document frequency). */
export function readQueryWords(reader: Reader, query: RecallQuery): QueryWord[] {
  const documents = documentCount(reader)
  const queryWords = new Map<string, QueryWord>()
  for (const term of eachOf([...query.terms, ...query.phrases])) {
    if (term.isStopWord) continue
    for (const word of term.words) {
      if (queryWords.has(word) || queryWords.size >= MAX_WORDS) continue
      const rows = ownTextsWith(reader, word)
      queryWords.set(word, {
        word,
        weight: Math.log(1 + (documents - rows + 0.5) / (rows + 0.5)),
        forms: term.forms,
        alternatives: [
          ...term.synonyms.map((word) => ({ word, share: SHARE.synonym })),
          ...term.related.map((word) => ({ word, share: SHARE.related })),
        ],
      })
    }
  }
  return [...queryWords.values()]
}

/** FTS5 merges the rows of every word with the prefix: in a long log, only prefixes of six letters or more are cheap enough. */
const LONG_LOG = 100_000

/**
 * Returns how the last word of a query counts that may still be typed: `whole` if it is recorded, so that it finds in the
 * window what it finds everywhere, or if no recorded word begins with it; as a `prefix`; `begun` if that would take too long.
 */
export function lastWordOf(
  reader: Reader,
  text: string,
  parse: (prefix: boolean) => RecallQuery,
): 'whole' | 'prefix' | 'begun' {
  const isKnown = ({ terms }: RecallQuery) =>
    eachOf(terms)
      .slice(-1)
      .some(({ whole }) => isRecorded(reader, whole))
  if (isKnown(parse(false))) return 'whole'
  if (!/[^\s\p{P}]{6,}$/u.test(text) && documentCount(reader) >= LONG_LOG) return 'begun'
  return isKnown(parse(true)) ? 'prefix' : 'whole'
}
