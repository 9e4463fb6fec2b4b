import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { aspy } from '../../support/app/aspy-command.ts'
import { onTerminal, SCRIPT } from '../../support/app/on-terminal.ts'
import { LONG, surfaceHistory } from '../../support/app/surface-history.ts'
import { lacks } from '../../support/runner/lacks.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'
import { fillStore } from '../../support/store/seeded-store.ts'

const deleteOnTerminal = (dataDir: string, answer: string) =>
  onTerminal(['delete', 's-short-3', '--data', dataDir], answer)

function sessions(dataDir: string): number {
  const db = new Database(join(dataDir, 'lifestats.db'), { readonly: true })
  try {
    return Number(db.prepare('SELECT count(*) FROM sessions').pluck().get())
  } finally {
    db.close()
  }
}

test.skipIf(lacks(existsSync(SCRIPT)))('on a terminal it says what goes and asks; only yes deletes', async () => {
  using folder = makeTempFolder()
  fillStore(folder.path, surfaceHistory())
  const copy = join(folder.path, 'lifestats.db.before-restore-2026-11-27T10-00-00-000Z')
  writeFileSync(copy, '')
  const refused = await deleteOnTerminal(folder.path, 'no')
  expect(refused).toMatch(/Delete 1 session, s-short-3.*, with 1 events? and [\d.]+ K?B permanently\? \[y\/N\]/)
  expect(refused.replaceAll(/\s+/g, ' ')).toContain(`copies, which Aspy kept, go with it: ${copy} Delete`)
  expect(refused).toContain('Nothing was deleted.')
  expect(await deleteOnTerminal(folder.path, '\u0003')).toContain('Nothing was deleted.')
  expect(sessions(folder.path)).toBe(12)
  expect(existsSync(copy)).toBe(true)
  const deleted = await deleteOnTerminal(folder.path, 'yes')
  expect(deleted).toContain('Deleted 1 event of session s-short-3 permanently.')
  expect([deleted.includes(`Removed with it: ${copy}`), existsSync(copy)]).toEqual([true, false])
  expect(sessions(folder.path)).toBe(11)
})

test('a session is deleted by eight characters of its id or more, or by all of a shorter one', async () => {
  using folder = makeTempFolder()
  fillStore(folder.path, surfaceHistory())
  const short = LONG.slice(0, 5)
  const refused = await aspy(['delete', short, '--yes', '--data', folder.path])
  expect([refused.code, refused.stderr]).toEqual([
    2,
    expect.stringContaining(`give eight characters or all of ${LONG}`),
  ])
  expect(sessions(folder.path)).toBe(12)
  // What is wrong with the id comes before what is missing.
  expect((await aspy(['delete', short, '--data', folder.path])).stderr).toBe(refused.stderr)
  expect((await aspy(['delete', 'nope', '--data', folder.path])).stderr).toContain('nope')
  const asked = await aspy(['delete', LONG, '--data', folder.path])
  expect([asked.code, asked.stderr]).toEqual([2, expect.stringContaining('add --yes')])
  const { code, stdout } = await aspy(['delete', LONG, '--yes', '--data', folder.path])
  expect([code, stdout]).toEqual([0, expect.stringContaining(`of session ${LONG} permanently`)])
  expect(sessions(folder.path)).toBe(11)
})
