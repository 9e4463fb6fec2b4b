import type Database from 'better-sqlite3'
import { openWriter, type WritableDb } from '../../../src/main/store/database/connection.ts'
import { PROJECTIONS } from '../../../src/main/store/projections/all.ts'
import { FULL_TEXT, namesOfGroup } from '../../../src/main/store/tables.ts'

/** Which lines these sums leave out follows from when they changed; tests/integration/ledger/carry-weeks.test.ts compares them. */
const SETTLED_LATER: ReadonlySet<string> = new Set(['carry_weeks', 'carry_week_files', 'carry_active'])

/** The tables and views of all projections. */
export const PROJECTION_TABLES: readonly string[] = PROJECTIONS.flatMap(({ name }) => namesOfGroup(name)).filter(
  // Full text is compared by FTS5's own check; recall's index has no content to compare with.
  (name) => (name === 'recall_fts' || !FULL_TEXT.has(name)) && !SETTLED_LATER.has(name),
)

/** Returns every row of every projection, in an order that does not depend on how it was written. */
export function contentsOfProjections(db: Database.Database): Record<string, unknown[]> {
  const tables = PROJECTION_TABLES
  return Object.fromEntries(
    tables.map((table) => {
      const columns = db.pragma(`table_info(${table})`) as { name: string }[]
      return [table, db.prepare(`SELECT * FROM ${table} ORDER BY ${columns.map(({ name }) => name).join(', ')}`).all()]
    }),
  )
}

/** Runs FTS5's own check on each full-text index; throws if it differs from its table. */
export function checkTextIndexes(db: Database.Database): void {
  for (const table of ['prompts', 'thinking', 'responses', 'compactions', 'errors', 'tools'])
    db.exec(`INSERT INTO ${table}_fts (${table}_fts, rank) VALUES ('integrity-check', 1)`)
}

/** Opens a database for writing, as the store does, and closes it after `work`. */
export function withWriter<T>(dbPath: string, work: (db: WritableDb) => T): T {
  const writer = openWriter(dbPath)
  try {
    return work(writer.db)
  } finally {
    writer.close()
  }
}
