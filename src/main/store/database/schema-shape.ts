import type Database from 'better-sqlite3'
import { VIEWS } from '../schema/views.ts'
import { TABLES } from '../tables.ts'

/** The definition of each table, view and full-text index of a database, by name. */
export type SchemaShape = ReadonlyMap<string, string>

interface Listed {
  readonly schema: string
  readonly name: string
  readonly type: 'table' | 'view' | 'virtual' | 'shadow'
}

/** Reads the types of a database's tables and views. */
export function typesOf(db: Database.Database): SchemaShape {
  const listed = db.pragma('table_list') as Listed[]
  return new Map(
    listed
      .filter(({ schema, name, type }) => schema === 'main' && type !== 'shadow' && !name.startsWith('sqlite_'))
      .map(({ name, type }) => [name, type]),
  )
}

/** Reads the types, and the columns of tables. Those of views and full-text indexes follow from later tables. */
export function shapeOf(db: Database.Database): SchemaShape {
  const columnsOf = (table: string) =>
    (db.pragma(`table_info("${table.replaceAll('"', '""')}")`) as { name: string }[]).map(({ name }) => name).toSorted()
  return new Map(
    [...typesOf(db)].map(([name, type]) => [name, type === 'table' ? `table of ${columnsOf(name).join(', ')}` : type]),
  )
}

/** Returns the SQL that creates the tables, views, indexes and triggers of a database, in a possible order. */
export function definitionsOf(db: Database.Database): readonly string[] {
  const shadows = (db.pragma('table_list') as Listed[]).filter(({ type }) => type === 'shadow').map(({ name }) => name)
  return db
    .prepare<[string], string>(
      `SELECT sql FROM sqlite_schema
       WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' AND tbl_name NOT IN (SELECT value FROM json_each(?))
       ORDER BY type NOT IN ('table', 'view'), rowid`,
    )
    .pluck()
    .all(JSON.stringify(shadows))
}

/**
 * Returns the first name that is missing or differs from the expected one; null if there is none. More names are fine.
 */
export function firstDifference(found: SchemaShape, expected: SchemaShape): string | null {
  for (const [name, shape] of expected) if (found.get(name) !== shape) return name
  return null
}

/** The types of the tables and views of the current version. */
export const CURRENT_TYPES: SchemaShape = new Map([
  ...Object.keys(TABLES).map((name) => [name, 'table'] as const),
  ...Object.keys(VIEWS).map((name) => [name, 'view'] as const),
])
