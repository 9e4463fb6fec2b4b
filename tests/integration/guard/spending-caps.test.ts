import { randomUUID } from 'node:crypto'
import { expect, test, vi } from 'vitest'
import type { OperationOutput } from '../../../src/shared/contract/index.ts'
import { ask, type Question } from '../../support/app/ask.ts'
import { farFromMidnight } from '../../support/runner/far-from-midnight.ts'
import { startApp, type TestApp } from '../../support/app/start-app.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'
import { lastUserText, startMessagesUpstream } from '../../support/upstream/messages-upstream.ts'
import { until } from '../../support/runner/until.ts'

/** Sonnet 5.5 as the fake upstream answers: 10,000 tokens of output. */
const ANSWER = { steps: [{ text: 'an answer' }], usage: { input_tokens: 1000, output_tokens: 10_000 } }
/** The machine that runs the tests may be busy; the limit is tested on its own. */
const PATIENT = { 'guard.decide_ms': 10_000 }

interface GuardStatus {
  readonly enabled: boolean
  readonly held: readonly { readonly id: string; readonly over: { readonly cap: string } }[]
  readonly counts: Readonly<Record<string, number>>
}
const status = (app: TestApp) => app.call<GuardStatus>('guard.get')

test('refuses a session over its cap with a 402 in the shape of the API, and no other session', async () => {
  await using upstream = await startMessagesUpstream(() => ANSWER)
  await using app = await startApp({
    upstream: upstream.url,
    settings: { 'guard.session_usd': 0.1, 'guard.action': 'refuse', ...PATIENT },
  })
  const first = await ask(app.proxy, { prompt: 'one', session: 'spender' })
  expect(first.status).toBe(200)
  await first.text()
  await until('its cost is stored', async () => (await app.count({ kind: 'api_usage' })) === 1)
  const second = await ask(app.proxy, { prompt: 'two', session: 'spender' })
  expect(second.status).toBe(402)
  expect(second.headers.get('content-type')).toBe('application/json')
  expect(await second.json()).toEqual({
    type: 'error',
    error: {
      type: 'billing_error',
      message: expect.stringMatching(/^Aspy's guard stopped this request: .*session_usd/),
    },
  })
  expect((await ask(app.proxy, { prompt: 'three', session: 'other' })).status).toBe(200)
  expect(upstream.count('messages')).toBe(2)
  expect((await status(app)).counts).toEqual({
    checked: 3,
    unpriced: 0,
    notified: 0,
    held: 0,
    allowed: 0,
    refused: 1,
    gave_up: 0,
  })
  await until('the action is an event', async () => (await app.count({ kind: 'guard_action' })) === 1)
  const { items } = await app.call<{ items: readonly { payload: object }[] }>('events.list', { kind: 'guard_action' })
  expect(items).toMatchObject([
    { session_id: 'spender', payload: { action: 'refused', cap: 'session_usd', decided_by: 'rule', limit: 0.1 } },
  ])
})

test('holds a request over the cap of the day until a person allows it', async () => {
  await farFromMidnight()
  await using upstream = await startMessagesUpstream(() => ANSWER)
  await using app = await startApp({ upstream: upstream.url, settings: { 'guard.day_usd': 0.1, ...PATIENT } })
  await (await ask(app.proxy, { prompt: 'one' })).text()
  await until('its cost is stored', async () => (await app.count({ kind: 'api_usage' })) === 1)
  const answer = ask(app.proxy, { prompt: 'two' })
  await until('the request waits', async () => (await status(app)).held.length === 1)
  expect(upstream.count('messages')).toBe(1)
  const [held] = (await status(app)).held
  expect(held?.over.cap).toBe('day_usd')
  expect(await app.call('guard.release', { id: held?.id, decision: 'once' })).toEqual({ released: 1 })
  const whole = await (await answer).text()
  expect(whole).toContain('an answer')
  expect(whole).toContain('message_stop')
  expect((await status(app)).held).toEqual([])
})

test("a session that goes on in another folder obeys that folder's cap, with its agents, and counts in it", async () => {
  await farFromMidnight()
  await using upstream = await startMessagesUpstream(() => ANSWER)
  const projects = [{ project: '/elsewhere', day_usd: 0.103 }]
  const settings = { 'guard.projects': projects, 'guard.action': 'refuse', ...PATIENT }
  await using app = await startApp({ upstream: upstream.url, settings })
  const asked = async (more: Pick<Question, 'history' | 'headers'>) => {
    const answer = await ask(app.proxy, { prompt: randomUUID(), session: 'resumed', ...more })
    await answer.text()
    await until(
      'its cost is stored',
      async () => (await app.count({ kind: 'api_usage' })) === upstream.count('messages'),
    )
    return answer.status
  }
  const told = (text: string) => ({ role: 'system', content: [{ type: 'text', text }] })
  const begun = told(
    '# Environment\nYou run here: \n - Primary working directory: /home/user/project\n - Platform: linux',
  )
  const moved = told('# Environment update\n - Primary working directory: /elsewhere (was /home/user/project)')
  const agent = { 'x-claude-code-agent-id': 'an-agent' }
  expect(await asked({ history: [begun] })).toBe(200)
  expect(await asked({ history: [begun, moved] })).toBe(200)
  const { project_caps: caps } = await app.call<OperationOutput<'guard.get'>>('guard.get')
  expect(caps).toEqual([{ project: '/elsewhere', cap: 'day_usd', limit: 0.103, used: expect.closeTo(0.102, 2) }])
  expect(await asked({ headers: agent })).toBe(402)
  expect(await asked({ history: [begun, moved] })).toBe(402)
  expect(await asked({ history: [begun] })).toBe(200)
})

test('after a restart, what was spent while the clock was ahead counts in the day that it shows', async () => {
  await farFromMidnight()
  using folder = makeTempFolder()
  await using upstream = await startMessagesUpstream(() => ANSWER)
  const settings = { 'guard.day_usd': 0.1, 'guard.action': 'refuse', ...PATIENT }
  const start = () => startApp({ upstream: upstream.url, dataDir: folder.path, settings })
  try {
    vi.setSystemTime(Date.now() + 3 * 86_400_000)
    await using app = await start()
    await (await ask(app.proxy, { prompt: 'one' })).text()
    await until('its cost is stored', async () => (await app.count({ kind: 'api_usage' })) === 1)
  } finally {
    vi.useRealTimers()
  }
  await using app = await start()
  expect((await ask(app.proxy, { prompt: 'two' })).status).toBe(402)
  const { caps } = await app.call<{ caps: readonly { used: number }[] }>('guard.get')
  expect(caps).toEqual([{ cap: 'day_usd', limit: 0.1, used: expect.closeTo(0.102, 2) }])
})

test('requests sent together count as long as recorded answers of their model were, not by their max_tokens', async () => {
  await using upstream = await startMessagesUpstream(({ body }) => ({
    steps: [...(lastUserText(body) === 'together' ? [{ hold: 'open' }] : []), { text: 'an answer' }],
    usage: { input_tokens: 100, output_tokens: 500 },
  }))
  // A quarter of their max_tokens would let 3 pass; 12 answers of 500 tokens cost $0.06.
  const settings = { 'guard.session_usd': 0.2, 'guard.action': 'refuse', 'guard.fail_open': false, ...PATIENT }
  await using app = await startApp({ upstream: upstream.url, settings })
  for (let at = 0; at < 20; at += 1) await (await ask(app.proxy, { prompt: 'one', session: `s${at}` })).text()
  await until('their costs are stored', async () => (await app.count({ kind: 'api_usage' })) === 20)
  const agents = Array.from({ length: 12 }, (_, at) => ({ 'x-claude-code-agent-id': `agent-${at}` }))
  const sent = agents.map((headers) => ask(app.proxy, { prompt: 'together', session: 'fan-out', headers }))
  await until('all are decided', async () => (await status(app)).counts['checked'] === 32)
  upstream.release('open')
  expect((await Promise.all(sent)).map((answer) => answer.status)).toEqual(agents.map(() => 200))
  await until(
    'their costs are stored',
    async () => (await app.call<{ in_flight: number }>('guard.get')).in_flight === 0,
  )
  const { most_in_flight: most, strict } = await app.call<OperationOutput<'guard.get'>>('guard.get')
  // Those before count until their cost is stored, which a busy machine delays.
  expect(most).toBeGreaterThanOrEqual(12)
  expect(strict).toBe(false)
})

test('an answer that the client leaves early goes on counting in its session', async () => {
  await using upstream = await startMessagesUpstream(() => ({
    steps: [{ text: 'it begins' }, { hold: 'for ever' }, { text: 'and never ends' }],
  }))
  // A first answer reserves 8,000 tokens, at least $0.08.
  const settings = { 'guard.session_usd': 0.05, 'guard.action': 'refuse', ...PATIENT }
  await using app = await startApp({ upstream: upstream.url, settings })
  const leaving = await ask(app.proxy, { prompt: 'one', session: 'leaver' })
  await leaving.body?.cancel()
  await until('what it said is stored', async () => (await app.count({ kind: 'model_response' })) === 1)
  expect((await ask(app.proxy, { prompt: 'two', session: 'leaver' })).status).toBe(402)
  const other = await ask(app.proxy, { prompt: 'three', session: 'other' })
  expect(other.status).toBe(200)
  await other.body?.cancel()
})
