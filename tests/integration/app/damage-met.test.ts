import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, expect, test } from 'vitest'

import type { OperationOutput } from '../../../src/shared/contract/index.ts'
import { keepLogGone } from '../../../src/main/base/running-note.ts'
import { openWriter } from '../../../src/main/store/database/connection.ts'
import { quickCheck } from '../../../src/main/store/read/quick-check.ts'
import { ask } from '../../support/app/ask.ts'
import { aspy } from '../../support/app/aspy-command.ts'
import { startApp, type TestApp } from '../../support/app/start-app.ts'
import { few } from '../../support/runner/heavy.ts'
import { NONE } from '../../support/runner/none.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'
import { until } from '../../support/runner/until.ts'
import { said, transcriptLines } from '../../support/store/transcript-lines.ts'
import { startMessagesUpstream, type MessagesUpstream } from '../../support/upstream/messages-upstream.ts'

let upstream: MessagesUpstream
beforeAll(async () => {
  upstream = await startMessagesUpstream(() => ({
    steps: [{ text: 'The walrus says yes.' }],
    usage: { input_tokens: 1000, output_tokens: 100 },
  }))
})
afterAll(() => upstream.close())

const prompts = (app: TestApp) => app.count({ kind: 'user_prompt' })
const codes = async (app: TestApp) => (await app.running.health()).warnings.map(({ code }) => code)
const start = (dataDir: string) => startApp({ upstream: upstream.url, dataDir })

async function say(app: TestApp, prompt: string): Promise<void> {
  expect(await (await ask(app.proxy, { prompt, session: 's' })).text()).toContain('message_stop')
}

async function record(app: TestApp, turns: number): Promise<void> {
  for (let turn = 1; turn <= turns; turn += 1) await say(app, `question ${turn} about the walrus`)
  await until('all is recorded', async () => (await prompts(app)) === turns)
}

/** Records a little and stops cleanly. Returns the path of the database. */
async function recordAndStop(dataDir: string, turns = 3): Promise<string> {
  const app = await start(dataDir)
  await record(app, turns)
  await app.close()
  return join(dataDir, 'lifestats.db')
}

const found = async (app: TestApp) =>
  app.call<{ items: unknown[] }>('recall.search', { query: 'walrus' }).then(
    ({ items }) => items.length,
    () => 0,
  )

test('a torn search index is rebuilt when a search meets it', async () => {
  using folder = makeTempFolder()
  const path = await recordAndStop(folder.path)
  const db = new Database(path)
  db.unsafeMode(true)
  db.exec('UPDATE recall_fts_data SET block = zeroblob(length(block)) WHERE id > 10')
  db.close()
  await using app = await start(folder.path)
  // The first search does not wait for it: it reads the newest texts.
  const search = (query: string) => app.call<OperationOutput<'recall.search'>>('recall.search', { query })
  expect(await search('walrus -"question 1" NOT says')).toMatchObject({ total: 2, notes: { index: 'rebuilding' } })
  await expect.poll(async () => [(await search('walrus')).notes, await found(app)]).toEqual([undefined, 6])
  await app.recorderRuns()
  await expect.poll(() => app.running.health()).toMatchObject({ dropped: NONE, warnings: [] })
})

