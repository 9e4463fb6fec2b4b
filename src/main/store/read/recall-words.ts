import type { Reader } from './reader.ts'
import { findDocs, textOf } from './recall-docs.ts'

/** Number of rows counted to compare words: enough to distinguish common and rare words. */
const MAX_COUNTED = 50

/** Returns those of the given folded words that are in the index of texts, with the most texts first. */
export function containsAny(reader: Reader, words: readonly string[]): readonly { readonly word: string }[] {
  return words
    .flatMap((word) => {
      const texts = reader.budget.over || countOf(reader, word, 1) === 0 ? 0 : countOf(reader, word, MAX_COUNTED)
      return texts === 0 ? [] : [{ word, texts }]
    })
    .sort((a, b) => b.texts - a.texts)
}

/** Not cached, unlike `frequencyOf`: most of these words are in no text and are never tried again. */
function countOf(reader: Reader, word: string, most: number): number {
  const row = reader.get<{ n: number }>(
    'SELECT count(*) AS n FROM (SELECT 1 FROM recall_fts WHERE recall_fts MATCH ? LIMIT ?)',
    `text : "${word}"`,
    most,
  )
  return row?.n ?? 0
}

/** Returns the newest texts that have a folded word, or another with its stem. */
export function newestWith(reader: Reader, word: string, limit: number): readonly string[] {
  const ids = reader
    .all<{ id: number }>(
      'SELECT rowid AS id FROM recall_fts WHERE recall_fts MATCH ? ORDER BY rowid DESC LIMIT ?',
      `text : "${word}"`,
      limit,
    )
    .map(({ id }) => id)
  return [...findDocs(reader, ids).values()].map((doc) => textOf(reader, doc))
}

/** Checks whether any text, or any tool traffic, matches an FTS5 expression; nothing is cached. */
export const isRecorded = (reader: Reader, expression: string): boolean =>
  ['recall_fts', 'tools_fts'].some(
    (index) => reader.get(`SELECT 1 FROM ${index} WHERE ${index} MATCH ? LIMIT 1`, expression) !== undefined,
  )
