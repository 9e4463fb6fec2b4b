import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ask } from '../../support/app/ask.ts'
import { readableSecretsIn, secretsIn } from '../../support/store/byte-scan.ts'
import { startMessagesUpstream, type MessagesUpstream } from '../../support/upstream/messages-upstream.ts'
import { startApp, type TestApp } from '../../support/app/start-app.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'
import { until } from '../../support/runner/until.ts'

const WORDS = ['wombatpromptword7', 'okapianswerword77', 'ibisthinkingword7', 'gibbontranscript7']
const [PROMPT, ANSWER, THOUGHT, LINE] = WORDS

let upstream: MessagesUpstream
beforeAll(async () => {
  upstream = await startMessagesUpstream(() => ({
    steps: [{ thinking: `I think ${THOUGHT}` }, { text: `Take ${ANSWER}` }],
    usage: { input_tokens: 1000, output_tokens: 100 },
  }))
})
afterAll(() => upstream.close())

const responses = (app: TestApp, session_id: string) => app.count({ session_id, kind: 'model_response' })

const importFrom = (app: TestApp, path: string) => app.run('transcripts.import', { paths: [path] })

test('a session deleted while the app runs is in nothing that can be read, stays deleted, and nothing else changes', async () => {
  using folder = makeTempFolder()
  const transcript = join(folder.path, 'gone.jsonl')
  const line = {
    type: 'user',
    uuid: '00000000-0000-7000-8000-000000000001',
    parentUuid: null,
    sessionId: 'gone',
    cwd: '/home/user/project',
    timestamp: '2026-11-20T10:00:00.000Z',
    message: { role: 'user', content: `earlier: ${LINE}` },
  }
  writeFileSync(transcript, `${JSON.stringify(line)}\n`)
  const dataDir = join(folder.path, 'data')
  mkdirSync(dataDir)
  const app = await startApp({ upstream: upstream.url, dataDir })
  try {
    await (await ask(app.proxy, { prompt: `please ${PROMPT}`, session: 'gone' })).text()
    await (await ask(app.proxy, { prompt: 'something else', session: 'stays' })).text()
    await importFrom(app, transcript)
    await until('all is recorded', async () => (await responses(app, 'gone')) + (await responses(app, 'stays')) === 2)
    expect(new Set(secretsIn(dataDir, WORDS).map((found) => found.split(': ')[1]))).toEqual(new Set(WORDS))
    const stays = await app.count({ session_id: 'stays' })

    const deleted = await app.call('sessions.delete', { session_id: 'gone' })
    expect(deleted).toMatchObject({ session_id: 'gone', events: expect.any(Number) })
    // What both sessions were answered stays with the other; only the words of its own are looked for.
    expect(readableSecretsIn(dataDir, [PROMPT ?? '', LINE ?? ''])).toEqual([])
    expect(existsSync(join(dataDir, 'logs', 'session-gone.jsonl'))).toBe(false)
    await app.call('store.vacuum')
    expect(secretsIn(dataDir, [PROMPT ?? '', LINE ?? ''])).toEqual([])
    expect(await app.count({ session_id: 'stays' })).toBe(stays)
    expect(await app.call('stats.summary')).toMatchObject({ total_sessions: 1, total_prompts: 1, total_tokens: 1100 })

    await importFrom(app, transcript)
    await (await ask(app.proxy, { prompt: `please ${PROMPT}`, session: 'gone' })).text()
    await until('what comes of it is counted', async () => {
      const { dropped } = await app.running.health()
      return (dropped['deleted_session'] ?? 0) > 5
    })
    expect(await app.count({ session_id: 'gone' })).toBe(0)
    expect(readableSecretsIn(dataDir, [PROMPT ?? '', LINE ?? ''])).toEqual([])
    expect((await app.running.health()).warnings.map(({ code }) => code)).not.toContain('dropped_deleted_session')
    await expect(app.call('sessions.delete', { session_id: 'never-was' })).rejects.toMatchObject({ code: 'not_found' })
  } finally {
    await app.close()
  }
  const again = await startApp({ upstream: upstream.url, dataDir })
  try {
    expect(await again.count()).toBeGreaterThan(0)
    await importFrom(again, transcript)
    expect(await again.count({ session_id: 'gone' })).toBe(0)
  } finally {
    await again.close()
  }
  expect(readableSecretsIn(dataDir, [PROMPT ?? '', LINE ?? ''])).toEqual([])
})
