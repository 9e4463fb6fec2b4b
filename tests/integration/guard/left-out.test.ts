import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { ask } from '../../support/app/ask.ts'
import { startApp, type TestApp } from '../../support/app/start-app.ts'
import { farFromMidnight } from '../../support/runner/far-from-midnight.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'
import { until } from '../../support/runner/until.ts'
import { message, startResponsesUpstream } from '../../support/upstream/responses-upstream.ts'
import { lastUserText, startMessagesUpstream } from '../../support/upstream/messages-upstream.ts'

interface GuardStatus {
  readonly caps: readonly { readonly cap: string; readonly used?: number }[]
  readonly in_flight: number
  readonly lower_bound: { readonly requests: number }
}

/** 11,000 tokens an answer, of 32,000 that its request reserves. */
const ANSWER = { steps: [{ text: 'an answer' }], usage: { input_tokens: 1000, output_tokens: 10_000 } }
const SETTINGS = {
  'guard.day_tokens': 1_000_000,
  'guard.strict': true,
  'guard.action': 'refuse',
  'guard.decide_ms': 10_000,
}

async function answered(app: TestApp, prompt: string, session = 'gone', run = ''): Promise<GuardStatus> {
  await (await ask(run === '' ? app.proxy : `${app.proxy}/aspy-run-${run}`, { prompt, session })).text()
  return settled(app)
}

async function settled(app: TestApp): Promise<GuardStatus> {
  await until('it is settled', async () => (await app.call<GuardStatus>('guard.get')).in_flight === 0)
  return app.call<GuardStatus>('guard.get')
}
const dayOf = ({ caps, lower_bound: { requests } }: GuardStatus) => [caps[0]?.used, requests]

test('an answer of a deleted session counts what it cost, not its estimate, also after a restart', async () => {
  await farFromMidnight()
  await using upstream = await startMessagesUpstream(({ body }) =>
    lastUserText(body) === 'bad' ? { status: 400 } : ANSWER,
  )
  using folder = makeTempFolder()
  const options = { upstream: upstream.url, settings: SETTINGS, dataDir: folder.path }
  await using app = await startApp(options)
  await answered(app, 'one')
  await app.call('sessions.delete', { session_id: 'gone' })
  expect(dayOf(await answered(app, 'two'))).toEqual([11_000, 0])
  expect(dayOf(await answered(app, 'three'))).toEqual([22_000, 0])
  expect(dayOf(await answered(app, 'bad'))).toEqual([22_000, 0])
  await app.close()
  await using next = await startApp(options)
  expect(dayOf(await next.call<GuardStatus>('guard.get'))).toEqual([22_000, 0])
})

test.each(['api_usage', 'model_response'])('so does an answer whose %s a filter drops', async (kind) => {
  await farFromMidnight()
  await using upstream = await startMessagesUpstream(() => ANSWER)
  const filter = { 'filter.drop_kinds': [kind] }
  await using app = await startApp({ upstream: upstream.url, settings: { ...SETTINGS, ...filter } })
  expect(dayOf(await answered(app, 'one'))).toEqual([11_000, 0])
})

test('so does an answer of OpenAI', async () => {
  await farFromMidnight()
  const usage = { input_tokens: 60, output_tokens: 1000, total_tokens: 1060 }
  await using upstream = await startResponsesUpstream(() => ({ output: [message('Done.')], usage }))
  const own = { 'proxy.upstreams': { openai: upstream.url, chatgpt: upstream.url } }
  await using app = await startApp({ upstream: upstream.url, settings: { ...SETTINGS, ...own } })
  const session = randomUUID()
  const send = async () => {
    const response = await fetch(`${app.proxy}/openai/v1/responses`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer sk-proj-dummy', 'session-id': session },
      body: JSON.stringify({ model: 'gpt-5.6-sol', stream: true, max_output_tokens: 20_000, input: 'a question' }),
    })
    await response.text()
    return settled(app)
  }
  await send()
  const { items } = await app.call<{ items: readonly { id: string }[] }>('sessions.list')
  await app.call('sessions.delete', { session_id: items[0]?.id })
  expect(dayOf(await send())).toEqual([1060, 0])
})

test('a run knows the deleted sessions that its requests belong to, also of a refused one', async () => {
  await using upstream = await startMessagesUpstream(() => ANSWER)
  await using app = await startApp({
    upstream: upstream.url,
    settings: { ...SETTINGS, 'guard.request_tokens': 50_000 },
  })
  const [run, other] = ['a'.repeat(32), 'b'.repeat(32)]
  for (const session of ['gone', 'stays']) await answered(app, 'one', session)
  await app.call('sessions.delete', { session_id: 'gone' })
  await answered(app, 'two', 'gone', run)
  await answered(app, 'two', 'stays', run)
  await answered(app, 'long '.repeat(50_000), 'gone', other)
  const deletedOf = async (name: string) =>
    (await app.call<{ deleted: unknown }>('runs.exchanges', { run: name })).deleted
  await until('the refusal is known', async () => JSON.stringify(await deletedOf(other)) === '["gone"]')
  expect(await deletedOf(run)).toEqual(['gone'])
  expect(upstream.count('messages')).toBe(4)
})
