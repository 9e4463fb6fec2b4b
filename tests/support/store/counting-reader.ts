import type { ReadableDb } from '../../../src/main/store/database/connection.ts'
import type { Reader } from '../../../src/main/store/read/reader.ts'

type Value = string | number | bigint | null

/** A handler's database work, in counts that do not depend on the machine. */
export interface QueryCounts {
  /** Statements run. */
  readonly statements: number
  /** Rows that they returned. */
  readonly rows: number
  /** Their SQL, without duplicates. */
  readonly texts: readonly string[]
}

/** Counts the statements that `work` runs through a reader. */
export function countQueries(inner: Reader, work: (reader: Reader) => unknown): QueryCounts {
  const texts = new Set<string>()
  let statements = 0
  let rows = 0
  const note = (sql: string, given: number) => {
    texts.add(sql)
    statements += 1
    rows += given
  }
  work({
    ...inner,
    all<Row>(sql: string, ...values: readonly Value[]) {
      const found = inner.all<Row>(sql, ...values)
      note(sql, found.length)
      return found
    },
    inTime<Row>(sql: string, ...values: readonly Value[]) {
      const found = inner.inTime<Row>(sql, ...values)
      note(sql, found.length)
      return found
    },
    get<Row>(sql: string, ...values: readonly Value[]) {
      const found = inner.get<Row>(sql, ...values)
      note(sql, found === undefined ? 0 : 1)
      return found
    },
  })
  return { statements, rows, texts: [...texts] }
}

/** Returns the lines of SQLite's query plan for a statement. */
export function planOf(db: ReadableDb, sql: string): readonly string[] {
  const values = sql
    .split('?')
    .slice(1)
    .map(() => null)
  const lines = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values) as readonly { readonly detail: string }[]
  return lines.map(({ detail }) => detail)
}
