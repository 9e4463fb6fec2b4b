import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { openReader, openWriter } from '../../../src/main/store/database/connection.ts'
import {
  latestVersion,
  migrate,
  updateProgress,
  type MigrateOptions,
} from '../../../src/main/store/database/migrate.ts'
import { restoreBackup } from '../../../src/main/store/restore.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'
import { LIMITS, openTestStore } from '../../support/store/folder.ts'

/** A store with two migrations; `dir` holds only its database. Its tables are what all files in its folder make. */
function toyStore() {
  const folder = makeTempFolder()
  const dir = makeTempFolder()
  const path = join(dir.path, 'toys.db')
  const add = (version: number, sql: string) =>
    writeFileSync(join(folder.path, `${String(version).padStart(3, '0')}.sql`), sql)
  add(1, 'CREATE TABLE metadata (key TEXT PRIMARY KEY, value TEXT); CREATE TABLE toys (name TEXT) STRICT;')
  const create = (db: Database.Database) => {
    const files = readdirSync(folder.path).toSorted()
    for (const file of files) db.exec(readFileSync(join(folder.path, file), 'utf8'))
  }
  const tables = { types: new Map([['toys', 'table']]), create }
  const open = (options: MigrateOptions = {}) => {
    const db = new Database(path)
    try {
      migrate(db, path, { folder: folder.path, tables, ...options })
      return null
    } catch (error) {
      return error
    } finally {
      db.close()
    }
  }
  const read = <T>(work: (db: Database.Database) => T): T => {
    const db = new Database(path)
    try {
      return work(db)
    } finally {
      db.close()
    }
  }
  expect(open()).toBeNull()
  read((db) => db.exec("INSERT INTO toys VALUES ('bear')"))
  return {
    folder: folder.path,
    tables,
    path,
    add,
    open,
    read,
    files: () => readdirSync(dir.path),
    bytes: () => readFileSync(path),
    [Symbol.dispose]() {
      folder.remove()
      dir.remove()
    },
  }
}

/** Fails on the rows of a database, not on its tables. */
const FAILING = 'INSERT INTO metadata SELECT * FROM metadata;'

/** The second step: a column, filled from what is there. */
const SECOND = "ALTER TABLE toys ADD COLUMN color TEXT; UPDATE toys SET color = 'brown' WHERE name = 'bear';"

test('a second step changes the tables and keeps what they hold', () => {
  using toys = toyStore()
  toys.add(2, SECOND)
  expect(toys.open()).toBeNull()
  toys.read((db) => {
    expect(db.pragma('user_version', { simple: true })).toBe(2)
    expect(db.prepare('SELECT * FROM toys').all()).toEqual([{ name: 'bear', color: 'brown' }])
  })
  expect(toys.files()).toEqual(['toys.db', 'toys.db.before-2'])
})

test('a new database gets the tables of one that was updated, at once', () => {
  using updated = toyStore()
  updated.add(2, SECOND)
  expect(updated.open()).toBeNull()
  const db = new Database(':memory:')
  migrate(db, ':memory:', { folder: updated.folder, tables: updated.tables })
  const shape = (one: Database.Database) => one.prepare('SELECT name, sql FROM sqlite_schema ORDER BY name').all()
  expect(shape(db)).toEqual(updated.read(shape))
  expect(db.pragma('user_version', { simple: true })).toBe(2)
  db.close()
})

test('a database from before the first step is refused and left untouched', () => {
  using toys = toyStore()
  toys.add(3, 'CREATE TABLE games (name TEXT) STRICT;')
  rmSync(join(toys.folder, '001.sql'))
  const before = toys.bytes()
  expect(toys.open()).toMatchObject({
    code: 'older_database',
    message: expect.stringMatching(/older Aspy \(version 1 .* opens 2 and newer\)\. It was not changed/),
  })
  expect(toys.bytes()).toEqual(before)
  expect(toys.files()).toEqual(['toys.db'])
})

test('without space for its copy, a migration is refused and changes nothing', () => {
  using toys = toyStore()
  toys.add(2, SECOND)
  const before = toys.bytes()
  const needed = before.length + 64 * 1024 * 1024
  expect(toys.open({ freeBytes: () => needed - 3 * 1024 * 1024 })).toMatchObject({
    code: 'store_unavailable',
    message: expect.stringContaining('Free at least 3 MB on its disk and start Aspy again'),
  })
  expect(toys.bytes()).toEqual(before)
  expect(toys.files()).toEqual(['toys.db'])
  expect(toys.open({ freeBytes: () => needed })).toBeNull()
  expect(toys.files()).toContain('toys.db.before-2')
})

