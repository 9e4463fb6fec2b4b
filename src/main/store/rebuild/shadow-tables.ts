import type { WritableDb } from '../database/connection.ts'
import { withTables } from './projected-tables.ts'

/** Begins the names of tables that are being filled beside those in use. */
const PREFIX = 'rebuild_'

const shadowName = (name: string): string =>
  name.startsWith('sqlite_autoindex_')
    ? name.replace('sqlite_autoindex_', `sqlite_autoindex_${PREFIX}`)
    : `${PREFIX}${name}`

interface SchemaEntry {
  readonly type: string
  readonly name: string
  readonly tbl_name: string
  readonly rootpage: number
  readonly sql: string | null
}

/** Empty tables like those in use, with their indexes, full text and triggers, to be filled and then to take their place. */
export interface ShadowTables {
  /** SQL over the tables in use, turned to these. */
  turn(sql: string): string
  /** Within a transaction, `unlocked`: from now on these are in use, and the old ones lie where these were. */
  swap(): void
}

/** Makes them; whatever an earlier rebuild left behind must be gone. */
export function createShadowTables(db: WritableDb, tables: readonly string[]): ShadowTables {
  const names = [...tables, ...fullTextOver(db, tables).filter((name) => !tables.includes(name))]
  const renamed = new Map(names.map((name) => [name, shadowName(name)]))
  const entries = schemaOf(db, names)
  // Foreign keys name tables that need not be there yet; triggers do not.
  const order = ['table', 'index', 'view', 'trigger']
  for (const entry of entries.toSorted((a, b) => order.indexOf(a.type) - order.indexOf(b.type)))
    if (entry.sql !== null) db.exec(turnDefinition(entry, entry.sql, renamed))
  return {
    turn: (sql) => withTables(sql, renamed),
    swap() {
      db.pragma('writable_schema = ON')
      const place = db.prepare<[string], number>('SELECT rootpage FROM sqlite_schema WHERE name = ?').pluck()
      const move = db.prepare<[number, string]>('UPDATE sqlite_schema SET rootpage = ? WHERE name = ?')
      for (const name of storedUnder(db, names)) {
        const [used, filled] = [place.get(name), place.get(shadowName(name))]
        if (used === undefined || filled === undefined) throw new Error(`there is nothing to take the place of ${name}`)
        move.run(filled, name)
        move.run(used, shadowName(name))
      }
      // Every connection reads the schema anew; what it had prepared, it prepares again.
      db.pragma(`schema_version = ${Number(db.pragma('schema_version', { simple: true })) + 1}`)
      db.pragma('writable_schema = RESET')
    },
  }
}

/** Runs work during which the schema itself may be written. */
export function unlocked<T>(db: WritableDb, work: () => T): T {
  db.unsafeMode(true)
  try {
    return work()
  } finally {
    db.unsafeMode(false)
  }
}

const ROWS_AT_ONCE = 2000

/** A rebuild was cut short, or its old tables are not gone yet. */
export function hasShadowTables(db: WritableDb): boolean {
  return db.prepare(`SELECT 1 FROM sqlite_schema WHERE name GLOB '${PREFIX}*' LIMIT 1`).get() !== undefined
}

