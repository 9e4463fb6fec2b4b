import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { ask } from '../../support/app/ask.ts'
import { startApp, type TestApp } from '../../support/app/start-app.ts'
import { startMessagesUpstream } from '../../support/upstream/messages-upstream.ts'
import { until } from '../../support/runner/until.ts'

const ANSWER = { steps: [{ text: 'an answer' }], usage: { input_tokens: 1000, output_tokens: 10 } }
/** Every request is over this cap. One that a slow machine cannot price in time is held too. */
const HOLDING = {
  'guard.request_tokens': 10,
  'guard.action': 'hold',
  'guard.decide_ms': 10_000,
  'guard.fail_open': false,
}

interface GuardStatus {
  readonly held: readonly { readonly id: string; readonly session_id: string }[]
  readonly counts: Readonly<Record<string, number>>
}
const status = (app: TestApp) => app.call<GuardStatus>('guard.get')
const waiting = (app: TestApp, count: number) =>
  until(`${count} requests wait`, async () => (await status(app)).held.length === count)

async function actionsOf(app: TestApp): Promise<readonly string[]> {
  const { items } = await app.call<{ items: readonly { payload: { action: string; decided_by: string } }[] }>(
    'events.list',
    { kind: 'guard_action' },
  )
  return items.map(({ payload }) => `${payload.action} by ${payload.decided_by}`).sort()
}

test('an allowed request reaches the upstream with every byte, and holds up no other', async () => {
  await using upstream = await startMessagesUpstream(() => ANSWER)
  await using app = await startApp({ upstream: upstream.url, settings: HOLDING })
  const body = JSON.stringify({ model: 'claude-sonnet-5-5', max_tokens: 100, messages: [], pad: 'é'.repeat(3_000_000) })
  const answer = fetch(`${app.proxy}/v1/messages`, { method: 'POST', body, headers: { 'x-api-key': 'sk-ant-dummy' } })
  await waiting(app, 1)
  expect(upstream.requests).toEqual([])
  expect(
    (await fetch(`${app.proxy}/v1/messages/count_tokens`, { method: 'POST', body: '{"messages":[]}' })).status,
  ).toBe(200)
  const [held] = (await status(app)).held
  const release = (input: string, token = app.token) =>
    fetch(`${app.app}/api/guard/release`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: input,
    })
  const id = held?.id
  for (const [input, code] of [
    ['{', 400],
    ['[]', 400],
    [{}, 400],
    [{ id }, 400],
    [{ id, decision: 'maybe' }, 400],
    [{ id, decision: 'once', to: 5 }, 400],
    [{ id, decision: 'raise', to: 10 }, 400],
    [{ id, decision: 'raise', to: -1 }, 400],
    [{ id, decision: 'raise', to: 'much' }, 400],
    [{ id: 'another', decision: 'once' }, 404],
  ] as const) {
    const body = typeof input === 'string' ? input : JSON.stringify(input)
    expect([body, (await release(body)).status]).toEqual([body, code])
  }
  expect((await release(JSON.stringify({ id, decision: 'once' }), 'no key')).status).toBe(401)
  expect((await status(app)).held).toHaveLength(1)
  const released = await release(JSON.stringify({ id, decision: 'once' }))
  expect(await released.json()).toEqual({ released: 1 })
  expect((await answer).status).toBe(200)
  await (await answer).text()
  expect(upstream.requests.at(-1)?.bytes.equals(Buffer.from(body))).toBe(true)
})

test('the wait ends when the client leaves: nothing is sent', async () => {
  await using upstream = await startMessagesUpstream(() => ANSWER)
  await using app = await startApp({ upstream: upstream.url, settings: HOLDING })
  const leaving = new AbortController()
  const body = JSON.stringify({ model: 'claude-sonnet-5-5', max_tokens: 100, messages: [] })
  const answer = fetch(`${app.proxy}/v1/messages`, { method: 'POST', body, signal: leaving.signal })
  await waiting(app, 1)
  const [held] = (await status(app)).held
  // Neither names a session, so they are not of one.
  const other = fetch(`${app.proxy}/v1/messages`, { method: 'POST', body })
  await waiting(app, 2)
  const stopped = (await status(app)).held.find(({ id }) => id !== held?.id)
  expect(await app.call('guard.release', { id: stopped?.id, decision: 'stop' })).toEqual({ released: 1 })
  expect((await other).status).toBe(402)
  expect((await status(app)).held).toEqual([held])
  leaving.abort()
  await expect(answer).rejects.toThrow('abort')
  await waiting(app, 0)
  await expect(app.call('guard.release', { id: held?.id, decision: 'once' })).rejects.toMatchObject({
    code: 'not_found',
    message: expect.stringMatching(
      /raise its cap with .*aspy config set guard.day_usd N --data [/].*, or guard[.]projects/,
    ),
  })
  await until('the end is an event', async () => (await app.count({ kind: 'guard_action' })) === 4)
  expect(await actionsOf(app)).toEqual(['ended by client', 'held by rule', 'held by rule', 'refused by person'])
  expect(upstream.requests).toEqual([])
})

