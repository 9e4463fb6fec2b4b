import { countDocs, frequencyOf } from '../store/read/recall.ts'
import type { Reader } from '../store/read/reader.ts'
import type { AskedWord } from './closeness.ts'
import type { RecallQuery } from './query.ts'
import { COMMON } from './stages.ts'

/** What a word in the place of the one that was asked for is worth. */
const SYNONYM = 0.9
const RELATED = 0.4
/** Milliseconds for which the number of documents is believed. */
const COUNT_KEPT_MS = 60_000
/** Words of a query that are weighed. */
const MOST_WORDS = 40

/** How many documents there are, as of a minute ago. */
export function documentCount(reader: Reader): number {
  return reader.cached(
    'documents',
    () => COUNT_KEPT_MS,
    () => countDocs(reader),
  )
}

/** The telling words of a query, each with its weight: the fewer documents hold it, the more it tells. */
export function askedWords(reader: Reader, query: RecallQuery): AskedWord[] {
  const documents = documentCount(reader)
  const asked = new Map<string, AskedWord>()
  for (const term of [...query.terms, ...query.phrases]) {
    if (term.filler) continue
    for (const word of term.words) {
      if (asked.has(word) || asked.size >= MOST_WORDS) continue
      const rows = frequencyOf(reader, `{text parts} : "${word}"`, COMMON)
      asked.set(word, {
        word,
        weight: Math.log(1 + (documents - rows + 0.5) / (rows + 0.5)),
        forms: term.forms,
        instead: [
          ...term.synonyms.map((word) => ({ word, part: SYNONYM })),
          ...term.related.map((word) => ({ word, part: RELATED })),
        ],
      })
    }
  }
  return [...asked.values()]
}
