import Database from 'better-sqlite3'
import { afterAll, expect, test } from 'vitest'
import { migrate } from '../../../src/main/store/database/migrate.ts'
import { PROJECTIONS } from '../../../src/main/store/projections/all.ts'
import type { Table } from '../../../src/main/store/schema/define-table.ts'
import { VIEWS } from '../../../src/main/store/schema/views.ts'
import { createGroup, FULL_TEXT, tableNames, TABLES } from '../../../src/main/store/tables.ts'

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

const redacted = tables.filter(([, { role }]) => role !== 'log' && role !== 'upkeep')

test.each(redacted)('%s lists its columns of text', (name, { text }) => {
  const texts = columnsOf(name).filter((column) => isText(name, column))
  expect([...text].toSorted()).toEqual(texts.map((column) => column.name).toSorted())
})

test.each(tables)('%s has its primary key in the catalogue if it has no rowid', (name, { keys }) => {
  expect(keys ?? null).toEqual(isWithoutRowid(name) ? keysOf(name) : null)
})

test.each(describedBy(({ sums }) => sums))('%s adds up every column after its key', (name, sums) => {
  const summed = columnsOf(name).filter(({ pk }) => pk === 0)
  expect([...sums.counts, ...sums.totals].toSorted()).toEqual(summed.map((column) => column.name).toSorted())
  expect(sums.counts).not.toHaveLength(0)
})

test('each field of a description occurs', () => {
  const { length: owners } = describedBy(({ owner }) => owner)
  const { length: eventIds } = describedBy(({ eventId }) => eventId)
  const { length: sums } = describedBy(({ sums }) => sums)
  expect([owners, eventIds, sums, redacted.length]).not.toContain(0)
})

test('with other table names, a projection neither creates nor fills the current tables', () => {
  const names = Object.keys(tableNames())
  const renamed = tableNames(new Map(names.map((name) => [name, `other_${name}`])))
  const empty = new Database(':memory:')
  empty.exec('CREATE TABLE events (id INTEGER PRIMARY KEY, kind TEXT, payload TEXT)')
  const own = (name: string) => `other_${name}`
  for (const { name, define } of PROJECTIONS)
    for (const sql of [...createGroup(name, renamed, own), ...(define?.(renamed, own) ?? [])]) empty.exec(sql)
  const created = empty
    .prepare<[], string>("SELECT name FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT GLOB 'other_*'")
    .pluck()
    .all()
  expect(created).toEqual(['events'])
  empty.close()
})
