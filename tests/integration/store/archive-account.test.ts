import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import type { AnyDraft } from '../../../src/main/decode/draft.ts'
import { restoreRequest } from '../../../src/main/requests/restore-request.ts'
import { storedRequestOf } from '../../../src/main/store/read/requests.ts'
import type { Store } from '../../../src/main/store/store.ts'
import { unpackFrames } from '../../support/store/byte-scan.ts'
import { openTestStore, readStore } from '../../support/store/folder.ts'
import { promptFact, resultFact, timeAt } from '../../support/store/history.ts'
import { reading } from '../../support/store/reading.ts'
import { requestDrafts, uuidOf } from '../../support/store/requests.ts'

const DAY = 86_400_000
const START = Date.parse(timeAt(0))
const MOVE = { retention_days: 90, archive_days: 365, delete_days: 0 }
/** Milliseconds from the start of the histories to a moment. */
const since = (iso: string): number => Date.parse(iso) - START

function archive(store: Store): void {
  for (const _ of store.maintenance.archive(MOVE));
}

const rows = (db: Database.Database, sql: string, ...values: unknown[]): unknown[][] =>
  db
    .prepare(sql)
    .raw()
    .all(...values) as unknown[][]

/** Asserts that the tables describe the content of each file, and returns the months with the ids in their files. */
function account(folder: string, dbPath: string): readonly (readonly [string, readonly number[]])[] {
  const files = existsSync(join(folder, 'archive')) ? readdirSync(join(folder, 'archive')) : []
  return readStore(dbPath, (db) => {
    const existing = rows(db, 'SELECT id, month, path, bytes FROM archives WHERE removed_at IS NULL ORDER BY month, id')
    expect(files.toSorted()).toEqual(existing.map(([, , path]) => path).toSorted())
    const known = 'SELECT id FROM archives WHERE removed_at IS NULL'
    for (const table of ['archive_frames', 'archived_contents'])
      expect(rows(db, `SELECT * FROM ${table} WHERE archive NOT IN (${known})`), table).toEqual([])
    return existing.map(([id, month, path, bytes]) => {
      const file = join(folder, 'archive', String(path))
      expect(statSync(file).size).toBe(bytes)
      const frames = rows(db, 'SELECT start, bytes FROM archive_frames WHERE archive = ? ORDER BY frame', id)
      expect(frames.reduce((end, [start, length]) => (start === end ? end + Number(length) : NaN), 0)).toBe(bytes)
      const lines = unpackFrames(readFileSync(file)).toString().trimEnd().split('\n')
      const held = lines.map((line) => JSON.parse(line) as { [name: string]: never })
      const hashes = held.flatMap(({ contents }) => (contents === undefined ? [] : Object.keys(contents)))
      const stored = rows(db, 'SELECT lower(hex(hash)) FROM archived_contents WHERE archive = ? ORDER BY 1', id)
      expect(hashes.toSorted()).toEqual(stored.flat())
      const ids = held.flatMap((line) => (line['id'] === undefined ? [] : [Number(line['id'])]))
      const events = rows(db, 'SELECT id FROM archived_events WHERE archive = ? ORDER BY id', id)
      expect(ids.toSorted((a, b) => a - b)).toEqual(events.flat())
      return [String(month), ids] as const
    })
  })
}

/** The body of a session's last request, as it was sent; null if parts of it are gone. */
const bodyOf = (dbPath: string, session: string) =>
  reading(dbPath, (reader) => {
    const source = { storedRequest: (id: string) => storedRequestOf(reader, id), getContent: reader.content }
    return restoreRequest(source, uuidOf(session, 2))
  })

const monthsOf = (folder: string, dbPath: string) =>
  account(folder, dbPath).map(([month, { length }]) => [month, length])

test('an event is archived by its own month, up to the last millisecond of the year; the cut-off itself stays', () => {
  const { store, folder, dbPath } = openTestStore({ now: () => START + 120 * DAY })
  const times = [
    since('2025-12-31T23:59:59.999Z'),
    since('2026-01-01T00:00:00.000Z'),
    since('2026-01-31T23:59:59.999Z'),
    since('2026-02-01T00:00:00.000Z'),
    30 * DAY - 1,
    30 * DAY,
  ]
  for (const [at, ms] of times.entries())
    store.ingest.append(resultFact('s', `c${at}`, `output ${at}`, ms).reports.slice(0, 1))
  archive(store)
  expect(monthsOf(folder, dbPath)).toEqual([
    ['2025-12', 1],
    ['2026-01', 2],
    ['2026-02', 1],
    ['2026-12', 1],
  ])
  const left = readStore(dbPath, (db) =>
    rows(db, 'SELECT id FROM events WHERE id NOT IN (SELECT id FROM archived_events)'),
  )
  expect(left).toEqual([[6]])
})

