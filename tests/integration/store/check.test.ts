import { closeSync, openSync, writeSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { PreviewDraft } from '../../../src/main/store/preview/previewed-file.ts'
import type { WritableDb } from '../../../src/main/store/database/connection.ts'
import { checkStore, type CheckedStore } from '../../../src/main/store/read/check.ts'
import { quickCheck } from '../../../src/main/store/read/quick-check.ts'
import { openTestStore } from '../../support/store/folder.ts'
import { promptFact, seeded, sessionFacts } from '../../support/store/history.ts'
import { withWriter } from '../../support/store/projection-rows.ts'
import { reading } from '../../support/store/reading.ts'

/** Findings of a check after an unclean stop: damage moves the database away, an index is rebuilt. */
const WHOLE: CheckedStore = { damage: [], full_text: [] }

const history = (session: string) => sessionFacts(session, 40, seeded(1)).flatMap((fact) => fact.reports)

test('a rebuild that ends at any moment leaves a database that is whole', () => {
  const { store, dbPath } = openTestStore()
  store.ingest.append(history('one'))
  let steps = 0
  for (const _ of store.maintenance.rebuild(undefined, 0)) {
    steps += 1
    expect(reading(dbPath, checkStore), `after step ${steps}`).toEqual(WHOLE)
  }
  expect(steps).toBeGreaterThan(20)
})

test('a row that is missing from an index damages only that index', () => {
  const { store, dbPath } = openTestStore()
  store.ingest.append(history('one'))
  store.close()
  withWriter(dbPath, (db) => {
    db.unsafeMode(true)
    db.exec('DELETE FROM prompts_fts_data WHERE id > 10')
  })
  expect(reading(dbPath, checkStore)).toEqual({ damage: [], full_text: ['prompts_fts'] })
})

test('a payload that is torn within its text, where no index looks, is damage', () => {
  const { store, dbPath } = openTestStore()
  store.ingest.append(history('one'))
  store.close()
  withWriter(dbPath, (db) => {
    db.exec("INSERT OR REPLACE INTO metadata (key, value) VALUES ('log_open', '1')")
    db.exec("UPDATE events SET payload = replace(payload, '\"}', char(0) || '\"}') WHERE kind = 'user_prompt'")
  })
  expect(reading(dbPath, checkStore).damage).toEqual([expect.stringMatching(/^\d+ stored events cannot be read$/)])
  expect(quickCheck(dbPath).fault).toBe('a stored event cannot be read')
})

test('a row that reads well and is not the one of its index is damage', () => {
  const { store, dbPath } = openTestStore()
  store.ingest.append(history('one'))
  store.close()
  const unsafely = (work: (db: WritableDb) => void) =>
    withWriter(dbPath, (db) => {
      db.unsafeMode(true)
      db.pragma('writable_schema = ON')
      work(db)
    })
  const index = "FROM sqlite_schema WHERE name = 'user_prompts_by_time'"
  let row: unknown
  unsafely((db) => {
    row = db.prepare(`SELECT * ${index}`).get()
    db.exec(`DELETE ${index}`)
  })
  unsafely((db) => db.exec("UPDATE user_prompts SET timestamp = '' WHERE id = (SELECT min(id) FROM user_prompts)"))
  unsafely((db) => db.prepare('INSERT INTO sqlite_schema VALUES (@type, @name, @tbl_name, @rootpage, @sql)').run(row))
  expect(reading(dbPath, checkStore).damage).toEqual([expect.stringMatching(/missing from index user_prompts_by_time/)])
  expect(quickCheck(dbPath).fault).toMatch(/missing from index user_prompts_by_time/)
})

test('a damaged list of free pages is damage', () => {
  const { store, dbPath } = openTestStore()
  store.ingest.append(history('one'))
  store.close()
  withWriter(dbPath, (db) => db.exec('CREATE TABLE gone AS SELECT * FROM events; DROP TABLE gone'))
  expect(reading(dbPath, checkStore)).toEqual(WHOLE)
  const file = openSync(dbPath, 'r+')
  // The number of free pages.
  writeSync(file, Buffer.from([0, 0, 0, 1]), 0, 4, 36)
  closeSync(file)
  expect(reading(dbPath, checkStore).damage).toEqual([expect.stringMatching(/Freelist: size is \d+ but should be 1/)])
  expect(quickCheck(dbPath).fault).toMatch(/Freelist/)
})

test('what an earlier version left of a rebuild is not damage', () => {
  const { store, dbPath } = openTestStore()
  store.ingest.append(history('one'))
  const cut = store.maintenance.rebuild(undefined, 0)
  for (let done = 0; done === 0;) done = cut.next().value.events_done
  store.close()
  withWriter(dbPath, (db) => {
    db.unsafeMode(true)
    db.exec('DELETE FROM rebuild_recall_fts_data')
  })
  expect(reading(dbPath, checkStore)).toEqual(WHOLE)
})

test('previews and pending deletions do not count as damage of an index', () => {
  const { store, dbPath } = openTestStore()
  store.ingest.append([
    ...promptFact('one', 'p-1', 'first', 0).reports,
    ...promptFact('two', 'p-2', 'second', 0).reports,
  ])
  const drafts: PreviewDraft[] = [
    {
      kind: 'compaction',
      source: 'transcript',
      session_id: 'shown',
      agent_id: null,
      ts_wall: '2026-11-20T10:00:00.000Z',
      ts_monotonic: null,
      parents: [],
      keys: ['compaction:shown'],
      payload: { trigger: null, tokens_before: 7, tokens_after: 3, summary: null } as never,
    },
  ]
  store.ingest.preview({ files: [{ path: '/a.jsonl', size: 1, mtime_ms: 1, isWhole: true, drafts, sessions: [] }] })
  store.pendingDeletions.request('d', ['one'], '2026-11-22T10:00:10.000Z')
  reading(dbPath, (reader) => {
    const rows = (of: string) => reader.get<{ n: number }>(`SELECT count(*) AS n FROM ${of}`)?.n
    expect([rows('compactions'), rows('user_prompts')]).toEqual([1, 2])
    expect(checkStore(reader)).toEqual(WHOLE)
  })
})
