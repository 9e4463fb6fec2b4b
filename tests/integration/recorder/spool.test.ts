import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { AnyDraft } from '../../../src/main/decode/draft.ts'
import { heavily, runs } from '../../support/runner/heavy.ts'
import { NONE } from '../../support/runner/none.ts'
import { makeTempFolder, type TempFolder } from '../../support/runner/temp-folder.ts'
import { countKinds, kinds, look, pass, rows, startRecorder, until } from '../../support/recorder/harness.ts'
import type { RecorderUnderTest } from '../../support/recorder/harness.ts'

let folder: TempFolder
let under: RecorderUnderTest | null = null
beforeEach(() => {
  folder = makeTempFolder()
})
afterEach(async () => {
  await under?.stop()
  under = null
  folder.remove()
})

const database = () => join(folder.path, 'lifestats.db')
const spool = () => join(folder.path, 'spool.jsonl')
const secret = `sk-ant-api03-${'Ab1'.repeat(31)}AA`

const promptDraft = (text: string): AnyDraft => ({
  kind: 'user_prompt',
  source: 'wire',
  payload: { text },
  session_id: 's',
  agent_id: null,
  ts_wall: '2026-11-20T10:00:00.000Z',
  ts_monotonic: null,
  keys: [`test:${text}`],
  parents: [],
})

/** Time for which the database is held. */
const HELD_MS = runs(2000, 30_000)

test('while another app has the store, events wait in files that only their app writes, and are restored in order', async () => {
  const other = new Database(join(folder.path, 'writer.lock'))
  other.exec('BEGIN EXCLUSIVE')
  under = await startRecorder(folder.path)
  await until(() => under?.health().state === 'spooling')
  await pass(under.tap, { session: 's', prompt: 'first' })
  await until(() => (under?.health().spooled ?? 0) > 0)
  // The other app reads the spool, and removes it then.
  expect(existsSync(spool())).toBe(false)
  const own = () => readdirSync(folder.path).filter((name) => name.startsWith(`spool-${process.pid}-`))
  expect(own().filter((name) => name.endsWith('.part'))).toHaveLength(1)
  await until(() => own().length === 2)
  await pass(under.tap, { session: 's', prompt: 'second' })
  await under.settled()
  other.close()
  await until(() => under?.health().state === 'running')
  await pass(under.tap, { session: 's', prompt: 'third' })
  await under.settled()
  const prompts = rows(folder.path).filter((row) => row.kind === 'user_prompt')
  expect(prompts.map((row) => (JSON.parse(row.payload) as { text: string }).text)).toEqual(['first', 'second', 'third'])
  expect(own()).toEqual([])
  expect(under.health()).toMatchObject({ reason: null, dropped: NONE })
})

test('of two apps whose last streams are read, the older one finishes a piece meanwhile: both are read whole', async () => {
  const piece = (time: number, prompts: readonly string[]) => {
    const lines = prompts.map((text) => JSON.stringify({ draft: promptDraft(text) }))
    writeFileSync(join(folder.path, `spool-${process.ppid}-${time}.jsonl`), `${lines.join('\n')}\n`)
  }
  const many = Array.from({ length: 2000 }, (_, at) => `newer ${at}`)
  piece(2, many)
  under = await startRecorder(folder.path)
  const stored = () =>
    rows(folder.path)
      .filter(({ kind }) => kind === 'user_prompt')
      .map(({ payload }) => (JSON.parse(payload) as { text: string }).text)
  await until(() => stored().length > 0)
  piece(1, ['older'])
  expect(readdirSync(folder.path)).toContain(`spool-${process.ppid}-2.jsonl`)
  await until(() => !readdirSync(folder.path).some((name) => name.startsWith('spool-')))
  expect(new Set(stored())).toEqual(new Set([...many, 'older']))
})

