import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { nextMigration, nextTeamMigration } from '../../../scripts/write-schema.ts'
import { latestVersion } from '../../../src/main/store/database/migrate.ts'
import { shapeOf } from '../../../src/main/store/database/schema-shape.ts'
import { checkTextIndexes, withWriter } from '../../support/store/projection-rows.ts'
import { openTestStore, readStore, temporaryFolder } from '../../support/store/folder.ts'

/** A store of two sessions, written when the baseline was frozen. */
const AT_BASELINE = join(import.meta.dirname, '../../fixtures/store-100.db.br')

test('the migrations lead to the declared tables (if not, run: npm run schema)', () => {
  expect(nextMigration()).toBe('')
  expect(nextTeamMigration()).toBe('')
})

test('a store written at the baseline is brought up to date, keeps its events, and is rebuilt by the present rules', () => {
  const dataDir = temporaryFolder()
  const path = join(dataDir, 'lifestats.db')
  writeFileSync(path, brotliDecompressSync(readFileSync(AT_BASELINE)))
  const eventsOf = () => readStore(path, (db) => db.prepare('SELECT uuid, kind, payload FROM events ORDER BY id').all())
  const before = eventsOf()
  expect(before).toHaveLength(367)

  const { store } = openTestStore({ dataDir })
  expect(readStore(path, (db) => db.pragma('user_version', { simple: true }))).toBe(latestVersion())
  expect(eventsOf()).toEqual(before)
  expect(store.maintenance.isRebuildDue()).toBe(true)
  for (const _ of store.maintenance.rebuild()) continue
  expect(store.maintenance.isRebuildDue()).toBe(false)
  store.close()

  const { dbPath: fresh } = openTestStore()
  expect(readStore(path, shapeOf)).toEqual(readStore(fresh, shapeOf))
  withWriter(path, checkTextIndexes)
  const again = openTestStore({ dataDir }).store
  expect(again.maintenance.isRebuildDue()).toBe(false)
})

test('a new store needs no rebuild, also once it has events', () => {
  const { store, folder } = openTestStore()
  expect(store.maintenance.isRebuildDue()).toBe(false)
  store.ingest.append([])
  store.close()
  expect(openTestStore({ dataDir: folder }).store.maintenance.isRebuildDue()).toBe(false)
})
