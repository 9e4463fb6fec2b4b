import Database from 'better-sqlite3'
import { afterAll, expect, test } from 'vitest'
import { migrate } from '../../../src/main/store/database/migrate.ts'
import { PROJECTIONS } from '../../../src/main/store/projections/all.ts'
import type { Table } from '../../../src/main/store/table.ts'
import { FULL_TEXT, namesOfGroup, tableNames, TABLES, VIEWS } from '../../../src/main/store/tables.ts'

const db = new Database(':memory:')
migrate(db, ':memory:')
afterAll(() => db.close())

interface Column {
  readonly name: string
  readonly type: string
  readonly pk: number
}

const named = (type: string): string[] =>
  db
    .prepare<[string], string>(
      "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = ? AND name NOT GLOB 'sqlite_*' ORDER BY name",
    )
    .pluck()
    .all(type)
const columnsOf = (table: string) => db.pragma(`table_info(${table})`) as Column[]
const keysOf = (table: string) =>
  columnsOf(table)
    .filter(({ pk }) => pk > 0)
    .toSorted((a, b) => a.pk - b.pk)
    .map(({ name }) => name)
const isWithoutRowid = (table: string) =>
  db
    .prepare<[string], number>("SELECT wr FROM pragma_table_list WHERE schema = 'main' AND name = ?")
    .pluck()
    .get(table) === 1

const tables = Object.entries<Table>(TABLES)
/** Names, times and values from a fixed set: nothing that a person or a tool wrote. */
const NO_TEXT =
  /^(?:id|key|uuid|hash|path|kind|identity|month|since|quarter|day|timestamp|basis|price_basis|time_basis|closed_by|match_type|missing_parent|reason|.*_(?:id|uuid|hash|at))$/
const isText = (table: string, { name, type }: Column) =>
  type === 'TEXT' && !NO_TEXT.test(name) && !(table === 'sessions' && name === 'source')

test('every table, view and full-text index of the schema is in the catalogue, and vice versa', () => {
  expect(Object.keys(TABLES).toSorted()).toEqual(named('table'))
  expect(Object.keys(VIEWS).toSorted()).toEqual(named('view'))
  expect([...FULL_TEXT.keys()].toSorted()).toEqual(named('virtual'))
})

test.each(tables)('%s is described as in the schema', (name, { owner, eventId, text, keys, sums, role }) => {
  const columns = columnsOf(name)
  const names = columns.map((column) => column.name)
  if (owner !== null) expect(names).toContain(owner)
  if (eventId !== undefined) expect(keysOf(name)).toEqual([eventId])
  if (sums !== undefined) {
    expect(sums.keys).toEqual(keysOf(name))
    const summed = columns.filter(({ pk }) => pk === 0)
    expect(sums.counts).toEqual(summed.filter(({ type }) => type === 'INTEGER').map((column) => column.name))
    expect(sums.totals).toEqual(summed.filter(({ type }) => type === 'REAL').map((column) => column.name))
  }
  if (role === 'log' || role === 'upkeep') return
  const texts = columns.filter((column) => isText(name, column)).map((column) => column.name)
  expect([...text].toSorted()).toEqual(texts.toSorted())
  if (text.length > 0 && sums === undefined) expect(keys ?? null).toEqual(isWithoutRowid(name) ? keysOf(name) : null)
})

test('every projection defines the tables of its group exactly as the migrations leave them', () => {
  const unquoted = (sql: string) => sql.replace(/^(CREATE TABLE )"(\w+)"/, '$1$2')
  const stored = db
    .prepare<[string], string>('SELECT sql FROM sqlite_schema WHERE tbl_name = ? AND sql IS NOT NULL')
    .pluck()
  // Triggers that follow the payloads of events belong to the log's table.
  const following = db
    .prepare<[string], string>("SELECT sql FROM sqlite_schema WHERE type = 'trigger' AND name GLOB ?")
    .pluck()
  for (const projection of PROJECTIONS) {
    const defined = projection.define(tableNames(), (name) => name)
    const expected = [
      ...namesOfGroup(projection.name).flatMap((name) => stored.all(name)),
      ...following.all(`events_${projection.name}_*`),
    ]
    expect(defined.toSorted(), projection.name).toEqual(expected.map(unquoted).toSorted())
  }
})

test('with other table names, a projection neither creates nor fills the current tables', () => {
  const names = Object.keys(tableNames())
  const renamed = tableNames(new Map(names.map((name) => [name, `other_${name}`])))
  const empty = new Database(':memory:')
  empty.exec('CREATE TABLE events (id INTEGER PRIMARY KEY, kind TEXT, payload TEXT)')
  for (const projection of PROJECTIONS)
    for (const sql of projection.define(renamed, (name) => `other_${name}`)) empty.exec(sql)
  const created = empty
    .prepare<[], string>("SELECT name FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT GLOB 'other_*'")
    .pluck()
    .all()
  expect(created).toEqual(['events'])
  empty.close()
})