test('a torn table that only readers use is salvaged when a reader meets it', async () => {
  using folder = makeTempFolder()
  const path = await recordAndStop(folder.path)
  const db = new Database(path)
  const page = Number(db.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'api_usage'").pluck().get())
  db.close()
  const bytes = readFileSync(path)
  bytes.fill(0xa5, 4096 * (page - 1), 4096 * page)
  writeFileSync(path, bytes)
  await using app = await start(folder.path)
  await expect
    .poll(() =>
      app.call('usage.export', { session_id: 's' }).then(
        () => true,
        () => false,
      ),
    )
    .toBe(true)
  await app.recorderRuns()
  await expect.poll(() => codes(app)).toEqual(['database_set_aside'])
  expect(await prompts(app)).toBe(3)
})

test('a text that no longer matches its keyed hash is found by the check', async () => {
  using folder = makeTempFolder()
  const app = await start(folder.path)
  await say(app, `a long question about the walrus ${'and its tusks '.repeat(300)}`)
  await until('it is recorded', async () => (await prompts(app)) === 1)
  const db = new Database(join(folder.path, 'lifestats.db'))
  db.exec('UPDATE contents SET data = zeroblob(length(data)) WHERE hash = (SELECT min(hash) FROM contents)')
  db.close()
  const { damage } = await app.call<{ damage: string[] }>('store.check')
  expect(damage).toEqual(['1 stored text does not match the hash'])
  await app.close()
})

const torn: readonly (readonly [string, (path: string) => void])[] = [
  ['cut to half its size', (path) => truncateSync(path, Math.floor(readFileSync(path).length / 8192) * 4096)],
  ['of zeros', (path) => writeFileSync(path, Buffer.alloc(readFileSync(path).length))],
  ['without a byte', (path) => truncateSync(path, 0)],
]

test.each(few(torn, 1))('a file %s is set aside at the next start, and recording goes on', async (_, tear) => {
  using folder = makeTempFolder()
  tear(await recordAndStop(folder.path))
  await using app = await start(folder.path)
  await say(app, 'a question after the damage')
  await app.recorderRuns()
  await until('it is recorded', async () => (await prompts(app).catch(() => 0)) > 0)
  await expect.poll(() => codes(app)).toEqual(['database_set_aside'])
  expect(readdirSync(folder.path).filter((name) => /\.damaged-[^-]*$/.test(name))).toHaveLength(1)
})

/** Writes bytes over those of a file. */
function overwrite(path: string, at: number, bytes: Uint8Array): void {
  const whole = readFileSync(path)
  whole.set(bytes, at)
  writeFileSync(path, whole)
}

function change(path: string, sql: string): void {
  const db = new Database(path)
  db.unsafeMode(true)
  db.exec(sql)
  db.close()
}

/** Puts the write-ahead log of another database beside this one. */
function exchangeLog(path: string): void {
  const other = new Database(`${path}.other`)
  other.pragma('journal_mode = WAL')
  other.exec('CREATE TABLE notes (text); INSERT INTO notes VALUES (1)')
  copyFileSync(`${path}.other-wal`, `${path}-wal`)
  other.close()
  rmSync(`${path}.other`)
}

/** The same, with one that was written by an Aspy. */
function exchangeLogOfAspy(path: string): void {
  using folder = makeTempFolder()
  const other = openWriter(join(folder.path, 'lifestats.db'))
  copyFileSync(join(folder.path, 'lifestats.db-wal'), `${path}-wal`)
  other.close()
}

const notOpened: readonly (readonly [string, (path: string) => void])[] = [
  ['another page size in its header', (path) => overwrite(path, 16, Uint8Array.of(8, 0))],
  ['a header of zeros', (path) => overwrite(path, 0, new Uint8Array(100))],
  ['the log of another database beside it', exchangeLog],
  ['the log of another Aspy beside it', exchangeLogOfAspy],
  ['a search index without its settings', (path) => change(path, 'DELETE FROM recall_fts_config')],
  ['no version', (path) => change(path, 'PRAGMA user_version = 0')],
  ['another version in its header', (path) => overwrite(path, 60, Uint8Array.of(128, 0, 16, 3))],
  ['a table less', (path) => change(path, 'DROP TABLE turns')],
]

test.each(few(notOpened, 1))(
  'a database with %s is seen by doctor, and all of it is salvaged at the next start',
  async (_, spoil) => {
    using folder = makeTempFolder()
    const path = await recordAndStop(folder.path)
    spoil(path)
    expect(quickCheck(path)).toMatchObject({ fault: expect.any(String), isRefused: false })
    await using app = await start(folder.path)
    await say(app, 'question 4 about the walrus')
    await app.recorderRuns()
    await expect.poll(() => codes(app)).toEqual(['database_set_aside'])
    expect(await prompts(app)).toBe(4)
  },
)

test('a database that lost the number of its newest event records on, and doctor sees it', async () => {
  using folder = makeTempFolder()
  const path = await recordAndStop(folder.path)
  change(path, 'DELETE FROM sqlite_sequence')
  expect(quickCheck(path)).toMatchObject({ fault: 'the number of the newest event is lost' })
  await using app = await start(folder.path)
  await say(app, 'question 4 about the walrus')
  await until('it is recorded', async () => (await prompts(app)) === 4)
  await expect.poll(() => app.running.health()).toMatchObject({ dropped: NONE })
})

test("another program's database is left as it is, and doctor promises nothing", async () => {
  using folder = makeTempFolder()
  const path = join(folder.path, 'lifestats.db')
  change(path, 'CREATE TABLE notes (text); PRAGMA user_version = 5')
  const before = readFileSync(path)
  await using app = await start(folder.path)
  await say(app, 'question 1 about the walrus')
  await until('it waits', async () => (await app.running.health()).spooled > 0)
  const said = /database of another program: move it away/
  expect((await app.running.health()).warnings).toMatchObject([{ message: expect.stringMatching(said) }])
  expect(quickCheck(path)).toMatchObject({ fault: expect.stringMatching(said), isRefused: true })
  expect(readFileSync(path)).toEqual(before)
  rmSync(path)
  await until('it is recorded', async () => (await prompts(app).catch(() => 0)) === 1)
})

test('a write-ahead log that is removed while the app records costs nothing', async () => {
  using folder = makeTempFolder()
  await using app = await start(folder.path)
  await record(app, 2)
  rmSync(join(folder.path, 'lifestats.db-wal'))
  await say(app, 'question 3 about the walrus')
  await until('all is there', async () => (await prompts(app).catch(() => 0)) === 3)
  await app.recorderRuns()
  await expect.poll(() => app.running.health()).toMatchObject({ dropped: NONE, warnings: [] })
})

/** A reader makes a new log, and hides from nobody that the old one is gone. */
async function reads(data: string): Promise<void> {
  for (const round of [1, 2]) {
    const { code, stderr, stdout: hits } = await aspy(['recall', 'walrus', '--data', data])
    expect([round, code, hits]).toEqual([round, 0, expect.stringContaining('question 1')])
    expect(stderr).toMatch(/whose -wal was removed since: what was recorded last may be\s+missing/)
  }
  expect((await aspy(['recall', 'walrus', '--json', '--data', data])).stderr).toBe('')
}

/** Has an app of its own. */
async function imports(data: string): Promise<void> {
  const session = '10000000-0000-4000-8000-000000000001'
  const transcript = join(data, `${session}.jsonl`)
  writeFileSync(transcript, `${transcriptLines(session, [said('one')]).join('\n')}\n`)
  expect(await aspy(['import', transcript, '--data', data])).toMatchObject({ code: 0 })
}

test.each([
  ['', []],
  [', behind a reader', [reads]],
  [', behind a command with its own app', [imports]],
  [', behind both', [reads, imports]],
])('a write-ahead log that is removed after a kill is said, with what it may have held%s', async (_, commands) => {
  using folder = makeTempFolder()
  const app = await start(folder.path)
  await record(app, 1)
  const note = join(folder.path, 'app.json')
  copyFileSync(note, `${note}.kept`)
  await app.close()
  copyFileSync(`${note}.kept`, note)
  const { stdout } = await aspy(['doctor', '--data', folder.path])
  expect(stdout).toMatch(/failure +database .*-wal was\s+removed/)
  const written = statSync(join(folder.path, 'lifestats.db')).mtime.toISOString()
  for (const command of commands) await command(folder.path)
  await using next = await start(folder.path)
  await next.recorderRuns()
  const { warnings } = await next.running.health()
  expect(warnings).toMatchObject([
    { code: 'log_removed', message: expect.stringMatching(`wal was removed.*recorded after ${written}`) },
  ])
})

test('a mark of a removed log that cannot be written keeps nobody from reading', () => {
  using folder = makeTempFolder()
  const file = join(folder.path, 'file')
  writeFileSync(file, '')
  expect(() => keepLogGone(file, file)).not.toThrow()
})

test('damage of a text is found by the daily check, and what can be read is salvaged', async () => {
  using folder = makeTempFolder()
  const app = await start(folder.path)
  await say(app, `a long question about the walrus ${'and its tusks '.repeat(300)}`)
  await until('it is recorded', async () => (await prompts(app)) === 1)
  const lastCheck = join(folder.path, 'last-check')
  await until('the database was checked', async () => existsSync(lastCheck))
  await app.close()
  const db = new Database(join(folder.path, 'lifestats.db'))
  db.exec('UPDATE contents SET data = zeroblob(length(data)) WHERE hash = (SELECT min(hash) FROM contents)')
  db.close()
  writeFileSync(lastCheck, new Date(Date.now() - 25 * 3_600_000).toISOString())
  await using next = await start(folder.path)
  await expect.poll(() => codes(next)).toEqual(['database_set_aside'])
  expect(await prompts(next)).toBe(1)
})
