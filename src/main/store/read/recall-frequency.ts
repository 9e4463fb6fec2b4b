import type { Reader } from './reader.ts'

/** How long a count stays cached; one that reached its bound can only grow. */
const COUNT_KEPT_MS = 300_000
const RANGE_KEPT_MS = 60_000
/** Documents that are counted one by one before samples are taken: few words have more. */
const FIRST_COUNTED = 1000
/** Samples of the log, at equal distances, and the share of it that they have together. */
const SAMPLES = 8
const SAMPLED_SHARE = 1 / 16

/** The ids of the first and the last document; the last one is smaller if there are none. */
export interface IdRange {
  readonly first: number
  readonly last: number
}

/** Returns the range of documents in the index. It has those of hidden sessions, too. */
export function rangeOfIndex(reader: Reader): IdRange {
  const range = reader.get<{ first: number | null; last: number | null }>(
    'SELECT (SELECT min(id) FROM recall_fts_docsize) AS first, (SELECT max(id) FROM recall_fts_docsize) AS last',
  )
  return { first: range?.first ?? 0, last: range?.last ?? -1 }
}

/** Counts the documents that contain an expression, up to `most`: exactly if they are fewer, or estimated to be. */
export function frequencyOf(reader: Reader, expression: string, most: number): number {
  return reader.cached(
    `count ${most} ${expression}`,
    (count) => (count >= most ? Number.POSITIVE_INFINITY : COUNT_KEPT_MS),
    () => countUpTo(reader, expression, most),
  )
}

function countUpTo(reader: Reader, expression: string, most: number): number {
  if (most > FIRST_COUNTED) {
    const first = countIn(reader, expression, { limit: FIRST_COUNTED })
    if (first < FIRST_COUNTED) return first
    if (isFrequentInSamples(reader, expression, most)) return most
  }
  return countIn(reader, expression, { limit: most })
}

/**
 * Checks whether samples of the log have so many of the documents that the whole log has `most`. In a long log, counting
 * those of a common word reads a megabyte of the index; the samples have a sixteenth of them.
 */
function isFrequentInSamples(reader: Reader, expression: string, most: number): boolean {
  const { first, last } = reader.cached(
    'range of the index',
    () => RANGE_KEPT_MS,
    () => rangeOfIndex(reader),
  )
  const wanted = Math.ceil(most * SAMPLED_SHARE)
  const distance = (last - first + 1) / SAMPLES
  const length = Math.floor(distance * SAMPLED_SHARE)
  let found = 0
  for (let sample = 0; sample < SAMPLES && found < wanted; sample += 1) {
    const start = Math.floor(first + (sample + 0.5) * distance)
    found += countIn(reader, expression, { limit: wanted - found, within: [start, start + length] })
  }
  return found >= wanted
}

function countIn(
  reader: Reader,
  expression: string,
  { limit, within }: { readonly limit: number; readonly within?: readonly [first: number, last: number] },
): number {
  // The driver binds numbers as reals, but the index uses bounds only if they are integers.
  const bounds = within === undefined ? '' : 'AND rowid BETWEEN CAST(? AS INTEGER) AND CAST(? AS INTEGER)'
  const row = reader.get<{ n: number }>(
    `SELECT count(*) AS n FROM (SELECT 1 FROM recall_fts WHERE recall_fts MATCH ? ${bounds} LIMIT ?)`,
    expression,
    ...(within ?? []),
    limit,
  )
  return row?.n ?? 0
}
