import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openWriter } from '../../../src/main/store/database/connection.ts'
import { createScrub, markScrub } from '../../../src/main/store/delete/scrub.ts'
import { secretsIn } from '../../support/store/byte-scan.ts'
import { temporaryFolder } from '../../support/store/folder.ts'

const WORD = 'quokkawordbehindthelastrow'

/** Opens a database with a word in the unused part of a page, and the work that is left after a deletion. */
function opened(mostAtOnceBytes: number) {
  const folder = temporaryFolder()
  const path = join(folder, 'lifestats.db')
  const writer = openWriter(path)
  onTestFinished(() => writer.close())
  const { db } = writer
  db.pragma('secure_delete = OFF')
  const add = db.prepare<[string, string]>('INSERT INTO tombstones (session_id, deleted_at) VALUES (?, ?)')
  for (let at = 0; at < 20; at += 1) add.run(`s${at}`, `2026 ${at === 10 ? WORD : ''}`)
  db.exec("DELETE FROM tombstones WHERE session_id = 's10'")
  markScrub(db)
  db.pragma('wal_checkpoint(TRUNCATE)')
  const waits: number[] = []
  const scrub = createScrub({
    db,
    path,
    archives: join(folder, 'archive'),
    onAway: (ms) => waits.push(ms),
    mostAtOnceBytes,
  })
  const run = (isQuiet?: boolean) => {
    const steps = scrub(isQuiet)
    expect(steps).not.toBeNull()
    for (const pause of steps ?? []) expect(pause).toBeGreaterThanOrEqual(0)
  }
  return { db, run, waits, isDue: () => scrub() !== null, words: () => secretsIn(folder, [WORD]) }
}

test('a database is rewritten at once, and the long pause is announced', () => {
  const { run, waits, isDue, words } = opened(1e9)
  expect(words()).not.toEqual([])
  run(false)
  expect(words()).toEqual([])
  expect(isDue()).toBe(false)
  expect(waits[0]).toBeGreaterThan(0)
  expect(waits.at(-1)).toBe(0)
})

test('a large database is rewritten when idle, and stays due until then', () => {
  const { run, isDue, words } = opened(0)
  run(false)
  run(false)
  expect(words()).not.toEqual([])
  expect(isDue()).toBe(true)
  run(true)
  expect(words()).toEqual([])
  expect(isDue()).toBe(false)
})

test('after a failed rewrite, a large database is left alone until the next start', () => {
  const { db, run, waits, isDue } = opened(0)
  db.exec('BEGIN')
  expect(() => run(true)).toThrow(/VACUUM/)
  expect(waits.at(-1)).toBe(0)
  db.exec('ROLLBACK')
  run(true)
  expect(isDue()).toBe(true)
})
