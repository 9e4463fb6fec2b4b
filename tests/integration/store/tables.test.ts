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

/** Returns the tables whose description has a field, with its value. */
const describedBy = <T>(field: (table: Table) => T | null | undefined): readonly (readonly [string, T])[] =>
  tables.flatMap(([name, table]) => {
    const value = field(table)
    return value === null || value === undefined ? [] : [[name, value] as const]
  })

test.each(describedBy(({ owner }) => owner))('%s has its owner %s among its columns', (name, owner) => {
  expect(columnsOf(name).map((column) => column.name)).toContain(owner)
})

test.each(describedBy(({ eventId }) => eventId))('%s has one row per event, by %s', (name, eventId) => {
  expect(keysOf(name)).toEqual([eventId])
})

test.each(describedBy(({ sums }) => sums))('%s has the sums of the schema', (name, sums) => {
  expect(sums.keys).toEqual(keysOf(name))
  const summed = columnsOf(name).filter(({ pk }) => pk === 0)
  expect(sums.counts).toEqual(summed.filter(({ type }) => type === 'INTEGER').map((column) => column.name))
  expect(sums.totals).toEqual(summed.filter(({ type }) => type === 'REAL').map((column) => column.name))
})

const redacted = tables.filter(([, { role }]) => role !== 'log' && role !== 'upkeep')

test.each(redacted)('%s lists its columns of text', (name, { text }) => {
  const texts = columnsOf(name).filter((column) => isText(name, column))
  expect([...text].toSorted()).toEqual(texts.map((column) => column.name).toSorted())
})

const rewritten = redacted.filter(([, { text, sums }]) => text.length > 0 && sums === undefined)

test.each(rewritten)('%s lists its primary key if it has no rowid', (name, { keys }) => {
  expect(keys ?? null).toEqual(isWithoutRowid(name) ? keysOf(name) : null)
})

test('each field of a description occurs', () => {
  const { length: owners } = describedBy(({ owner }) => owner)
  const { length: eventIds } = describedBy(({ eventId }) => eventId)
  const { length: sums } = describedBy(({ sums }) => sums)
  expect([owners, eventIds, sums, redacted.length, rewritten.length]).not.toContain(0)
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
