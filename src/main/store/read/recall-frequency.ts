import type { Reader } from './reader.ts'

/** Time that a count stays cached; one that reached its bound can only grow. */
const COUNT_KEPT_MS = 300_000
const RANGE_KEPT_MS = 60_000
/** Documents that are counted one by one before samples are taken: most words have fewer. */
const FIRST_COUNTED = 250
/** Samples of the log, at equal distances, and the share of it that they have together. */
const SAMPLES = 8
const SAMPLED_SHARE = 1 / 16
/** An estimate must exceed a bound by this factor to spare the count. */
const MARGIN = 1.25
/** Ids of a log that is long enough to be worth sampling. */
const LONG_LOG = 500_000

/** The ids of the first and the last document; the last one is smaller if there are none. */
export interface IdRange {
  readonly first: number
  readonly last: number
}

/** Returns the range of documents in the index, which includes those of hidden sessions. */
export function rangeOfIndex(reader: Reader): IdRange {
  const range = reader.get<{ first: number | null; last: number | null }>(
    'SELECT (SELECT min(id) FROM recall_fts_docsize) AS first, (SELECT max(id) FROM recall_fts_docsize) AS last',
  )
  return { first: range?.first ?? 0, last: range?.last ?? -1 }
}

/** Counts the documents that contain an expression, up to `most`: exactly, unless samples clearly have more. */
export const frequencyOf = (reader: Reader, expression: string, most: number): number =>
  kept(reader, `count ${most} ${expression}`, most, () => {
    const found = countIn(reader, expression, { limit: Math.min(FIRST_COUNTED, most) })
    if (found < FIRST_COUNTED || found === most) return found
    const clearly = most * MARGIN
    const isMore = (estimateUpTo(reader, expression, clearly) ?? 0) >= clearly
    return isMore ? most : countIn(reader, expression, { limit: most })
  })

/** Estimates the number of documents that contain an expression, up to `most`; counts them in a short log. */
export const estimatedFrequencyOf = (reader: Reader, expression: string, most: number): number =>
  kept(reader, `estimate ${most} ${expression}`, most, () => {
    const found = countIn(reader, expression, { limit: Math.min(FIRST_COUNTED, most) })
    if (found < FIRST_COUNTED || found === most) return found
    const estimate = estimateUpTo(reader, expression, most)
    return estimate === null ? countIn(reader, expression, { limit: most }) : Math.max(found, estimate)
  })

const kept = (reader: Reader, key: string, most: number, count: () => number): number =>
  reader.cached(key, (found) => (found >= most ? Number.POSITIVE_INFINITY : COUNT_KEPT_MS), count)

/**
 * Estimates from samples of the log how many documents contain an expression, up to `most`; null if the log is short.
 * In a long one, counting the documents of a common word reads a megabyte of the index; the samples have a sixteenth of
 * them.
 */
function estimateUpTo(reader: Reader, expression: string, most: number): number | null {
  const { first, last } = reader.cached(
    'range of the index',
    () => RANGE_KEPT_MS,
    () => rangeOfIndex(reader),
  )
  if (last - first < LONG_LOG) return null
  const wanted = Math.ceil(most * SAMPLED_SHARE)
  const distance = (last - first + 1) / SAMPLES
  const length = Math.floor(distance * SAMPLED_SHARE)
  let found = 0
  for (let sample = 0; sample < SAMPLES && found < wanted; sample += 1) {
    const start = Math.floor(first + (sample + 0.5) * distance)
    found += countIn(reader, expression, { limit: wanted - found, within: [start, start + length] })
  }
  return Math.min(most, found / SAMPLED_SHARE)
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
