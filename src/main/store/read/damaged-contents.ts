import { wholeContents, type ReadContent } from '../log/whole-content.ts'
import type { Reader } from './reader.ts'

const AT_ONCE = 50

/** Counts texts that are not what was stored, by their keyed hash. Reads all of them. */
export function damagedContents(reader: Reader, hash: (text: string) => string): number {
  let damaged = 0
  let isWhole: ((row: ReadContent) => boolean) | null = null
  for (let after = ''; ;) {
    const rows = reader.all<ReadContent & { id: string }>(
      `SELECT hex(hash) AS id, hash, encoding, data FROM contents WHERE hash > unhex(?) ORDER BY hash LIMIT ${AT_ONCE}`,
      after,
    )
    const last = rows.at(-1)
    if (last === undefined) return damaged
    isWhole ??= wholeContents(rows, hash)
    for (const row of rows) if (!isWhole(row)) damaged += 1
    after = last.id
  }
}
