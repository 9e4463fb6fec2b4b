import { createIndexes, createTable, type Rename, type Table } from './schema/define-table.ts'
import { ledgerTables } from './schema/ledger-tables.ts'
import { logTables } from './schema/log-tables.ts'
import { peopleTables } from './schema/people-tables.ts'
import { sessionTables } from './schema/session-tables.ts'
import { textTables } from './schema/text-tables.ts'
import { upkeepTables } from './schema/upkeep-tables.ts'
import { usageTables } from './schema/usage-tables.ts'
import { VIEWS, type View } from './schema/views.ts'

/** Every table of the database. A test compares it with the schema. */
export const TABLES = {
  ...logTables,
  ...sessionTables,
  ...textTables,
  ...usageTables,
  ...ledgerTables,
  ...peopleTables,
  ...upkeepTables,
}

type Catalogue = typeof TABLES
type TableName = keyof Catalogue
type Rebuilt = { [Name in TableName]: Catalogue[Name] extends { role: 'projection' } ? Name : never }[TableName]
type RebuiltText = {
  [Name in Rebuilt]: Catalogue[Name] extends { fullText: infer Index extends string } ? Index : never
}[Rebuilt]

type Views = typeof VIEWS
type ViewName = keyof Views
type RebuiltView = { [Name in ViewName]: Views[Name] extends { group: string } ? Name : never }[ViewName]
type RebuiltViewText = {
  [Name in ViewName]: Views[Name] extends { fullText: infer Index extends string } ? Index : never
}[ViewName]

/** Tables, views and full-text indexes that a rebuild replaces. */
export type RebuiltName = Rebuilt | RebuiltText | RebuiltView | RebuiltViewText

/** The names that statements use for the tables that a rebuild replaces. */
export type TableNames = Readonly<Record<RebuiltName, string>>

export interface NamedTable extends Table {
  readonly name: string
}

const ALL: readonly NamedTable[] = Object.entries<Table>(TABLES).map(([name, table]) => ({ name, ...table }))

export const tablesWithRole = (...roles: readonly Table['role'][]): readonly NamedTable[] =>
  ALL.filter(({ role }) => roles.includes(role))

/** Projections' tables of sums over all sessions. */
export const SUM_TABLES: readonly (NamedTable & Required<Pick<Table, 'sums'>>)[] = ALL.flatMap((table) =>
  table.sums === undefined ? [] : [{ ...table, sums: table.sums }],
)

const ALL_VIEWS = Object.entries<View>(VIEWS).map(([name, view]) => ({ name, ...view }))

/** Every full-text index, with the table or view whose text it contains. */
export const FULL_TEXT: ReadonlyMap<string, string> = new Map(
  [...ALL, ...ALL_VIEWS].flatMap(({ name, fullText }) => (fullText === undefined ? [] : [[fullText, name] as const])),
)

/** The tables, views and full-text indexes of a projection. */
export function namesOfGroup(group: string): readonly string[] {
  const members = [...ALL, ...ALL_VIEWS].filter((member) => member.group === group)
  return [...members.map(({ name }) => name), ...members.flatMap(({ fullText }) => fullText ?? [])]
}

/** Returns the SQL that creates the tables of a projection, with their indexes. */
export function createGroup(group: string, t: TableNames, own: Rename): readonly string[] {
  const nameOf = (name: string) => (t as Readonly<Record<string, string>>)[name] ?? name
  return ALL.filter((table) => table.group === group).flatMap(({ name, ...table }) => [
    createTable(name, table, nameOf),
    ...createIndexes(name, table, nameOf, own),
  ])
}

/** Maps tables to their normal names, or to other names for some of them. */
export function tableNames(renamed: ReadonlyMap<string, string> = new Map()): TableNames {
  const names = tablesWithRole('projection').flatMap(({ group = '' }) => namesOfGroup(group))
  return Object.fromEntries(names.map((name) => [name, renamed.get(name) ?? name])) as TableNames
}
