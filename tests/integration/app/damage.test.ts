import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ask } from '../../support/app/ask.ts'
import { startMessagesUpstream, type MessagesUpstream } from '../../support/upstream/messages-upstream.ts'
import { NONE } from '../../support/runner/none.ts'
import { startApp, type TestApp } from '../../support/app/start-app.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'
import { until } from '../../support/runner/until.ts'

let upstream: MessagesUpstream
beforeAll(async () => {
  upstream = await startMessagesUpstream(() => ({
    steps: [{ text: 'Take the solarized theme.' }],
    usage: { input_tokens: 1000, output_tokens: 100 },
  }))
})
afterAll(() => upstream.close())

const prompts = (app: TestApp) => app.count({ kind: 'user_prompt' })

async function say(app: TestApp, prompt: string, session = 's'): Promise<void> {
  const answer = await ask(app.proxy, { prompt, session })
  expect(await answer.text()).toContain('message_stop')
}

/** Records a little, spoils the database, and leaves the folder as if the process had been killed: its note and log stay. */
async function recordAndCrash(dataDir: string, spoil: (path: string) => void): Promise<void> {
  const app = await startApp({ upstream: upstream.url, dataDir })
  for (const turn of [1, 2, 3]) await say(app, `question ${turn} on themes`)
  await until('all is recorded', async () => (await prompts(app)) === 3)
  const note = join(dataDir, 'app.json')
  copyFileSync(note, `${note}.kept`)
  await app.close()
  spoil(join(dataDir, 'lifestats.db'))
  copyFileSync(`${note}.kept`, note)
  writeFileSync(join(dataDir, 'lifestats.db-wal'), '')
}

test('a damaged full-text index is rebuilt after an unclean stop', async () => {
  using folder = makeTempFolder()
  await recordAndCrash(folder.path, (path) => {
    const db = new Database(path)
    db.exec("INSERT INTO prompts_fts (prompts_fts) VALUES ('delete-all')")
    db.close()
  })
  await using app = await startApp({ upstream: upstream.url, dataDir: folder.path })
  await until('it is whole again', async () => {
    const { full_text } = await app.call<{ full_text: string[] }>('store.check')
    return full_text.length === 0
  })
  // While the index is replaced, another connection may fail to open it.
  await expect
    .poll(() => {
      const words = new Database(join(folder.path, 'lifestats.db'), { readonly: true })
      try {
        return words.prepare("SELECT count(*) FROM prompts_fts WHERE prompts_fts MATCH 'themes'").pluck().get()
      } finally {
        words.close()
      }
    })
    .toBe(3)
  await app.recorderRuns()
  await expect.poll(async () => (await app.running.health()).warnings).toEqual([])
})

test('an index damaged while the app records is rebuilt, including events that arrive meanwhile', async () => {
  using folder = makeTempFolder()
  await using app = await startApp({ upstream: upstream.url, dataDir: folder.path })
  await say(app, 'question 1 on themes')
  await until('it is recorded', async () => (await prompts(app)) === 1)
  const db = new Database(join(folder.path, 'lifestats.db'))
  db.unsafeMode(true)
  db.exec("UPDATE prompts_fts_data SET block = x'00000000ffffffffffffffffffffff' WHERE id = 10")
  await say(app, 'question 2 on themes')
  await until('it is recorded too', async () => (await prompts(app)) === 2)
  await app.recorderRuns()
  expect(db.prepare("SELECT count(*) FROM prompts_fts WHERE prompts_fts MATCH 'themes'").pluck().get()).toBe(2)
  db.close()
  await expect.poll(() => app.running.health()).toMatchObject({ dropped: NONE, spooled: 0, warnings: [] })
})

test('a damaged database is renamed and reported, and recording continues in a new one', async () => {
  using folder = makeTempFolder()
  await recordAndCrash(folder.path, (path) => {
    const bytes = readFileSync(path)
    // All but the first page and the schema: every table is torn.
    bytes.fill(0xa5, 4096 * 40)
    writeFileSync(path, bytes)
  })
  await using app = await startApp({ upstream: upstream.url, dataDir: folder.path })
  await say(app, 'a question after the damage', 'new')
  await until('it is recorded', async () => {
    try {
      return (await prompts(app)) === 1
    } catch {
      return false
    }
  })
  await app.recorderRuns()
  const aside = readdirSync(folder.path).filter((name) => /^lifestats\.db\.damaged-\d{8}T\d{6}Z$/.test(name))
  expect(aside).toHaveLength(1)
  await expect
    .poll(() => app.running.health())
    .toMatchObject({
      warnings: [{ code: 'database_set_aside', message: expect.stringContaining(aside[0] ?? '') }],
      recorder: 'running',
      dropped: NONE,
    })
})

test('what can be read of a torn database is salvaged, and its sessions continue', async () => {
  using folder = makeTempFolder()
  const path = join(folder.path, 'lifestats.db')
  await recordAndCrash(folder.path, () => tear(path, 'events_by_kind_time'))
  await using app = await startApp({ upstream: upstream.url, dataDir: folder.path })
  await say(app, 'question 4 on themes')
  await until('all is back', async () => (await prompts(app).catch(() => 0)) === 4)
  await app.recorderRuns()
  const db = new Database(path, { readonly: true })
  expect(db.prepare("SELECT DISTINCT turn_id FROM events WHERE kind = 'user_prompt' ORDER BY 1").pluck().all()).toEqual(
    [1, 2, 3, 4],
  )
  db.close()
  await expect
    .poll(() => app.running.health())
    .toMatchObject({
      warnings: [
        { code: 'database_set_aside', message: expect.stringMatching(/^The database was damaged.*It has \d+ events/) },
      ],
      dropped: NONE,
    })
})

/** Overwrites the root page of a table or index with zeros. */
function tear(path: string, name: string): void {
  const db = new Database(path)
  const page = Number(db.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?').pluck().get(name))
  db.pragma('wal_checkpoint(TRUNCATE)')
  db.close()
  const bytes = readFileSync(path)
  bytes.fill(0, 4096 * (page - 1), 4096 * page)
  writeFileSync(path, bytes)
}

test('a file that is not a database is renamed too', async () => {
  using folder = makeTempFolder()
  writeFileSync(join(folder.path, 'lifestats.db'), 'this is a letter, and has been for longer than a page'.repeat(200))
  await using app = await startApp({ upstream: upstream.url, dataDir: folder.path })
  await say(app, 'hello')
  await until('it is recorded', async () => (await prompts(app).catch(() => 0)) === 1)
  await app.recorderRuns()
  await expect
    .poll(async () => (await app.running.health()).warnings.map(({ code }) => code))
    .toEqual(['database_set_aside'])
})
