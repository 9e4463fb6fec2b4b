import type { Reader } from './reader.ts'

/** What is wrong with the file: pages and tables that are damaged, and full-text indexes, which can be made anew. */
export interface CheckedStore {
  readonly damage: readonly string[]
  readonly full_text: readonly string[]
}

const MOST_PROBLEMS = 20
const OF_FULL_TEXT = /fts5 table \S*?(\w+_fts)\b/i

/** Reads the whole file: seconds for each gigabyte. */
export function checkStore(reader: Reader): CheckedStore {
  const problems = reader
    .all<{ quick_check: string }>(`PRAGMA quick_check(${MOST_PROBLEMS})`)
    .map((row) => row.quick_check)
    .filter((problem) => problem !== 'ok')
  const named = problems.flatMap((problem) => OF_FULL_TEXT.exec(problem)?.[1] ?? [])
  const damage = problems.filter((problem) => !OF_FULL_TEXT.test(problem))
  return { damage, full_text: [...new Set([...named, ...outOfStep(reader)])] }
}

/** Indexes with more or fewer rows than the table whose words they hold; SQLite's own check does not compare them. */
function outOfStep(reader: Reader): readonly string[] {
  const indexes = reader.all<{ name: string; sql: string }>(
    "SELECT name, sql FROM sqlite_schema WHERE sql LIKE 'CREATE VIRTUAL TABLE%USING fts5%'",
  )
  return indexes.flatMap(({ name, sql }) => {
    const table = name === 'recall_fts' ? 'recall_docs' : /\bcontent\s*=\s*'(\w+)'/.exec(sql)?.[1]
    if (table === undefined) return []
    const count = (of: string) => reader.get<{ rows: number }>(`SELECT count(*) AS rows FROM ${of}`)?.rows
    return count(table) === count(`${name}_docsize`) ? [] : [name]
  })
}
