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

/**
 * Defines a full-text index whose content is a table's columns `content` and `timestamp`, with the triggers that keep it in
 * line with changed and deleted rows. `name` is what the table is normally called.
 */
export function defineTextIndex(
  { index, table, name }: { readonly index: string; readonly table: string; readonly name: string },
  own: (name: string) => string,
): readonly string[] {
  const remove = `INSERT INTO ${index} (${index}, rowid, content, timestamp) VALUES ('delete', old.id, old.content, old.timestamp);`
  const insert = `INSERT INTO ${index} (rowid, content, timestamp) VALUES (new.id, new.content, new.timestamp);`
  return [
    `CREATE VIRTUAL TABLE ${index} USING fts5 (content, timestamp UNINDEXED, content = '${table}', content_rowid = 'id', tokenize = 'porter unicode61 remove_diacritics 2')`,
    `CREATE TRIGGER ${own(`${name}_ad`)} AFTER DELETE ON ${table} BEGIN ${remove} END`,
    `CREATE TRIGGER ${own(`${name}_au`)} AFTER UPDATE OF content ON ${table} BEGIN ${remove} ${insert} END`,
  ]
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