/** Removes what a rebuild left: the old tables, or those of one that was cut short. In steps. */
export function* dropShadowTables(db: WritableDb): Generator<void, void, void> {
  const found = db
    .prepare<[], SchemaEntry>(
      `SELECT type, name, tbl_name, rootpage, sql FROM sqlite_schema WHERE name GLOB '${PREFIX}*' ORDER BY type DESC, name DESC`,
    )
    .all()
  for (const { name } of found.filter(({ type }) => type === 'trigger')) db.exec(`DROP TRIGGER ${name}`)
  for (const { name } of found.filter(({ type }) => type === 'view')) db.exec(`DROP VIEW ${name}`)
  for (const { name } of found.filter(({ sql }) => isVirtual(sql))) {
    db.exec(`DROP TABLE ${name}`)
    yield
  }
  for (const { name, type, sql } of found) {
    if (type !== 'table' || isVirtual(sql) || !exists(db, name)) continue
    const isKeyed = /WITHOUT ROWID/i.test(sql ?? '')
    // Rows that refer to others go in no order: nothing in use refers to them.
    const some = isKeyed ? null : `DELETE FROM ${name} WHERE rowid IN (SELECT rowid FROM ${name} LIMIT ${ROWS_AT_ONCE})`
    for (let left = some !== null; left;) {
      left = withoutForeignKeys(db, () => db.prepare(some ?? '').run().changes === ROWS_AT_ONCE)
      yield
    }
    withoutForeignKeys(db, () => db.exec(`DROP TABLE ${name}`))
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

const isVirtual = (sql: string | null) => sql?.startsWith('CREATE VIRTUAL') ?? false

function exists(db: WritableDb, name: string): boolean {
  return db.prepare<[string]>('SELECT 1 FROM sqlite_schema WHERE name = ?').get(name) !== undefined
}

/** Full-text indexes whose content lies in one of the tables. */
function fullTextOver(db: WritableDb, tables: readonly string[]): readonly string[] {
  const all = db
    .prepare<[], { name: string; sql: string }>(
      `SELECT name, sql FROM sqlite_schema WHERE sql LIKE 'CREATE VIRTUAL TABLE%' AND name NOT GLOB '${PREFIX}*'`,
    )
    .all()
  return all
    .filter(({ sql }) => tables.some((table) => new RegExp(`content\\s*=\\s*'${table}'`).test(sql)))
    .map(({ name }) => name)
}

function schemaOf(db: WritableDb, names: readonly string[]): readonly SchemaEntry[] {
  const select = db.prepare<[string], SchemaEntry>(
    'SELECT type, name, tbl_name, rootpage, sql FROM sqlite_schema WHERE tbl_name = ?',
  )
  return names.flatMap((name) => select.all(name))
}

/** Everything of these tables that has pages of its own: indexes too, and the tables in which full text is kept. */
function storedUnder(db: WritableDb, names: readonly string[]): readonly string[] {
  const kept = names.filter((name) => exists(db, `${name}_docsize`) || exists(db, `${name}_idx`))
  const inner = kept.flatMap((name) =>
    ['data', 'idx', 'docsize', 'config', 'content'].map((part) => `${name}_${part}`).filter((part) => exists(db, part)),
  )
  return schemaOf(db, [...names, ...inner])
    .filter(({ rootpage }) => rootpage > 0)
    .map(({ name }) => name)
}

function turnDefinition(
  { type, name, tbl_name }: SchemaEntry,
  sql: string,
  renamed: ReadonlyMap<string, string>,
): string {
  const table = renamed.get(tbl_name) ?? tbl_name
  if (type === 'index')
    return sql.replace(new RegExp(`\\b${name}\\s+ON\\s+${tbl_name}\\b`), `${shadowName(name)} ON ${table}`)
  if (type === 'view') return withTables(sql, renamed).replace(new RegExp(`\\bVIEW\\s+${name}\\b`), `VIEW ${table}`)
  if (type === 'trigger') {
    const own = sql
      .replace(new RegExp(`\\bTRIGGER\\s+${name}\\b`), `TRIGGER ${shadowName(name)}`)
      .replace(new RegExp(`\\bON\\s+${tbl_name}\\b`), `ON ${table}`)
    // An index's commands stand in a column of its own name.
    return withTables(own, renamed).replace(/\((\w+_fts),/g, (all, index: string) =>
      renamed.has(index) ? `(${renamed.get(index)},` : all,
    )
  }
  return sql
    .replace(new RegExp(`\\bTABLE\\s+"?${name}"?(?=\\s|\\()`), `TABLE ${table}`)
    .replace(/\bcontent\s*=\s*'(\w+)'/, (_, content: string) => `content = '${renamed.get(content) ?? content}'`)
    .replace(/\bREFERENCES\s+(\w+)/g, (_, other: string) => `REFERENCES ${renamed.get(other) ?? other}`)
}
