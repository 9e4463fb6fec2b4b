import { cpSync, existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import type { Checkpointer } from '../../../src/main/store/database/checkpointer.ts'
import { openWriter, type WritableDb } from '../../../src/main/store/database/connection.ts'
import { createScrub, markScrub } from '../../../src/main/store/delete/scrub.ts'
import { wipeSlack } from '../../../src/main/store/delete/wipe/wipe-slack.ts'
import { secretsIn } from '../../support/store/byte-scan.ts'
import { temporaryFolder } from '../../support/store/folder.ts'

const WORD = 'quokkawordbehindthelastrow'
const ROWS = 600
const isGone = (row: number): boolean => row % 3 === 1

/** Sizes of rows: within a page, on one overflow page, on several. */
const textOf = (row: number, word: string): string => `${word} ${row} `.repeat([2, 30, 400][row % 7] ?? 5)

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
  db.pragma('wal_checkpoint(TRUNCATE)')
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
  const scrub = createScrub({
    db,
    path,
    archives: join(folder, 'archive'),
    onAway: (ms) => waits.push(ms),
    checkpointer: null,
    // Many short steps, however quick the machine is.
    wipeSliceMs: 0,
  })
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
  const words = () => secretsIn(folder, [WORD])
  return { scrub, finish, waits, assertSound, isDue: () => scrub() !== null, words }
}

test('every unused byte is overwritten, rows stay, and nothing waits for it', () => {
  const { finish, waits, isDue, words, assertSound } = opened()
  expect(words()).not.toEqual([])
  finish()
  expect(words()).toEqual([])
  expect(isDue()).toBe(false)
  expect(waits).toEqual([])
  assertSound()
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

test('pages that the writer had in memory bring no byte back later', () => {
  const { db, finish, words } = opened()
  finish()
  // One small change in each page.
  db.exec('UPDATE texts SET id = id + 10000 WHERE id % 7 = 0')
  db.pragma('wal_checkpoint(PASSIVE)')
  expect(words()).toEqual([])
})

test('pages that the writer changes meanwhile are wiped again', () => {
  const { db, add, scrub, words, assertSound } = opened()
  const touch = db.prepare("UPDATE texts SET text = text || '' WHERE id BETWEEN ? AND ?")
  let row = ROWS
  for (const _ of scrub() ?? []) {
    // Between all steps, pages are changed, split and made in every part of the file.
    for (let at = 0; at < 20; at += 1) add.run((row += 1), textOf(row, 'later'))
    touch.run(0, ROWS)
  }
  expect(row).toBeGreaterThan(ROWS)
  db.pragma('wal_checkpoint(PASSIVE)')
  expect(words()).toEqual([])
  assertSound()
})

test('a file that is released so that the WAL can be moved is read again before it is wiped', () => {
  const { db, path, add, words } = opened()
  db.exec('DELETE FROM texts WHERE id % 3 = 2')
  const held: { release: (() => void) | null } = { release: null }
  const checkpointer: Checkpointer = {
    look: () => undefined,
    isBehind: () => false,
    move: () => undefined,
    isMoving: () => false,
    onBehind: (next) => (held.release = next),
    stop: () => undefined,
  }
  let row = ROWS
  for (const _ of wipeSlack(db, path, checkpointer, 0)) {
    if (row >= ROWS + 2000) continue
    // New rows take the pages that were free, and arrive in the file before the next step.
    for (let at = 0; at < 200; at += 1) add.run((row += 1), textOf(row, 'later'))
    held.release?.()
    db.pragma('wal_checkpoint(PASSIVE)')
  }
  expect(db.pragma('integrity_check', { simple: true })).toBe('ok')
  const later = db.prepare<[], { id: number; text: string }>(`SELECT * FROM texts WHERE id > ${ROWS} ORDER BY id`).all()
  expect(later.map(({ text }) => text)).toEqual(later.map(({ id }) => textOf(id, 'later')))
  expect(later.length).toBe(row - ROWS)
  expect(words()).toEqual([])
})

test('pages that the file does not use are wiped too', () => {
  const { db, path, words } = opened()
  db.exec('DELETE FROM texts WHERE id % 3 = 2')
  expect(db.pragma('freelist_count', { simple: true })).toBeGreaterThan(10)
  for (const _ of wipeSlack(db, path, null));
  expect(db.pragma('freelist_count', { simple: true })).toBeGreaterThan(10)
  expect(words()).toEqual([])
  expect(db.pragma('integrity_check', { simple: true })).toBe('ok')
})

test('interrupted between any two steps, it stays due and the database sound', () => {
  const { scrub, finish, isDue, words, assertSound } = opened()
  let interruptions = 0
  for (let most = 1, isOver = false; !isOver; most += 1) {
    const steps = scrub()
    for (let step = 0; step < most && !isOver; step += 1) isOver = steps?.next().done ?? true
    steps?.return()
    expect(isDue()).toBe(!isOver)
    if (!isOver) interruptions += 1
  }
  expect(interruptions).toBeGreaterThan(3)
  finish()
  expect(words()).toEqual([])
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
    expect(next.words()).toEqual([])
    next.assertSound()
    expect(states).toBeLessThan(100)
  }
  expect(states).toBeGreaterThan(3)
})

test('while somebody reads an older state, it stays due; afterwards it is completed', () => {
  const { add, path, finish, isDue, words } = opened()
  const reader = new Database(path, { readonly: true })
  onTestFinished(() => void reader.close())
  reader.exec('BEGIN')
  reader.prepare('SELECT count(*) FROM texts').get()
  add.run(ROWS, 'written while the reader reads')
  finish()
  expect(isDue()).toBe(true)
  reader.exec('COMMIT')
  finish()
  expect(words()).toEqual([])
  expect(isDue()).toBe(false)
})

test('a file without a map of its pages gets one', () => {
  const { db, path, finish, waits, words, assertSound } = opened()
  db.pragma('auto_vacuum = NONE')
  db.exec('VACUUM')
  expect(db.pragma('auto_vacuum', { simple: true })).toBe(0)
  db.pragma('secure_delete = OFF')
  db.exec(`INSERT INTO texts VALUES (-1, '${WORD} ${WORD}'); DELETE FROM texts WHERE id = -1`)
  db.pragma('wal_checkpoint(TRUNCATE)')
  expect(readFileSync(path).includes(WORD)).toBe(true)
  finish()
  expect(words()).toEqual([])
  expect(waits.at(-1)).toBe(0)
  assertSound()
})
