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
  // In one statement: SQLite writes an index out whenever another statement with a savepoint begins. The table may be a view
  // of several, which SQLite would draw up whole for a join.
  const insert = prepare<[string]>(
    `INSERT INTO ${index} (rowid, content, timestamp)
     SELECT added.value, (SELECT t.content FROM ${table} t WHERE t.id = added.value),
       (SELECT t.timestamp FROM ${table} t WHERE t.id = added.value) FROM json_each(?) added`,
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
