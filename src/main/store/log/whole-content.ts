import { contentText } from './contents.ts'

/** A row of `contents` as it was read, which damage may have changed. */
export interface ReadContent {
  readonly hash: unknown
  readonly encoding: unknown
  readonly data: unknown
}

type Hash = (text: string) => string

/** Rows that must show whether a key is theirs. */
const SAMPLE_LEAST = 3

/**
 * Returns a function that tells whether a row of `contents` is as it was stored. If no row of the sample matches the key,
 * the key is another one (`hash.key` was lost): then a row only has to unpack.
 */
export function wholeContents(sample: readonly ReadContent[], hash: Hash): (row: ReadContent) => boolean {
  const texts = sample.filter((row) => textOf(row) !== null)
  const isOtherKey = texts.length >= SAMPLE_LEAST && !texts.some((row) => matches(row, hash))
  return (row) => (isOtherKey ? textOf(row) !== null : matches(row, hash))
}

function matches(row: ReadContent, hash: Hash): boolean {
  const text = textOf(row)
  return text !== null && Buffer.isBuffer(row.hash) && hash(text) === row.hash.toString('hex')
}

function textOf({ encoding, data }: ReadContent): string | null {
  if (!Buffer.isBuffer(data)) return null
  try {
    return contentText(String(encoding), data)
  } catch {
    // A frame that cannot be unpacked is as damaged as one with another text.
    return null
  }
}