heavily(test)(
  'while another process locks the database, events wait in the spool and are restored in order',
  async () => {
    under = await startRecorder(folder.path)
    await pass(under.tap, { session: 's', prompt: 'before' })
    await under.settled()

    const holder = new Database(database())
    holder.exec('BEGIN IMMEDIATE')
    await pass(under.tap, { session: 's', prompt: `during, with ${secret}` })
    await pass(under.tap, { session: 's', prompt: 'during, again' })
    await under.settled()
    await until(() => under?.health().state === 'spooling')
    expect(under.health()).toMatchObject({ dropped: NONE })
    expect(under.health().reason).toContain('database')
    await until(() => (under?.health().spooled ?? 0) > 0)
    expect(statSync(spool()).mode & 0o777).toBe(0o600)
    expect(readFileSync(spool(), 'utf8')).not.toContain('Ab1Ab1')
    await pause(HELD_MS)
    holder.exec('ROLLBACK')
    holder.close()

    await until(() => under?.health().state === 'running')
    await pass(under.tap, { session: 's', prompt: 'after' })
    await under.settled()
    const prompts = rows(folder.path)
      .filter((row) => row.kind === 'user_prompt')
      .map((row) => String((JSON.parse(row.payload) as { text: string }).text))
    expect(prompts).toEqual(['before', expect.stringMatching(/^during, with \[redacted:/), 'during, again', 'after'])
    expect(countKinds(folder.path)).toMatchObject({ model_request: 4, model_response: 4, assistant_text: 4 })
    await until(() => under?.health().spooled === 0)
    expect(under.health()).toMatchObject({ reason: null, dropped: NONE })
    expect(existsSync(spool())).toBe(false)
  },
)

test('events spooled by an earlier run are stored before new ones', async () => {
  under = await startRecorder(folder.path)
  const holder = new Database(database())
  holder.exec('BEGIN IMMEDIATE')
  await pass(under.tap, { session: 'old' })
  await under.settled()
  await under.stop()
  holder.exec('ROLLBACK')
  holder.close()
  expect(existsSync(spool())).toBe(true)

  under = await startRecorder(folder.path)
  await pass(under.tap, { session: 'new' })
  await under.settled()
  const sessions = rows(folder.path).map((row) => row.session_id)
  expect(sessions.lastIndexOf('old')).toBeLessThan(sessions.indexOf('new'))
  expect(kinds(folder.path, 'old')).toEqual(kinds(folder.path, 'new'))
})

test('with an unwritable folder, events are counted, reported and acknowledged, and the thread survives', async () => {
  const file = join(folder.path, 'file')
  writeFileSync(file, 'no folder')
  under = await startRecorder(join(file, 'data'))
  await pass(under.tap, { session: 's' })
  await under.settled()
  await until(() => (under?.health().dropped['spool_full'] ?? 0) > 0)
  expect(under.health()).toMatchObject({ state: 'spooling', restarts: 0, fault: { code: 'store_unavailable' } })
  expect(under.health().reason).not.toBeNull()
  expect(under.tap.stats()).toMatchObject({ acknowledged: 1, queue_bytes: 0 })
  // The live view at least continues with the text.
  await until(() => (under?.deltas.length ?? 0) > 0)
  rmSync(file)
})

test('a database from a newer version stays unchanged and is reported', async () => {
  under = await startRecorder(folder.path)
  await pass(under.tap, { session: 's' })
  await under.settled()
  await under.stop()
  const newer = new Database(database())
  newer.exec("PRAGMA user_version = 999; UPDATE metadata SET value = '999' WHERE key = 'schema_version'")
  newer.close()
  const before = rows(folder.path)

  under = await startRecorder(folder.path)
  await until(() => under?.health().fault !== null)
  expect(under.health()).toMatchObject({ state: 'spooling', fault: { code: 'newer_database' } })
  await pass(under.tap, { session: 'later' })
  await under.settled()
  await until(() => (under?.health().spooled ?? 0) > 0)
  expect(rows(folder.path)).toEqual(before)
  expect(look(folder.path, (db) => db.pragma('user_version', { simple: true }))).toBe(999)
})
