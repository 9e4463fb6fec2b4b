import { readFileSync } from 'node:fs'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { schemaText } from '../../../scripts/schema-text.ts'
import { migrate } from '../../../src/main/store/database/migrate.ts'

test('schema.sql is the schema that the migrations make', () => {
  const written = readFileSync(new URL('../../../src/main/store/database/schema.sql', import.meta.url), 'utf8')
  expect(written, 'run: npx node scripts/write-schema.ts').toBe(schemaText())
})

test('a database made from schema.sql is one that went through all migrations', () => {
  expect(contents({})).toEqual(contents({ isStepwise: true }))
})

/** Everything in a new database: definitions, rows of all tables (those of the full-text indexes too), version. */
function contents(options: { isStepwise?: boolean }): object {
  const db = new Database(':memory:')
  migrate(db, ':memory:', { now: () => 0, ...options })
  const listed = db.prepare<[], { name: string; type: string; sql: string | null }>(
    `SELECT name, type, replace(sql, '"' || name || '"', name) AS sql FROM sqlite_schema ORDER BY type, name`,
  )
  const tables = listed.all().filter(({ type }) => type === 'table')
  // SQLite notes the last key of a table that a migration rewrote, and FTS5 the averages of an index that one rebuilt:
  // both are 0 here, and a new database has no rows for them.
  const rows = tables
    .filter(({ name }) => name !== 'sqlite_sequence' && !name.endsWith('_fts_data'))
    .map(({ name }) => [name, db.prepare(`SELECT * FROM "${name}"`).raw().all()])
  return { version: db.pragma('user_version', { simple: true }), listed: listed.all(), rows }
}
