import { cpSync, existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { openWriter, type WritableDb } from '../../../src/main/store/database/connection.ts'
import { createScrub, markScrub } from '../../../src/main/store/delete/scrub.ts'
import { mayBegin, mayRewriteUnasked, rewriteFile } from '../../../src/main/store/delete/rewrite.ts'
import { readableSecretsIn, secretsIn } from '../../support/store/byte-scan.ts'
import { temporaryFolder } from '../../support/store/folder.ts'

const WORD = 'quokkawordbehindthelastrow'
const ROWS = 600
const HOUR_MS = 3_600_000
const isGone = (row: number): boolean => row % 3 === 1

/** Sizes of rows: within a page, on one overflow page, on several. */
const textOf = (row: number, word: string): string => `${word} ${row} `.repeat([2, 30, 3000][row % 7] ?? 5)

/** Opens a database whose deleted rows are still in the unused bytes of its pages, and the work that is left. */
function opened() {
  const folder = temporaryFolder()
  const path = join(folder, 'lifestats.db')
  const writer = openWriter(path)
  onTestFinished(() => writer.close())
  const { db } = writer
  db.pragma('secure_delete = OFF')
  db.exec('CREATE TABLE texts (id INTEGER PRIMARY KEY, text TEXT); CREATE INDEX by_text ON texts (text)')
  const add = db.prepare<[number, string]>('INSERT INTO texts VALUES (?, ?)')
  const fill = db.transaction(() => {
    // Out of order, so that pages are split in the middle.
    for (let at = 0; at < ROWS; at += 1) {
      const row = (at * 1999) % ROWS
      add.run(row, textOf(row, isGone(row) ? WORD : 'kept'))
    }
  })
  fill()
  db.exec('DELETE FROM texts WHERE id % 3 = 1')
  markScrub(db, 'deleted')
  return { db, path, add, ...workOn(db, path) }
}

/** Opens a database that another process left, and the work that is left. */
function continued(path: string) {
  const writer = openWriter(path)
  onTestFinished(() => writer.close())
  return workOn(writer.db, path)
}

function workOn(db: WritableDb, path: string) {
  const folder = dirname(path)
  const waits: number[] = []
  let clock = Date.parse('2026-11-20T03:00:00.000Z')
  const parts = { db, path, checkpointer: null, onAway: (ms: number) => waits.push(ms), now: () => clock }
  const scrub = createScrub({ ...parts, archives: join(folder, 'archive') })
  const rows = () => db.prepare<[], { id: number; text: string }>('SELECT * FROM texts ORDER BY id').all()
  const assertSound = () => {
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok')
    expect(rows().filter(({ id }) => id < ROWS)).toEqual(
      Array.from({ length: ROWS }, (_, id) => ({ id, text: textOf(id, 'kept') })).filter(({ id }) => !isGone(id)),
    )
  }
  const finish = () => {
    for (const pause of scrub() ?? []) expect(pause).toBeGreaterThanOrEqual(0)
  }
  const rewrite = (freeBytes?: () => number) => {
    const steps = rewriteFile(freeBytes ? { ...parts, freeBytes } : parts)
    for (;;) {
      const { done, value } = steps.next()
      if (done) return value
    }
  }
  return {
    scrub,
    finish,
    rewrite,
    waits,
    assertSound,
    isDue: () => scrub() !== null,
    mayRewrite: (freeBytes = Infinity) => mayRewriteUnasked({ ...parts, freeBytes: () => freeBytes }),
    later: (hours: number) => void (clock += hours * HOUR_MS),
    readable: () => readableSecretsIn(folder, [WORD]),
    words: () => secretsIn(folder, [WORD]),
  }
}

test('first no row and no frame of the WAL has the words, then no byte of the file; rows stay', () => {
  const { db, finish, rewrite, isDue, readable, words, assertSound } = opened()
  expect(readable()).toEqual([`lifestats.db-wal: ${WORD}`])
  finish()
  expect(readable()).toEqual([])
  expect(words()).toEqual([`lifestats.db: ${WORD}`])
  expect(isDue()).toBe(false)
  const { bytes_before, bytes_after } = rewrite()
  expect(bytes_after).toBeLessThan(bytes_before)
  expect(words()).toEqual([])
  assertSound()
  // The writer's pages in memory bring nothing back.
  db.exec('UPDATE texts SET id = id + 10000 WHERE id % 7 = 0')
  db.pragma('wal_checkpoint(PASSIVE)')
  expect(words()).toEqual([])
})

test('older copies of the database go, in steps if others may work meanwhile', async () => {
  const { path, scrub, isDue } = opened()
  const copy = `${path}.before-9`
  cpSync(path, copy)
  const steps = scrub(true)
  for (let step = steps?.next(); step?.done === false; step = steps?.next()) await setImmediate()
  expect(existsSync(copy)).toBe(false)
  expect(isDue()).toBe(false)
})

test('interrupted between any two steps, it stays due and the database sound', () => {
  const { scrub, finish, isDue, readable, assertSound } = opened()
  let interruptions = 0
  for (let most = 1, isOver = false; !isOver; most += 1) {
    const steps = scrub()
    for (let step = 0; step < most && !isOver; step += 1) isOver = steps?.next().done ?? true
    steps?.return()
    expect(isDue()).toBe(!isOver)
    if (!isOver) interruptions += 1
  }
  expect(interruptions).toBeGreaterThan(2)
  finish()
  expect(readable()).toEqual([])
  assertSound()
})

test('killed between any two steps, it is completed by the next process', () => {
  const { path, scrub } = opened()
  const steps = scrub()
  let states = 0
  for (; steps?.next().done === false; states += 1) {
    // The files as a process leaves them that ends without a word, while the database is open.
    const copy = temporaryFolder()
    cpSync(dirname(path), copy, { recursive: true })
    const next = continued(join(copy, 'lifestats.db'))
    next.assertSound()
    expect(next.isDue()).toBe(true)
    next.finish()
    expect(next.readable()).toEqual([])
    next.rewrite()
    expect(next.words()).toEqual([])
    next.assertSound()
    expect(states).toBeLessThan(100)
  }
  expect(states).toBeGreaterThan(2)
})

/** Reads an older state of a database until the returned function ends that. */
function readOlder(path: string): () => void {
  const reader = new Database(path, { readonly: true })
  onTestFinished(() => void reader.close())
  reader.exec('BEGIN')
  reader.prepare('SELECT count(*) FROM texts').get()
  return () => reader.exec('COMMIT')
}

test('while somebody reads an older state, it stays due; afterwards it is completed', () => {
  const { add, path, finish, isDue, readable } = opened()
  const end = readOlder(path)
  add.run(ROWS, 'written while the reader reads')
  finish()
  expect(isDue()).toBe(true)
  end()
  finish()
  expect(readable()).toEqual([])
  expect(isDue()).toBe(false)
})

test('a rewrite that an older state keeps from the file says so, and is done when it ended', () => {
  const { path, finish, rewrite, mayRewrite, later, words, assertSound } = opened()
  finish()
  const end = readOlder(path)
  expect(() => rewrite()).toThrow(expect.objectContaining({ code: 'busy', message: expect.stringContaining(path) }))
  later(21)
  expect(mayRewrite()).toBe(true)
  end()
  rewrite()
  expect(words()).toEqual([])
  expect(mayRewrite()).toBe(false)
  assertSound()
})

test('a rewrite announces its absence, and gives a map of its pages to a file that has none', () => {
  const { db, finish, rewrite, waits, assertSound } = opened()
  finish()
  db.pragma('auto_vacuum = NONE')
  db.exec('VACUUM')
  expect(db.pragma('auto_vacuum', { simple: true })).toBe(0)
  expect(waits).toEqual([])
  rewrite()
  expect(db.pragma('auto_vacuum', { simple: true })).toBe(2)
  expect(waits).toHaveLength(2)
  expect(waits[0]).toBeGreaterThan(5000)
  expect(waits[1]).toBe(0)
  assertSound()
})

test('temporary tables of the writer outlive a rewrite', () => {
  const { db, rewrite } = opened()
  db.exec('CREATE TEMP TABLE kept (id INTEGER); INSERT INTO kept VALUES (7)')
  rewrite()
  expect(db.prepare('SELECT id FROM kept').pluck().get()).toBe(7)
})

test('a rewrite is refused when the disk is too full', () => {
  const { finish, rewrite, waits, words } = opened()
  finish()
  expect(() => rewrite(() => 1000)).toThrow(
    expect.objectContaining({
      code: 'conflict',
      message: expect.stringMatching(/needs [\d.]+ [KM]B .* 1000 B are left: free/),
    }),
  )
  expect(waits).toEqual([])
  expect(words()).not.toEqual([])
})

test('without being asked, the file is rewritten after a deletion, once a night, and when it went wrong again', () => {
  const { db, path, finish, rewrite, mayRewrite, later } = opened()
  finish()
  expect(mayRewrite()).toBe(true)
  expect(mayRewrite(1000)).toBe(false)
  rewrite()
  expect(mayRewrite()).toBe(false)
  later(100)
  expect(mayRewrite()).toBe(false)
  markScrub(db, 'redacted')
  expect(mayRewrite()).toBe(true)
  const end = readOlder(path)
  expect(() => rewrite()).toThrow(path)
  end()
  later(19)
  expect(mayRewrite()).toBe(false)
  later(2)
  expect(mayRewrite()).toBe(true)
})

const GB = 1024 ** 3

test.each([
  { bytes: 2 * GB, freeBytes: 4 * GB, sinceTriedMs: 20 * HOUR_MS, expected: true },
  { bytes: 2 * GB + 1, freeBytes: 100 * GB, sinceTriedMs: 20 * HOUR_MS, expected: false },
  { bytes: 2 * GB, freeBytes: 4 * GB - 1, sinceTriedMs: 20 * HOUR_MS, expected: false },
  { bytes: 2 * GB, freeBytes: 4 * GB, sinceTriedMs: 20 * HOUR_MS - 1, expected: false },
  { bytes: GB, freeBytes: 2 * GB, sinceTriedMs: Infinity, expected: true },
])('of %j', ({ expected, ...state }) => {
  expect(mayBegin(state)).toBe(expected)
})
