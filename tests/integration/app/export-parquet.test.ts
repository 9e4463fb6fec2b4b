import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ask } from '../../support/app/ask.ts'
import { aspyHere } from '../../support/app/aspy-here.ts'
import { duckRows } from '../../support/app/duckdb.ts'
import { startApp } from '../../support/app/start-app.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'
import { until } from '../../support/runner/until.ts'
import { secretsIn } from '../../support/store/byte-scan.ts'
import { startMessagesUpstream, type MessagesUpstream } from '../../support/upstream/messages-upstream.ts'

const SECRET = `sk-ant-api03-${'Ab1_'.repeat(23)}QQAA`
const LONG = 'word '.repeat(100_000)

let upstream: MessagesUpstream
beforeAll(async () => {
  upstream = await startMessagesUpstream(() => ({
    steps: [{ thinking: 'Hm.' }, { text: 'Done.' }],
    usage: { input_tokens: 1000, output_tokens: 100 },
  }))
})
afterAll(() => upstream.close())

test('an export while the app runs: any session id, redacted, and without hidden or deleted sessions', async () => {
  await using app = await startApp({ upstream: upstream.url })
  using folder = makeTempFolder()
  const out = join(folder.path, 'out')
  const run = () => aspyHere(['export', '--parquet', out, '--data', app.data])
  const kept = ['plain', 'Plain', '../../up', 'a/b', "quo'te=%41 é"]
  for (const [at, session] of [...kept, 'hidden', 'deleted'].entries())
    await app.call('events.post', {
      session_id: session,
      kind: 'user_prompt',
      payload: { text: `prompt ${at} of ${session} with ${SECRET} and \u0000 \ud800 😀` },
    })
  await (await ask(app.proxy, { prompt: 'what does it cost?', session: 'priced' })).text()
  await until('it is recorded', async () => (await app.count({ kind: 'model_response' })) === 1)
  expect(await run()).toMatchObject({ code: 0, stderr: '' })
  const sessions = `SELECT DISTINCT session_id AS id FROM 'events/**/*.parquet' ORDER BY 1`
  const ids = async () => (await duckRows(out, sessions)).map(({ id }) => id)
  expect(await ids()).toEqual([...kept, 'hidden', 'deleted', 'priced'].sort())

  await app.call('sessions.delete_soon', { session_id: 'hidden' })
  await app.call('sessions.delete', { session_id: 'deleted' })
  expect((await run()).stdout).toContain('Exported 6 sessions')
  expect(await ids()).toEqual([...kept, 'priced'].sort())
  expect(readdirSync(folder.path)).toEqual(['out'])
  const names = readdirSync(join(out, 'texts'), { recursive: true, encoding: 'utf8' })
  const sessionFolders = names.filter((name) => /^month=\d{4}-\d\d\/session=[\w-]+(\.[0-9a-f]{16})?$/.test(name))
  // Also where upper and lower case are the same.
  expect(new Set(sessionFolders.map((name) => name.toLowerCase())).size).toBe(6)
  expect(JSON.stringify(readdirSync(out, { recursive: true }))).not.toMatch(/hidden|deleted/)
  expect(secretsIn(out, [SECRET])).toEqual([])
  const texts = await duckRows(out, `SELECT text FROM 'texts/**/*.parquet' WHERE session_id = '../../up'`)
  expect(String(texts[0]?.['text'])).toMatch(/^prompt 2 of \.\.\/\.\.\/up with \[redacted:anthropic-key:.*😀$/s)
  expect(await duckRows(out, `SELECT text FROM 'texts/**/*.parquet' WHERE text LIKE '%${SECRET}%'`)).toEqual([])
  const usage = await duckRows(out, `SELECT input_tokens::INT AS i, output_tokens::INT AS o FROM 'usage/**/*.parquet'`)
  expect(usage).toEqual([{ i: 1000, o: 100 }])
})

test('a long session is written in several row groups, in order and whole', async () => {
  await using app = await startApp({ upstream: upstream.url })
  using folder = makeTempFolder()
  const out = join(folder.path, 'out')
  for (let at = 0; at < 20; at++)
    await app.call('events.post', {
      session_id: 'long',
      kind: 'user_prompt',
      payload: { text: `${at} ${LONG}` },
    })
  expect((await aspyHere(['export', '--parquet', out, '--data', app.data, '--session', 'long'])).code).toBe(0)
  const groups = await duckRows(
    out,
    `SELECT count(DISTINCT row_group_id)::INT AS n FROM parquet_metadata('texts/**/*.parquet')`,
  )
  expect(groups).toEqual([{ n: 3 }])
  const texts = await duckRows(out, `SELECT text FROM 'texts/**/*.parquet' ORDER BY turn_id, seq`)
  expect(texts.map(({ text }) => text === `${texts.findIndex((row) => row['text'] === text)} ${LONG}`)).toEqual(
    Array.from({ length: 20 }, () => true),
  )
  const unknown = await aspyHere([
    'export',
    '--parquet',
    join(folder.path, 'no'),
    '--data',
    app.data,
    '--session',
    'none',
  ])
  expect(unknown.code).toBe(1)
  expect(readdirSync(folder.path)).toEqual(['out'])
})
