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

/** Finds payloads in the log that SQLite cannot read as JSON; its own check does not look into a text. */
export const UNREADABLE_PAYLOADS = `SELECT payload FROM main.events WHERE NOT json_valid(payload)
  UNION ALL SELECT payload FROM main.sighting_rows WHERE NOT json_valid(payload) LIMIT 1000`

/** Returns true if a payload is not JSON. SQLite also refuses some that is nested deeply. */
export function isUnreadable(payload: unknown): boolean {
  try {
    JSON.parse(String(payload))
    return false
  } catch {
    return true
  }
}
