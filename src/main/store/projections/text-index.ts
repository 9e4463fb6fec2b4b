import type { EventKind } from '../../../shared/event.ts'
import type { ProjectionContext } from './projection.ts'

/** A row of an indexed table or view. */
interface ShownRow {
  readonly content: string
  readonly timestamp: string
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
    createIndex(index, table),
    `CREATE TRIGGER ${own(`${name}_ad`)} AFTER DELETE ON ${table} BEGIN ${remove} END`,
    `CREATE TRIGGER ${own(`${name}_au`)} AFTER UPDATE OF content ON ${table} BEGIN ${remove} ${insert} END`,
  ]
}

/**
 * Defines a full-text index over a view that shows the texts of events. `rows` is its table: a row has a text only if the
 * event's payload does not contain it whole. `name` is the view's normal name.
 */
export function defineViewIndex(
  of: { readonly index: string; readonly view: string; readonly rows: string } & Followed,
  own: (name: string) => string,
): readonly string[] {
  const { index, view, rows, name } = of
  const changes = 'WHEN new.content IS NOT old.content'
  return [
    createIndex(index, view),
    `CREATE TRIGGER ${own(`${name}_bu`)} BEFORE UPDATE OF content ON ${rows} ${changes} BEGIN ${removed(index, view, 'old.event_id')} END`,
    `CREATE TRIGGER ${own(`${name}_au`)} AFTER UPDATE OF content ON ${rows} ${changes} BEGIN ${inserted(index, view, 'new.event_id')} END`,
    `CREATE TRIGGER ${own(`${name}_bd`)} BEFORE DELETE ON ${rows} BEGIN ${removed(index, view, 'old.event_id')} END`,
    ...followPayloads(of, own),
  ]
}

interface Followed {
  readonly index: string
  readonly view: string
  /** The view's normal name. */
  readonly name: string
  /** The kinds of events that it shows. */
  readonly kinds: readonly EventKind[]
}

/** Defines triggers that keep an index in step with payloads of events, which only redaction and archiving change. */
export function followPayloads(
  { index, view, name, kinds }: Followed,
  own: (name: string) => string,
): readonly string[] {
  const isShown = `WHEN old.kind IN (${kinds.map((kind) => `'${kind}'`).join(', ')})`
  return [
    `CREATE TRIGGER ${own(`events_${name}_bu`)} BEFORE UPDATE OF payload ON events ${isShown} BEGIN ${removed(index, view, 'old.id')} END`,
    `CREATE TRIGGER ${own(`events_${name}_au`)} AFTER UPDATE OF payload ON events ${isShown} BEGIN ${inserted(index, view, 'new.id')} END`,
  ]
}

const createIndex = (index: string, over: string): string =>
  `CREATE VIRTUAL TABLE ${index} USING fts5 (content, timestamp UNINDEXED, content = '${over}', content_rowid = 'id', tokenize = 'porter unicode61 remove_diacritics 2')`

const removed = (index: string, view: string, id: string): string =>
  `INSERT INTO ${index} (${index}, rowid, content, timestamp) SELECT 'delete', t.id, t.content, t.timestamp FROM ${view} t WHERE t.id = ${id};`

const inserted = (index: string, view: string, id: string): string =>
  `INSERT INTO ${index} (rowid, content, timestamp) SELECT t.id, t.content, t.timestamp FROM ${view} t WHERE t.id = ${id};`

/** Fills `index`, a full-text index which is external content over `table` with columns `content` and `timestamp`. */
export function createTextIndex(prepare: ProjectionContext['prepare'], index: string, table: string) {
  // One row per statement, of values: SQLite writes an index out whenever a statement with a savepoint starts, such as
  // `INSERT … SELECT`.
  const insert = prepare<[number, string, string]>(`INSERT INTO ${index} (rowid, content, timestamp) VALUES (?, ?, ?)`)
  // The table may be a view of several tables, which takes longer to read than a text takes to index.
  const insertShown = prepare<[number, number, number]>(
    `INSERT INTO ${index} (rowid, content, timestamp)
     VALUES (?, (SELECT t.content FROM ${table} t WHERE t.id = ?), (SELECT t.timestamp FROM ${table} t WHERE t.id = ?))`,
  )
  let added: { readonly id: number; readonly row: ShownRow | undefined }[] = []
  return {
    /** Notes an inserted row; it is indexed when the transaction ends. `row`: its content in the view, if known. */
    add: (id: number, row?: ShownRow) => void added.push({ id, row }),
    /** Indexes noted rows. Also called before a row is changed or removed, since the triggers expect to find it in the index. */
    fill() {
      for (const { id, row } of added) {
        if (row === undefined) insertShown.run(id, id, id)
        else insert.run(id, row.content, row.timestamp)
      }
      added = []
    },
    /** Called after a rollback. */
    discard() {
      added = []
    },
  }
}
