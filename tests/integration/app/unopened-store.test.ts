import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWriter } from '../../../src/main/store/database/connection.ts'
import { ask } from '../../support/app/ask.ts'
import { startApp, type TestApp } from '../../support/app/start-app.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'
import { until } from '../../support/runner/until.ts'
import { startMessagesUpstream, type MessagesUpstream } from '../../support/upstream/messages-upstream.ts'
import { few } from '../../support/runner/heavy.ts'

/** Errors while the store opens: none leaves a lock behind, and recording starts once the cause is gone. */

let upstream: MessagesUpstream
beforeAll(async () => {
  upstream = await startMessagesUpstream(() => ({ steps: [{ text: 'An answer.' }] }))
})
afterAll(() => upstream.close())

const start = (dataDir: string) => startApp({ upstream: upstream.url, dataDir })
const warnings = async (app: TestApp) => (await app.running.health()).warnings
const codes = async (app: TestApp) => (await warnings(app)).map(({ code }) => code)
const prompts = (app: TestApp) => app.count({ kind: 'user_prompt' }).catch(() => 0)

async function say(app: TestApp, prompt: string): Promise<void> {
  expect(await (await ask(app.proxy, { prompt, session: 's' })).text()).toContain('message_stop')
}

/** Records a prompt and returns the path of the database. */
async function recorded(dataDir: string): Promise<string> {
  await using app = await start(dataDir)
  await say(app, 'before')
  await until('it is recorded', async () => (await prompts(app)) === 1)
  return join(dataDir, 'lifestats.db')
}

/** Damages the first page of a table or index. */
function damage(path: string, name: string): void {
  const db = new Database(path)
  db.pragma('wal_checkpoint(TRUNCATE)')
  const root = db.prepare<[string], number>('SELECT rootpage FROM sqlite_schema WHERE name = ?').pluck().get(name) ?? 0
  db.close()
  const bytes = readFileSync(path)
  bytes.fill(0xa5, 4096 * (root - 1), 4096 * root)
  writeFileSync(path, bytes)
}

// Pages that are read while the store opens, after the schema was found to be right.
test.each(few(['sqlite_sequence', 'rollups_unpriced', 'errors_fts_config'], 1))(
  'a database with a damaged %s is set aside, and recording continues',
  async (name) => {
    using folder = makeTempFolder()
    damage(await recorded(folder.path), name)
    await using app = await start(folder.path)
    await say(app, 'after')
    await until('it is recorded', async () => (await prompts(app)) === 1)
    await app.recorderRuns()
    await expect.poll(() => codes(app)).toEqual(['database_set_aside'])
  },
)

test('a file in the place of the lock is not damage of the database, and not another Aspy', async () => {
  using folder = makeTempFolder()
  await recorded(folder.path)
  const lock = join(folder.path, 'writer.lock')
  writeFileSync(lock, 'a file of somebody'.repeat(400))
  await using app = await start(folder.path)
  await say(app, 'meanwhile')
  await until('Health says so', async () => (await warnings(app)).some(({ message }) => message.includes(lock)))
  expect(await codes(app)).toEqual(['spooling'])
  expect(readdirSync(folder.path).filter((name) => name.includes('damaged'))).toEqual([])
  rmSync(lock)
  await until('everything is recorded', async () => (await prompts(app)) === 2)
  await expect.poll(() => warnings(app)).toEqual([])
})

test('a link that leads to itself in the place of the database keeps no app from starting', async () => {
  using folder = makeTempFolder()
  const path = join(folder.path, 'lifestats.db')
  symlinkSync(path, path)
  await using app = await start(folder.path)
  await say(app, 'meanwhile')
  await until('Health says so', async () => (await warnings(app)).some(({ message }) => message.includes(path)))
  rmSync(path)
  await until('everything is recorded', async () => (await prompts(app)) === 1)
})

test('a folder in the place of the spool, and the journal of an interrupted transaction, stop no recording', async () => {
  using folder = makeTempFolder()
  const path = await recorded(folder.path)
  rmSync(join(folder.path, 'spool.jsonl'), { force: true })
  mkdirSync(join(folder.path, 'spool.jsonl'))
  writeFileSync(`${path}-journal`, Buffer.concat([Buffer.from('d9d505f920a163d7', 'hex'), Buffer.alloc(5000, 1)]))
  await using app = await start(folder.path)
  await say(app, 'after')
  await until('it is recorded', async () => (await prompts(app)) === 2)
  expect(await warnings(app)).toEqual([])
})

test('a newer database is opened once it is replaced by one of this version', async () => {
  using folder = makeTempFolder()
  const path = await recorded(folder.path)
  const change = (by: number) => {
    const db = new Database(path)
    const version = Number(db.pragma('user_version', { simple: true })) + by
    db.pragma(`user_version = ${version}`)
    db.prepare("UPDATE metadata SET value = ? WHERE key = 'schema_version'").run(String(version))
    db.close()
  }
  change(1)
  await using app = await start(folder.path)
  await until('Health says so', async () => (await codes(app)).includes('newer_database'))
  change(-1)
  await say(app, 'after')
  await until('everything is recorded', async () => (await prompts(app)) === 2)
  await expect.poll(() => warnings(app)).toEqual([])
})

test.each([
  ['another try', null, 'store_unavailable'],
  ['a recorder with other settings', { key: 'lifestats.max_prompt_size', value: 100_000 }, 'spooling'],
])('Health names another Aspy only while there is one: %s says what is in the way now', async (_, setting, code) => {
  using folder = makeTempFolder()
  const path = await recorded(folder.path)
  const other = openWriter(path)
  await using app = await start(folder.path)
  await until('Health says so', async () => (await codes(app)).includes('already_running'))
  renameSync(path, `${path}.kept`)
  mkdirSync(path)
  other.close()
  if (setting !== null) await app.call('config.set', setting)
  await until('Health says why', async () => (await warnings(app)).some(({ message }) => message.includes(path)))
  expect(await codes(app)).toEqual([code])
  rmdirSync(path)
  renameSync(`${path}.kept`, path)
  await until('it records again', async () => (await codes(app)).length === 0)
  expect(await prompts(app)).toBe(1)
})
