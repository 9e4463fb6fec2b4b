import type { WritableDb } from '../database/connection.ts'
import { PROJECTIONS } from '../projections/all.ts'

/** What a table of a projection is, as far as it matters to taking a session out of it. */
export interface ProjectedTable {
  readonly name: string
  /** How its rows belong to a session; null: they are sums over all sessions. */
  readonly owner: 'id' | 'session_id' | 'event_uuid' | 'event_id' | null
  /** Of a table of sums: what they are counted by, and what is counted. */
  readonly keys: readonly string[]
  readonly sums: readonly { readonly name: string; readonly isWhole: boolean }[]
}

interface Column {
  readonly name: string
  readonly type: string
  readonly pk: number
}

/** Reads from the schema what kind of table each is; virtual tables follow their own triggers and are left out. */
export function describeTables(db: WritableDb, names: readonly string[]): readonly ProjectedTable[] {
  const isPlain = db
    .prepare<[string], number>(
      "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ? AND sql NOT LIKE 'CREATE VIRTUAL%'",
    )
    .pluck()
  return names.filter((name) => isPlain.get(name) !== undefined).map((name) => describe(db, name))
}

/** Those of all projections. */
export const projectedTables = (db: WritableDb): readonly ProjectedTable[] =>
  describeTables(
    db,
    PROJECTIONS.flatMap(({ tables }) => tables),
  )

function describe(db: WritableDb, name: string): ProjectedTable {
  const columns = db.pragma(`table_info(${name})`) as Column[]
  const has = (column: string) => columns.some((one) => one.name === column)
  const owner =
    name === 'sessions'
      ? 'id'
      : ((['session_id', 'event_uuid', 'event_id'] as const).find((column) => has(column)) ?? null)
  return {
    name,
    owner,
    keys: columns.filter(({ pk }) => pk > 0).map((column) => column.name),
    sums: columns.filter(({ pk }) => pk === 0).map(({ name, type }) => ({ name, isWhole: type === 'INTEGER' })),
  }
}

/** SQL of a projection, turned to other tables: names stand after INTO, FROM, JOIN, UPDATE and TABLE. */
export function withTables(sql: string, renamed: ReadonlyMap<string, string>): string {
  return sql.replace(
    /\b(INTO|FROM|JOIN|UPDATE|TABLE)(\s+)([a-z_]+)\b/gi,
    (all, word: string, space: string, name: string) => {
      const other = renamed.get(name)
      return other === undefined ? all : `${word}${space}${other}`
    },
  )
}
