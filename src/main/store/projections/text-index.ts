import type { ProjectionContext } from './projection.ts'

/** The full text over a projection's table. */
export interface TextIndex {
  /** A row was inserted: it is taken in when the transaction ends. */
  add(id: number): void
  /** Takes in what waits; before a row is changed or removed too, since the triggers for that expect to find it there. */
  fill(): void
  /** After a rollback. */
  discard(): void
}

/** `index` is external content over `table`, with columns `content` and `timestamp`. */
export function createTextIndex(prepare: ProjectionContext['prepare'], index: string, table: string): TextIndex {
  // In one statement: SQLite writes an index out whenever another statement with a savepoint begins.
  const insert = prepare<[string]>(
    `INSERT INTO ${index} (rowid, content, timestamp)
     SELECT t.id, t.content, t.timestamp FROM json_each(?) added CROSS JOIN ${table} t ON t.id = added.value`,
  )
  let added: number[] = []
  return {
    add: (id) => void added.push(id),
    fill() {
      if (added.length === 0) return
      insert.run(JSON.stringify(added))
      added = []
    },
    discard() {
      added = []
    },
  }
}