test.each([
  ['does not lead to the new tables', 'ALTER TABLE toys ADD COLUMN color TEXT;', 'but its toys is'],
  ['cannot be made', SECOND, 'but its schema (no such column: name) is'],
])('a database whose tables are not those of its version, so that a step %s, is left untouched', (_, step, message) => {
  using toys = toyStore()
  toys.add(2, step)
  toys.read((db) => db.exec('ALTER TABLE toys ADD COLUMN label TEXT; ALTER TABLE toys DROP COLUMN name'))
  const before = toys.bytes()
  expect(toys.open()).toMatchObject({ code: 'store_unavailable', message: expect.stringContaining(message) })
  expect(toys.bytes()).toEqual(before)
})

test('a failing step changes nothing, and says how far an interrupted update is', () => {
  using toys = toyStore()
  const progress = () => toys.read((db) => updateProgress(db, toys.path, toys.folder))
  toys.add(2, `${SECOND} ${FAILING}`)
  expect(toys.open()).toMatchObject({ message: expect.stringContaining('UNIQUE constraint failed') })
  toys.read((db) => expect(db.prepare('SELECT * FROM toys').all()).toEqual([{ name: 'bear' }]))
  expect(progress()).toMatch(/^100 % of the copy that is kept first/)
  toys.add(2, SECOND)
  toys.add(3, FAILING)
  expect(toys.open()).toMatchObject({ message: expect.stringContaining('UNIQUE constraint failed') })
  expect(progress()).toBe('step 2 of 3 is done')
  toys.add(3, 'CREATE TABLE games (name TEXT) STRICT;')
  expect(toys.open()).toBeNull()
  toys.read((db) => expect(db.prepare('SELECT * FROM games').all()).toEqual([]))
})

test('the update of an older database announces how long it may take', () => {
  using toys = toyStore()
  toys.add(2, SECOND)
  const announced: number[] = []
  const onAway = (ms: number) => void announced.push(ms)
  expect(toys.open({ onAway })).toBeNull()
  expect(announced).toEqual([expect.any(Number), 0])
  expect(announced[0]).toBeGreaterThan(5000)
  expect(toys.open({ onAway })).toBeNull()
  expect(announced).toHaveLength(2)
})

test.each([
  ['no version', 'PRAGMA user_version = 0', 'has tables of Aspy but no version'],
  ['a table that it does not have', 'DROP TABLE turns', `version ${latestVersion()}, but its turns is not that`],
])('a database that claims %s is refused and left untouched', (_, spoil, message) => {
  using folder = makeTempFolder()
  const path = join(folder.path, 'spoiled')
  const db = new Database(path)
  migrate(db, path)
  db.exec(spoil)
  db.close()
  const before = readFileSync(path)
  const again = new Database(path)
  expect(() => migrate(again, path)).toThrow(message)
  again.close()
  expect(readFileSync(path)).toEqual(before)
  expect(readdirSync(folder.path)).toEqual(['spoiled'])
})

test.each([1, 72])(
  'version %i, from before the baseline, is refused by all that open it, with the way over',
  (version) => {
    const { store, dbPath, folder } = openTestStore()
    store.close()
    const db = new Database(dbPath)
    db.exec(`DELETE FROM metadata; CREATE TABLE left_in_wal (a); PRAGMA user_version = ${version}`)
    const copies = ['', '-wal'].map((part) => [dbPath + part, readFileSync(dbPath + part)] as const)
    expect(copies[1]?.[1].length).toBeGreaterThan(0)
    const expected = expect.objectContaining({
      code: 'older_database',
      message: expect.stringMatching(
        /version \d+ of the database.*It was not changed.*commit [0-9a-f]{40} \(aspy export --all --out FILE\).*aspy import FILE.*not carried/,
      ),
    })
    const open = [
      () => openWriter(dbPath),
      () => openReader(dbPath),
      () => restoreBackup({ backup: dbPath, dataDir: folder, databasePath: join(folder, 'other.db'), limits: LIMITS }),
    ]
    for (const one of open) {
      let found: unknown = null
      try {
        one()
      } catch (error) {
        found = error
      }
      expect(found).toEqual(expected)
    }
    for (const [path, bytes] of copies) expect(readFileSync(path), path).toEqual(bytes)
    db.close()
  },
)