test('bodies that requests share are in each file once, and outlive deletion and expiry of the others', () => {
  let now = START + 120 * DAY
  const { store, folder, dbPath } = openTestStore({ now: () => now })
  const record = (session: string, at: string) =>
    store.ingest.append(requestDrafts(store, session, 3, since(at), 'the same words'))
  const contents = () => readStore(dbPath, (db) => rows(db, 'SELECT hex(hash) FROM contents'))
  const october = '2026-10-05T00:00:00.000Z'
  record('first', october)
  const body = bodyOf(dbPath, 'first')
  expect(JSON.stringify(body)).toContain('what of the same words 2')
  archive(store)
  expect(monthsOf(folder, dbPath)).toEqual([['2026-10', 6]])
  // The log lets go of every body.
  expect(contents()).toEqual([])

  now += 200 * DAY
  record('second', '2026-11-05T00:00:00.000Z')
  archive(store)
  record('third', '2026-11-05T00:00:00.000Z')
  const third = bodyOf(dbPath, 'third')
  archive(store)
  expect(monthsOf(folder, dbPath)).toEqual([
    ['2026-10', 6],
    ['2026-11', 12],
  ])
  expect([bodyOf(dbPath, 'first'), bodyOf(dbPath, 'third')]).toEqual([body, third])

  store.removal.deleteSession('second')
  for (const _ of store.maintenance.scrub() ?? []);
  expect(monthsOf(folder, dbPath)).toEqual([
    ['2026-10', 6],
    ['2026-11', 6],
  ])
  expect(bodyOf(dbPath, 'third')).toEqual(third)

  // The first archive expires; what is found later of its month goes to another one, whole.
  now = START + (120 + 366) * DAY
  archive(store)
  expect(monthsOf(folder, dbPath)).toEqual([['2026-11', 6]])
  expect(bodyOf(dbPath, 'third')).toEqual(third)
  record('fourth', october)
  const fourth = bodyOf(dbPath, 'fourth')
  archive(store)
  expect(monthsOf(folder, dbPath)).toEqual([
    ['2026-10', 6],
    ['2026-11', 6],
  ])
  expect(bodyOf(dbPath, 'fourth')).toEqual(fourth)

  for (const session of ['third', 'fourth']) store.removal.deleteSession(session)
  for (const _ of store.maintenance.scrub() ?? []);
  expect(monthsOf(folder, dbPath)).toEqual([])
  expect(contents()).toEqual([])
})

test('a deleted session leaves no frame, nor its words in the frames of an event that stays', () => {
  const { store, folder, dbPath } = openTestStore({ now: () => START + 120 * DAY })
  const long = (word: string) => `${word} `.repeat(300)
  const told = (session: string, call: string, word: string) =>
    resultFact(session, call, long(word), session === 'kept' ? 0 : 1000).reports as AnyDraft[]
  store.ingest.append([...told('kept', 'c1', 'kakapo'), ...told('fork', 'c1', 'takahe'), ...told('own', 'c2', 'weka')])
  archive(store)
  expect(readStore(dbPath, (db) => rows(db, 'SELECT hex(hash) FROM contents'))).toEqual([])
  const words = () => {
    const files = readdirSync(join(folder, 'archive')).map((name) => readFileSync(join(folder, 'archive', name)))
    const text = files.map((bytes) => unpackFrames(bytes).toString()).join('')
    return ['kakapo', 'takahe', 'weka'].filter((word) => text.includes(word))
  }
  expect(words()).toEqual(['kakapo', 'takahe', 'weka'])
  store.removal.deleteSession('fork')
  for (const _ of store.maintenance.scrub() ?? []);
  expect(words()).toEqual(['kakapo', 'weka'])
  store.removal.deleteSession('own')
  for (const _ of store.maintenance.scrub() ?? []);
  expect(words()).toEqual(['kakapo'])
  expect(monthsOf(folder, dbPath)).toEqual([['2026-11', 1]])
  const sightings = readStore(dbPath, (db) => rows(db, 'SELECT DISTINCT session_id FROM sightings'))
  expect(sightings).toEqual([['kept']])
})

test('sessions are silent since a moment unless they spoke at it or are pinned, longest silent first', () => {
  const { store } = openTestStore({ now: () => START })
  for (const [at, session] of ['late', 'pinned', 'early', 'at'].entries())
    store.ingest.append(
      promptFact(session, `p-${session}`, 'hello', [2000, 1000, 500, 3000][at] ?? 0).reports.slice(1, 2),
    )
  store.people.run('sessions.label', { session_id: 'pinned', pinned: true })
  store.people.run('sessions.label', { session_id: 'late', starred: true })
  expect(store.maintenance.silentSessions(timeAt(3000), 10)).toEqual(['early', 'late'])
  expect(store.maintenance.silentSessions(timeAt(3001), 2)).toEqual(['early', 'late'])
  expect(store.maintenance.silentSessions(timeAt(3001), 10)).toEqual(['early', 'late', 'at'])
})
