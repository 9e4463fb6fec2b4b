import type { WritableDb } from '../database/connection.ts'
import type { Projection } from '../projections/projection.ts'
import { createGroup, FULL_TEXT, namesOfGroup, tableNames } from '../tables.ts'

/** Prefix of tables that are filled while those in use stay. */
const PREFIX = 'rebuild_'
const AUTOINDEX = 'sqlite_autoindex_'
/** Tables in which FTS5 keeps an index. */
const FULL_TEXT_PARTS = ['data', 'idx', 'docsize', 'config', 'content'] as const

const shadowName = (name: string): string =>
  name.startsWith(AUTOINDEX) ? `${AUTOINDEX}${PREFIX}${name.slice(AUTOINDEX.length)}` : `${PREFIX}${name}`

/**
 * Creates empty tables with the definitions of those in use, to be filled and then swapped in. The remains of an earlier rebuild
 * must have been removed.
 */
export function createShadowTables(db: WritableDb, projections: readonly Projection[]) {
  const names = projections.flatMap(({ name }) => namesOfGroup(name))
  const tables = tableNames(new Map(names.map((name) => [name, shadowName(name)])))
  for (const { name, define } of projections)
    for (const sql of [...createGroup(name, tables, shadowName), ...(define?.(tables, shadowName) ?? [])]) db.exec(sql)
  return {
    tables,
    /** Names of the full-text indexes among them. */
    indexes: names.filter((name) => FULL_TEXT.has(name)).map(shadowName),
    /** Exchanges them with the tables in use. Runs within a transaction, `unlocked`. */
    swap() {
      db.pragma('writable_schema = ON')
      const rootOf = db.prepare<[string], number>('SELECT rootpage FROM sqlite_schema WHERE name = ?').pluck()
      const move = db.prepare<[number, string]>('UPDATE sqlite_schema SET rootpage = ? WHERE name = ?')
      for (const name of storedUnder(db, names)) {
        const [used, filled] = [rootOf.get(name), rootOf.get(shadowName(name))]
        if (used === undefined || filled === undefined) throw new Error(`nothing was rebuilt to replace ${name}`)
        move.run(filled, name)
        move.run(used, shadowName(name))
      }
      readSchemaAgain(db)
    },
  }
}

/** Runs work that may write to the schema itself. */
export function unlocked<T>(db: WritableDb, work: () => T): T {
  db.unsafeMode(true)
  try {
    return work()
  } finally {
    db.unsafeMode(false)
  }
}

const ROWS_AT_ONCE = 2000
/** Rows of a full-text index are pages of 4 KB. */
const PAGES_AT_ONCE = 500

/** True if a rebuild was interrupted, or the tables it replaced are not removed yet. */
export const hasShadowTables = (db: WritableDb): boolean =>
  db.prepare(`SELECT 1 FROM sqlite_schema WHERE name GLOB '${PREFIX}*' LIMIT 1`).get() !== undefined

/** Removes, in steps, the tables that a rebuild replaced, or those of an interrupted one. */
export function* dropShadowTables(db: WritableDb): Generator<void, void, void> {
  const found = db
    .prepare<[], { readonly type: string; readonly name: string; readonly sql: string | null }>(
      `SELECT type, name, sql FROM sqlite_schema WHERE name GLOB '${PREFIX}*' ORDER BY type DESC, name DESC`,
    )
    .all()
  const fullText = new Set([...FULL_TEXT.keys()].map(shadowName))
  for (const { name } of found.filter(({ type }) => type === 'trigger')) db.exec(`DROP TRIGGER ${name}`)
  for (const { name } of found.filter(({ type }) => type === 'view')) db.exec(`DROP VIEW ${name}`)
  dissolve(
    db,
    found.flatMap(({ name }) => (fullText.has(name) ? [name] : [])),
  )
  for (const { name, type, sql } of found) {
    if (type !== 'table' || fullText.has(name)) continue
    // The time to drop a table grows with its pages.
    const rowsAtOnce = name.endsWith('_fts_data') ? PAGES_AT_ONCE : ROWS_AT_ONCE
    if (!/WITHOUT ROWID/i.test(sql ?? '')) yield* emptyInSteps(db, name, rowsAtOnce)
    withoutForeignKeys(db, () => db.exec(`DROP TABLE ${name}`))
    yield
  }
}

/** Turns full-text indexes into plain tables. SQLite's check calls an index damaged while only some of its rows are left. */
function dissolve(db: WritableDb, indexes: readonly string[]): void {
  if (indexes.length === 0) return
  const removeEntries = db.transaction(() => {
    db.pragma('writable_schema = ON')
    const remove = db.prepare<[string]>('DELETE FROM sqlite_schema WHERE name = ?')
    for (const name of indexes) remove.run(name)
    readSchemaAgain(db)
  })
  unlocked(db, () => removeEntries.immediate())
}

/** Makes every connection read the schema again and prepare its statements again. */
function readSchemaAgain(db: WritableDb): void {
  db.pragma(`schema_version = ${Number(db.pragma('schema_version', { simple: true })) + 1}`)
  db.pragma('writable_schema = RESET')
}

function* emptyInSteps(db: WritableDb, name: string, rowsAtOnce: number): Generator<void, void, void> {
  const some = `DELETE FROM ${name} WHERE rowid IN (SELECT rowid FROM ${name} ORDER BY rowid LIMIT ${rowsAtOnce})`
  // Foreign keys are off: nothing in use refers to these rows, whose order would matter otherwise.
  const empty = () => withoutForeignKeys(db, () => db.prepare(some).run().changes === rowsAtOnce)
  for (let isLeft = true; isLeft;) {
    isLeft = empty()
    yield
  }
}

function withoutForeignKeys<T>(db: WritableDb, work: () => T): T {
  db.pragma('foreign_keys = OFF')
  try {
    return work()
  } finally {
    db.pragma('foreign_keys = ON')
  }
}

/** All parts of these tables that have their own pages, including indexes and the parts of full-text indexes. */
function storedUnder(db: WritableDb, names: readonly string[]): readonly string[] {
  const parts = names
    .filter((name) => FULL_TEXT.has(name))
    .flatMap((name) => FULL_TEXT_PARTS.map((part) => `${name}_${part}`))
  const stored = db
    .prepare<[string], string>('SELECT name FROM sqlite_schema WHERE tbl_name = ? AND rootpage > 0')
    .pluck()
  return [...names, ...parts].flatMap((name) => stored.all(name))
}
