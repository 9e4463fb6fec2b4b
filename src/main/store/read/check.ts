import { FULL_TEXT } from '../tables.ts'
import { damagedContents, isUnreadable, UNREADABLE_PAYLOADS } from './damaged-contents.ts'
import type { Reader } from './reader.ts'

/** Damage found in the file: in pages, tables and texts, and in full-text indexes, which a rebuild repairs. */
export interface CheckedStore {
  readonly damage: readonly string[]
  readonly full_text: readonly string[]
}

const MAX_PROBLEMS = 20
/** "malformed inverted index for FTS5 table main.x", or "fts5: corruption found reading blob 10 from table "x"". */
export const FULL_TEXT_PROBLEM = /fts5.* table "?(?:main\.)?(\w+_fts)\b/i
/** Finds a row if the number of the newest event is not what it was given. SQLite's own check does not compare these. */
export const LOST_SEQUENCE = `SELECT 1 FROM (SELECT max(id) AS last FROM main.events) WHERE last >
  coalesce((SELECT max(CAST(seq AS INTEGER)) FROM main.sqlite_sequence WHERE name = 'events'), 0)`
export const SEQUENCE_FAULT = 'the number of the newest event is lost'
/** Checks the list of free pages, which SQLite's check of all tables may leave out (3.54.1, with our views). */
export const FREE_PAGES = 'PRAGMA integrity_check(sqlite_schema)'
/** Tables that only a rebuild uses; the next rebuild drops them. */
const SCRATCH = 'rebuild_'

/** Reads the whole file, which takes seconds per gigabyte, and with `hash` every text of it. */
export function checkStore(reader: Reader, hash = reader.hash): CheckedStore {
  // The first also compares tables with their indexes: a torn page may leave a row that reads well and is another one.
  const problems = [`PRAGMA integrity_check(${MAX_PROBLEMS})`, FREE_PAGES]
    .flatMap((check) => reader.all<{ integrity_check: string }>(check).map((row) => row.integrity_check))
    .filter((problem) => problem !== 'ok')
  const named = problems
    .flatMap((problem) => FULL_TEXT_PROBLEM.exec(problem)?.[1] ?? [])
    .filter((index) => !index.startsWith(SCRATCH))
  const damage = problems.filter((problem) => !FULL_TEXT_PROBLEM.test(problem))
  if (damage.length === 0 && hash !== null) {
    const texts = damagedContents(reader, hash)
    if (texts > 0) damage.push(`${texts} stored ${texts === 1 ? 'text does' : 'texts do'} not match the hash`)
  }
  if (damage.length === 0) {
    const payloads = reader.all<{ payload: unknown }>(UNREADABLE_PAYLOADS).filter((row) => isUnreadable(row.payload))
    if (payloads.length > 0)
      damage.push(`${payloads.length} stored ${payloads.length === 1 ? 'event' : 'events'} cannot be read`)
  }
  if (damage.length === 0 && reader.get(LOST_SEQUENCE) !== undefined) damage.push(SEQUENCE_FAULT)
  return { damage, full_text: [...new Set([...named, ...outOfStep(reader)])] }
}

/**
 * Finds indexes with more or fewer rows than their table; SQLite's own check does not compare these. Reads the tables
 * themselves: a connection's views of them include previews.
 */
function outOfStep(reader: Reader): readonly string[] {
  const count = (of: string) => reader.get<{ rows: number }>(`SELECT count(*) AS rows FROM main.${of}`)?.rows
  return [...FULL_TEXT].flatMap(([index, table]) => (count(table) === count(`${index}_docsize`) ? [] : [index]))
}
