import { execFileSync } from 'node:child_process'
import { chmodSync, copyFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import Database from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { openReader, openWriter } from '../../../src/main/store/database/connection.ts'
import { PROJECTION_RULES } from '../../../src/main/store/rebuild/due-rebuild.ts'
import { latestVersion, migrate } from '../../../src/main/store/database/migrate.ts'
import { openStore } from '../../../src/main/store/open-store.ts'
import { openKnownTranscripts } from '../../../src/main/store/read/transcript-files.ts'
import { HASH_KEY, LIMITS, openTestStore, temporaryFolder } from '../../support/store/folder.ts'
import { promptFact, seeded, sessionFacts } from '../../support/store/history.ts'

const MIGRATIONS = fileURLToPath(new URL('../../../src/main/store/database/migrations', import.meta.url))

const prompt = (id: string) => promptFact('s', id, `prompt ${id}`, Number(id.slice(1)) * 60_000).reports
const coded = (code: string, message: RegExp) =>
  expect.objectContaining({ code, message: expect.stringMatching(message) })
const thrownBy = (work: () => unknown): unknown => {
  try {
    work()
  } catch (error) {
    return error
  }
  return 'nothing was thrown'
}

describe('opening', () => {
  test('only the owner can read folder and files, and the file can release pages', () => {
    const folder = join(temporaryFolder(), 'data')
    const { store, dbPath } = openTestStore({ dataDir: folder, appVersion: '1.2.3' })
    store.ingest.append(prompt('p1'))
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777, name).toBe(0o600)
    expect(readdirSync(folder)).toContain('lifestats.db-wal')
    const db = openReader(dbPath)
    expect(db.pragma('auto_vacuum', { simple: true })).toBe(2)
    expect(db.pragma('journal_mode', { simple: true })).toBe('wal')
    expect(db.prepare('SELECT key, value FROM metadata ORDER BY key').all()).toEqual([
      { key: 'app_version', value: '1.2.3' },
      { key: 'created_at', value: expect.stringMatching(/^\d{4}-.*Z$/) },
      { key: 'projection_rules', value: String(PROJECTION_RULES) },
      { key: 'schema_version', value: String(latestVersion()) },
    ])
    db.close()
  })

  test('an import that starts while the file is being created finds nothing yet', () => {
    const path = join(temporaryFolder(), 'lifestats.db')
    writeFileSync(path, '')
    const known = openKnownTranscripts(path)
    expect(known.all().size).toBe(0)
    known.close()
  })

  test('a second writer is refused until the first one closes', () => {
    const { store, folder } = openTestStore()
    const options = { dataDir: folder, hashKey: HASH_KEY, limits: LIMITS }
    expect(thrownBy(() => openStore(options))).toEqual(coded('already_running', /another Aspy is writing/))
    store.ingest.append(prompt('p1'))
    store.close()
    openStore(options).close()
  })

  test('a writer in another process holds the lock, and its end by SIGKILL frees it', async () => {
    const { store, folder } = openTestStore()
    const script = `
      import { openStore } from ${JSON.stringify(new URL('../../../src/main/store/open-store.ts', import.meta.url).href)}
      try { openStore({ dataDir: ${JSON.stringify(folder)}, hashKey: Buffer.alloc(32), limits: ${JSON.stringify(LIMITS)} })
        process.stdout.write('opened'); process.kill(process.pid, 'SIGKILL')
      } catch (error) { process.stdout.write(error.code) }`
    const attempt = (): string => {
      try {
        return execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' })
      } catch (error) {
        return (error as { stdout: string }).stdout
      }
    }
    expect(attempt()).toBe('already_running')
    store.close()
    expect(attempt()).toBe('opened')
    openStore({ dataDir: folder, hashKey: HASH_KEY, limits: LIMITS }).close()
  })

  test('a database of a newer app is refused by writer and reader and left unchanged', () => {
    const { store, dbPath, folder } = openTestStore()
    store.close()
    const raw = new Database(dbPath)
    raw.exec("PRAGMA user_version = 999; UPDATE metadata SET value = '999' WHERE key = 'schema_version'")
    raw.close()
    const expected = coded('newer_database', /newer Aspy \(version 999.*update Aspy/)
    expect(thrownBy(() => openStore({ dataDir: folder, hashKey: HASH_KEY, limits: LIMITS }))).toEqual(expected)
    expect(thrownBy(() => openReader(dbPath))).toEqual(expected)
  })

  test('a copy is kept before an existing database is migrated, and a failed migration changes nothing', () => {
    const { store, dbPath } = openTestStore()
    store.ingest.append(prompt('p1'))
    store.close()
    const folder = temporaryFolder()
    for (const name of readdirSync(MIGRATIONS)) copyFileSync(join(MIGRATIONS, name), join(folder, name))
    const next = latestVersion() + 1
    const copy = `${dbPath}.before-${next}`
    const file = join(folder, `${String(next).padStart(3, '0')}.sql`)
    const db = new Database(dbPath)
    writeFileSync(file, 'CREATE TABLE stars (uuid TEXT); INSERT INTO metadata SELECT * FROM metadata;')
    expect(() => migrate(db, dbPath, { folder })).toThrow(/UNIQUE constraint failed/)
    expect(db.prepare("SELECT count(*) FROM sqlite_schema WHERE name = 'stars'").pluck().get()).toBe(0)
    writeFileSync(file, 'CREATE TABLE stars (uuid TEXT) STRICT;')
    migrate(db, dbPath, { folder })
    expect(db.pragma('user_version', { simple: true })).toBe(next)
    db.close()
    expect(statSync(copy).mode & 0o777).toBe(0o600)
    const kept = new Database(copy, { readonly: true })
    expect(kept.pragma('user_version', { simple: true })).toBe(next - 1)
    expect(kept.prepare('SELECT content FROM user_prompts').pluck().all()).toEqual(['prompt p1'])
    kept.close()
  })

  test('an update that was interrupted after a step keeps the copy of the database as it was before', () => {
    const { store, dbPath } = openTestStore()
    store.ingest.append(prompt('p1'))
    store.close()
    const folder = temporaryFolder()
    for (const name of readdirSync(MIGRATIONS)) copyFileSync(join(MIGRATIONS, name), join(folder, name))
    const next = latestVersion() + 1
    const [first = '', second = ''] = [next, next + 1].map((number) => join(folder, `${number}`.padStart(3, '0')))
    const db = new Database(dbPath)
    const inCopy = () => {
      const kept = new Database(`${dbPath}.before-${next + 1}`, { readonly: true })
      const prompts = kept.prepare('SELECT content FROM user_prompts ORDER BY id').pluck().all()
      const version = kept.pragma('user_version', { simple: true })
      kept.close()
      return [version, prompts]
    }
    writeFileSync(`${second}.sql`, 'INSERT INTO metadata SELECT * FROM metadata;')
    // No step is done: the older app may go on, so the next update makes another copy.
    writeFileSync(`${first}.sql`, 'INSERT INTO metadata SELECT * FROM metadata;')
    expect(() => migrate(db, dbPath, { folder })).toThrow(/UNIQUE constraint failed/)
    db.exec("UPDATE user_prompts SET content = 'changed'")
    writeFileSync(`${first}.sql`, 'CREATE TABLE stars (uuid TEXT) STRICT;')
    expect(() => migrate(db, dbPath, { folder })).toThrow(/UNIQUE constraint failed/)
    expect([db.pragma('user_version', { simple: true }), inCopy()]).toEqual([next, [next - 1, ['changed']]])
    writeFileSync(`${second}.sql`, 'CREATE TABLE moons (uuid TEXT) STRICT;')
    migrate(db, dbPath, { folder })
    expect([db.pragma('user_version', { simple: true }), inCopy()]).toEqual([next + 1, [next - 1, ['changed']]])
    expect(db.prepare("SELECT value FROM metadata WHERE key = 'updating_to'").all()).toEqual([])
    db.close()
  })

  test.each([
    [
      'a file in place of the folder',
      (folder: string) => {
        writeFileSync(join(folder, 'taken'), '')
        return join(folder, 'taken', 'data')
      },
    ],
    [
      'a file that is not a database',
      (folder: string) => {
        writeFileSync(
          join(folder, 'lifestats.db'),
          'this is not a database, but it is long enough to check'.repeat(100),
        )
        return folder
      },
    ],
  ])('%s: store_unavailable', (_, prepare) => {
    const dataDir = prepare(temporaryFolder())
    const error = thrownBy(() => openStore({ dataDir, hashKey: HASH_KEY, limits: LIMITS }))
    expect(error).toEqual(coded('store_unavailable', /database cannot be used/))
  })

  test('a folder that cannot be written is reported', () => {
    // Root can write anywhere except where the system itself refuses.
    const folder = process.getuid?.() === 0 ? '/proc/aspy' : temporaryFolder()
    if (folder !== '/proc/aspy') chmodSync(folder, 0o500)
    const error = thrownBy(() => openStore({ dataDir: folder, hashKey: HASH_KEY, limits: LIMITS }))
    expect(error).toEqual(coded('store_unavailable', /database cannot be used/))
  })

  test('a reader cannot write', () => {
    const { dbPath } = openTestStore()
    const db = openReader(dbPath)
    expect(() => db.exec("INSERT INTO metadata VALUES ('a', 'b')")).toThrow(/readonly|query_only/)
    db.close()
    expect(thrownBy(() => openReader(join(temporaryFolder(), 'none.db')))).toEqual(
      coded('store_unavailable', /nothing is recorded yet/),
    )
  })
})

describe('when the database cannot be written', () => {
  test('a lock of another process causes store_unavailable; the same drafts are stored afterwards', () => {
    const { store, dbPath } = openTestStore({ busyTimeoutMs: 50 })
    store.ingest.append(prompt('p1'))
    const other = new Database(dbPath)
    other.exec('BEGIN IMMEDIATE')
    expect(thrownBy(() => store.ingest.append(prompt('p2')))).toEqual(coded('store_unavailable', /SQLITE_BUSY/))
    other.exec('ROLLBACK')
    const result = store.ingest.append(prompt('p2'))
    expect(result.added.map(({ event: { id, turn_id, seq } }) => ({ id, turn_id, seq }))).toEqual([
      { id: 2, turn_id: 2, seq: 0 },
      // The end of the turn before it.
      { id: 3, turn_id: 1, seq: 1 },
    ])
    other.close()
  })

  test('a full file stores none of the batch, and all of it once there is space', () => {
    const folder = temporaryFolder()
    const drafts = sessionFacts('s', 30, seeded(2)).flatMap((fact) => fact.reports)
    const writer = openWriter(join(folder, 'lifestats.db'))
    const pages = Number(writer.db.pragma('page_count', { simple: true }))
    writer.close()
    const { store, dbPath } = openTestStore({ dataDir: folder, maxPages: pages + 20 })
    expect(thrownBy(() => store.ingest.append(drafts))).toEqual(coded('store_unavailable', /SQLITE_FULL/))
    store.close()
    const again = openTestStore({ dataDir: folder }).store
    const { added, joined } = again.ingest.append(drafts)
    const whole = openTestStore().store.ingest.append(drafts)
    expect([added.length, joined]).toEqual([whole.added.length, whole.joined])
    expect(added[0]?.event).toMatchObject({ id: 1, turn_id: 1, seq: 0 })
    const db = openReader(dbPath)
    expect(db.prepare('SELECT count(*) FROM events').pluck().get()).toBe(added.length)
    db.close()
  })
})
