import type { ProjectionContext } from './projection.ts'

/** A full-text index over a projection's table. */
export interface TextIndex {
  /** Notes an inserted row; it is indexed when the transaction ends. */
  add(id: number): void
  /** Indexes noted rows. Also called before a row is changed or removed, since the triggers expect to find it in the index. */
  fill(): void
  /** Called after a rollback. */
  discard(): void
}

/**
 * Defines a full-text index over a table's columns `content` and `timestamp`, with the triggers that keep it in step with
 * changed and deleted rows. `name` is the table's normal name.
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

/** Fills `index`, which is external content over `table` with columns `content` and `timestamp`. */
export function createTextIndex(prepare: ProjectionContext['prepare'], index: string, table: string): TextIndex {
  // One statement: SQLite writes an index out whenever another statement with a savepoint starts. The table may be a view of
  // several tables, which SQLite would materialize for a join.
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