test('the wait ends when the app stops: the client gets an answer', async () => {
  await using upstream = await startMessagesUpstream(() => ANSWER)
  const app = await startApp({ upstream: upstream.url, settings: HOLDING })
  const answer = ask(app.proxy, { prompt: 'a question' })
  await waiting(app, 1)
  await until('the wait is an event', async () => (await app.count({ kind: 'guard_action' })) === 1)
  const { items } = await app.call<{ items: readonly { id: number; turn_id: number; kind: string }[] }>('events.list')
  const order = items.toSorted((one, other) => one.id - other.id).map(({ kind, turn_id: turn }) => `${turn} ${kind}`)
  // The prompt begins the turn that the guard acts in.
  expect(order).toEqual(['1 user_prompt', '1 model_request', '1 guard_action'])
  await app.close()
  expect((await answer).status).toBe(402)
  expect(await (await answer).text()).toContain('Aspy is stopping')
  expect(upstream.requests).toEqual([])
})

test('raising a cap frees the others below it; stopping refuses the session', async () => {
  await using upstream = await startMessagesUpstream(() => ANSWER)
  await using app = await startApp({
    upstream: upstream.url,
    settings: { 'guard.session_tokens': 1500, 'guard.decide_ms': 10_000 },
  })
  const session = randomUUID()
  // Each is about 1,100 tokens: the output of an agent without history is taken as 1,000.
  const [first, second, third] = ['one', 'two', 'three'].map((prompt) => ask(app.proxy, { prompt, session }))
  await waiting(app, 2)
  await until('the first is stored', async () => (await app.count({ kind: 'api_usage' })) === 1)
  const raised = (await status(app)).held[0]
  expect(await app.call('guard.release', { id: raised?.id, decision: 'raise' })).toEqual({ released: 1 })
  await until('two are sent', async () => upstream.count('messages') === 2)
  await until('both are stored', async () => (await app.count({ kind: 'api_usage' })) === 2)
  const left = (await status(app)).held
  const others = ['four', 'five'].map((prompt) => ask(app.proxy, { prompt, session: randomUUID() }))
  const apart = ['six', 'seven'].map((prompt) => ask(app.proxy, { prompt, session: 'apart' }))
  await waiting(app, left.length + 1)
  for (const { id } of left.slice(0, 1)) await app.call('guard.release', { id, decision: 'stop' })
  const statuses = (await Promise.all([first, second, third])).map((answer) => answer?.status)
  expect(statuses.filter((code) => code === 402)).toHaveLength(left.length)
  const rest = (await status(app)).held
  expect(rest.map(({ session_id }) => session_id)).toEqual(['apart'])
  await app.call('guard.release', { id: rest[0]?.id, decision: 'once' })
  for (const answer of await Promise.all([...others, ...apart])) expect(answer.status).toBe(200)
  expect((await status(app)).held).toEqual([])
})

test('while [guard] is changed, what waits is compared with the new caps, and nothing passes meanwhile', async () => {
  await using upstream = await startMessagesUpstream(() => ANSWER)
  await using app = await startApp({ upstream: upstream.url })
  const set = (key: string, value: unknown) => app.call('config.set', { key: `guard.${key}`, value })
  for (const [key, value] of Object.entries(HOLDING)) await app.call('config.set', { key, value })
  const short = ask(app.proxy, { prompt: 'short' })
  await waiting(app, 1)
  const long = Array.from({ length: 12 }, () => ask(app.proxy, { prompt: 'long '.repeat(20_000) }))
  for (const seconds of [100, 200, 300]) await set('hold_seconds', seconds)
  await waiting(app, 13)
  await set('request_tokens', 5000)
  expect((await short).status).toBe(200)
  await waiting(app, 12)
  const { held, counts } = await app.call<{ held: readonly { over: object }[]; counts: object }>('guard.get')
  expect(held.map(({ over }) => over)).toEqual(
    Array.from({ length: 12 }, () => expect.objectContaining({ limit: 5000 })),
  )
  expect(counts).toMatchObject({ checked: 13, unpriced: 0, allowed: 1, refused: 0 })
  await set('action', 'refuse')
  expect(new Set((await Promise.all(long)).map((answer) => answer.status))).toEqual(new Set([402]))
  expect(upstream.count('messages')).toBe(1)
  await set('action', 'hold')
  const last = ask(app.proxy, { prompt: 'long '.repeat(20_000) })
  await waiting(app, 1)
  await set('request_tokens', 0)
  expect((await last).status).toBe(200)
})

test('requests sent together reserve their estimates: none of 50 goes over the cap', async () => {
  await using upstream = await startMessagesUpstream(() => ({ steps: [{ hold: 'open' }, ...ANSWER.steps] }))
  await using app = await startApp({
    upstream: upstream.url,
    settings: {
      'guard.session_tokens': 330_000,
      'guard.strict': true,
      'guard.action': 'refuse',
      'guard.decide_ms': 10_000,
    },
  })
  const session = randomUUID()
  const answers = Array.from({ length: 50 }, (_, at) =>
    ask(app.proxy, { prompt: 'a question', session, headers: { 'x-claude-code-agent-id': `agent-${at}` } }),
  )
  await until('all are decided', async () => {
    const { checked = 0 } = (await status(app)).counts
    return checked === 50
  })
  upstream.release('open')
  const statuses = (await Promise.all(answers)).map((answer) => answer.status)
  // Each may have 32,000 tokens of output, and has about 100 of input.
  expect(statuses.filter((code) => code === 200)).toHaveLength(10)
  expect(statuses.filter((code) => code === 402)).toHaveLength(40)
  expect(upstream.count('messages')).toBe(10)
})
