import { execFile } from 'node:child_process'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { ask } from '../../support/app/ask.ts'
import { startAspy } from '../../support/app/aspy-command.ts'
import { freePort } from '../../support/runner/free-port.ts'
import { startMessagesUpstream, type MessagesUpstream } from '../../support/upstream/messages-upstream.ts'
import { NONE } from '../../support/runner/none.ts'
import {
  answers,
  floods,
  hangs,
  startSinkReceiver,
  takes,
  type SinkReceiver,
} from '../../support/upstream/sink-receiver.ts'
import { startApp, type TestApp } from '../../support/app/start-app.ts'
import { makeTempFolder, type TempFolder } from '../../support/runner/temp-folder.ts'
import { until } from '../../support/runner/until.ts'
import { few, heavily } from '../../support/runner/heavy.ts'

interface Delivery {
  readonly delivery: string
  readonly events: readonly { id: number; uuid: string; kind: string; session_id: string; payload: { text?: string } }[]
}

let upstream: MessagesUpstream
let receiver: SinkReceiver
let folder: TempFolder
let app: TestApp | null = null

beforeAll(async () => {
  upstream = await startMessagesUpstream(() => ({ steps: [{ text: 'an answer' }] }))
})
afterAll(() => upstream.close())
beforeEach(async () => {
  folder = makeTempFolder()
  receiver = await startSinkReceiver()
})
afterEach(async () => {
  await app?.close()
  app = null
  await receiver.vanish()
  folder.remove()
})

async function start(settings: Readonly<Record<string, unknown>> = {}): Promise<TestApp> {
  app = await startApp({
    upstream: upstream.url,
    dataDir: folder.path,
    settings: {
      'webhook.url': `${receiver.url}/take?key=part-of-the-address`,
      'webhook.interval_ms': 50,
      // A generous timeout, except in tests of slow receivers.
      'webhook.timeout_ms': 60_000,
      ...settings,
    },
  })
  await app.recorderRuns()
  return app
}

/** Sends a prompt like a client. Its response must arrive whatever the sink does. */
async function turn(prompt: string, session = 'one'): Promise<void> {
  const response = await ask(app?.proxy ?? '', { prompt, session })
  expect(response.status).toBe(200)
  expect(await response.text()).toContain('message_stop')
}

const deliveries = () => receiver.received.map(({ json }) => json as Delivery)
/** Returns events in order of first arrival, as a receiver that deduplicates by uuid sees them. */
const arrived = () => [
  ...new Map(deliveries().flatMap(({ events }) => events.map((event) => [event.uuid, event]))).values(),
]
const prompts = () => arrived().flatMap(({ kind, payload }) => (kind === 'user_prompt' ? [payload.text] : []))

async function sink() {
  const { sinks, warnings } = (await app?.running.health()) ?? { sinks: [], warnings: [] }
  return { ...sinks.find(({ name }) => name === 'webhook'), warnings: warnings.map(({ code }) => code) }
}

/** Checks that these prompts and the rest of the log arrived in order, and that the sink's status agrees. */
async function allArrived(...expected: readonly unknown[]): Promise<void> {
  const events = async () =>
    (await app?.call<{ items: { uuid: string }[] }>('events.list', { limit: 1000 }))?.items ?? []
  await until('all of the log arrived', async () => {
    const log = await events()
    const { waiting, delivered = 0, problem } = await sink()
    const isAll = prompts().length >= expected.length && arrived().length >= log.length
    return isAll && waiting === 0 && delivered > 0 && problem === null
  })
  expect(arrived().map(({ uuid }) => uuid)).toEqual((await events()).map(({ uuid }) => uuid))
}

test('events arrive as signed JSON in log order, and the documented snippet verifies them', async () => {
  await start()
  await turn('the first')
  await turn('the second', 'two')
  await allArrived('the first', 'the second')
  expect(prompts()).toEqual(['the first', 'the second'])
  expect(new Set(deliveries().map(({ delivery }) => delivery)).size).toBe(deliveries().length)
  expect(deliveries().map(({ delivery }) => delivery)).toEqual(
    receiver.received.map(({ headers }) => headers['webhook-id']),
  )
  expect(statSync(join(folder.path, 'webhook.secret')).mode & 0o777).toBe(0o600)
  expect(readFileSync(join(folder.path, 'webhook.secret'), 'utf8')).toMatch(/^whsec_[A-Za-z0-9+/]{43}=\n$/)
  for (const name of readdirSync(join(folder.path, 'outbox')))
    expect(statSync(join(folder.path, 'outbox', name)).mode & 0o777).toBe(0o600)
  await expect.poll(sink).toMatchObject({ problem: null, dropped: NONE, delivered: arrived().length, warnings: [] })

  const docs = readFileSync(join(import.meta.dirname, '../../../docs/sinks.md'), 'utf8')
  const [, snippet = ''] = /```js\n(\/\/ verify\.mjs[^]*?)```/.exec(docs) ?? []
  const port = await freePort()
  writeFileSync(join(folder.path, 'verify.mjs'), snippet.replace('8080', String(port)))
  const abort = new AbortController()
  const running = promisify(execFile)(process.execPath, [join(folder.path, 'verify.mjs')], {
    env: { SECRET_FILE: join(folder.path, 'webhook.secret') },
    signal: abort.signal,
  }).catch((error: unknown) => error)
  const post = (
    change: (headers: Record<string, string>) => Record<string, string>,
    body = receiver.received[0]?.body,
  ) => {
    const given = receiver.received[0]?.headers ?? {}
    const signed = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => [name, String(given[name])])
    return fetch(`http://127.0.0.1:${port}/`, {
      method: 'POST',
      headers: change(Object.fromEntries(signed) as Record<string, string>),
      body: body ?? '',
    }).then(({ status }) => status)
  }
  await until('the snippet listens', async () => (await post((headers) => headers).catch(() => 0)) !== 0)
  expect(await post((headers) => headers)).toBe(204)
  expect(await post((headers) => headers, '{"events":[]}')).toBe(401)
  expect(await post((headers) => ({ ...headers, 'webhook-timestamp': '1700000000' }))).toBe(401)
  expect(await post((headers) => ({ ...headers, 'webhook-id': 'another' }))).toBe(401)
  expect(await post(() => ({}))).toBe(401)
  abort.abort()
  await running
})

/** A second turn, after which the receiver behaves well. */
async function arrivesLater(): Promise<void> {
  await turn('the second')
  receiver.behave(takes)
  await allArrived('the first', 'the second')
  expect(prompts()).toEqual(['the first', 'the second'])
  await expect.poll(sink).toMatchObject({ problem: null, dropped: NONE })
}

const TROUBLES = [
  ['answers 500', answers(500)],
  ['answers 503 and asks for a pause', answers(503, { 'retry-after': '1' })],
  ['hangs', hangs],
  ['disconnects', (_: unknown, response: { destroy(): void }) => response.destroy()],
  ['redirects', answers(307, { location: 'http://127.0.0.1:9/elsewhere' })],
] as const

test.each(few(TROUBLES, 1))(
  'while the receiver %s, the client is served and recorded; later each event arrives once',
  async (_, manner) => {
    receiver.behave(manner as typeof takes)
    await start({ 'webhook.timeout_ms': 300 })
    await turn('the first')
    await until('it was tried', async () => receiver.received.length >= 2)
    await until('Health reports it', async () => (await sink()).problem !== null)
    await expect.poll(async () => (await sink()).warnings).toContain('webhook_failing')
    expect(await app?.running.health()).toMatchObject({ status: 'ok', dropped: NONE, recorder: 'running' })
    const [first, second] = deliveries()
    expect(second).toEqual(first)
    await arrivesLater()
  },
)

test('a receiver whose response never ends has taken the events: its status counts', async () => {
  receiver.behave(floods)
  await start({ 'webhook.timeout_ms': 300 })
  await turn('the first')
  await until('it was tried', async () => receiver.received.length >= 1)
  await arrivesLater()
})

test('events recorded while the receiver was down are delivered after it and Aspy have restarted', async () => {
  await receiver.vanish()
  await start()
  await turn('the first')
  await until('Health reports it', async () => (await sink()).problem !== null)
  await turn('the second')
  await app?.close()
  await start()
  await turn('the third')
  await receiver.comeBack()
  await allArrived('the first', 'the second', 'the third')
  expect(prompts()).toEqual(['the first', 'the second', 'the third'])
  // Nothing was counted twice, and the problem is no longer reported.
  await expect.poll(sink).toMatchObject({ problem: null, dropped: NONE, warnings: [] })
})

heavily(test)(
  'events not delivered when Aspy was killed are delivered at the next start, under the same delivery id',
  async () => {
    receiver.behave(answers(503))
    const toml = `[webhook]\nurl = "${receiver.url}"\ninterval_ms = 50\n`
    writeFileSync(join(folder.path, 'config.toml'), toml)
    const options = ['--json', '--no-open', '--port', '0', '--proxy-port', '0', '--upstream', upstream.url]
    const { signal, firstLine, finished } = startAspy(['serve', '--data', folder.path, ...options])
    const { proxy, app: served, token } = JSON.parse(await firstLine) as { proxy: string; app: string; token: string }
    for (const prompt of ['the first', 'the second']) await (await ask(proxy, { prompt, session: 'one' })).text()
    await until('both are recorded', async () => {
      const headers = { authorization: `Bearer ${token}` }
      const answer = await fetch(`${served}/api/events/count?kind=model_response`, { headers })
      return ((await answer.json()) as { count: number }).count === 2
    })
    await until('it was tried', async () => prompts().length === 2 || receiver.received.length >= 3)
    signal('SIGKILL')
    await finished
    const before = deliveries().length
    receiver.behave(takes)
    await start()
    await allArrived('the first', 'the second')
    expect(deliveries()[before]).toEqual(deliveries()[0])
  },
)

heavily(test)('Aspy stops while the receiver hangs, and resumes the same delivery at the next start', async () => {
  receiver.behave(hangs)
  await start({ 'webhook.timeout_ms': 120_000 })
  await turn('the first')
  await until('it was tried', async () => receiver.received.length === 1)
  await app?.close()
  receiver.behave(takes)
  await start()
  await allArrived('the first')
  expect(deliveries()[1]).toEqual(deliveries()[0])
})

test('events deleted or redacted while waiting are never sent', async () => {
  await receiver.vanish()
  await start()
  await turn('about Operation Quiet Harbour 4711', 'kept')
  await turn('to be forgotten', 'gone')
  await until('Health reports it', async () => (await sink()).problem !== null)
  await app?.call('sessions.delete', { session_id: 'gone' })
  const patterns = [{ name: 'codename', pattern: 'Operation [A-Z][a-z]+ Harbour \\d+' }]
  await app?.call('config.set', { key: 'redaction.patterns', value: patterns })
  await app?.recorderRuns()
  await app?.run('redaction.past')
  await receiver.comeBack()
  await allArrived('about it')
  expect(prompts()).toEqual([expect.stringMatching(/^about \[redacted:codename:....\]$/)])
  const sent = receiver.received.map(({ body }) => body).join('')
  expect(sent).not.toMatch(/Quiet Harbour|to be forgotten/)
})

heavily(test)(
  'waiting events are limited: the oldest are dropped, counted and reported, and the rest is delivered',
  async () => {
    await receiver.vanish()
    await start({ 'webhook.max_waiting': 5 })
    for (const prompt of ['one', 'two', 'three', 'four']) await turn(prompt)
    await until('some are dropped', async () => ((await sink()).dropped?.['overflow'] ?? 0) > 5)
    // The last turns may not be in the log yet.
    await until('as many as are too many', async () => {
      const { count } = (await app?.call<{ count: number }>('events.count')) ?? { count: 0 }
      return (await sink()).dropped?.['overflow'] === count - 5
    })
    await expect.poll(sink).toMatchObject({ waiting: 5, warnings: expect.arrayContaining(['webhook_overflow']) })
    await receiver.comeBack()
    await until('the rest arrived', async () => arrived().length === 5)
  },
)

heavily(test)(
  'a delivery that is too large is split; one that is always refused is dropped, and the next follows',
  async () => {
    receiver.behave((received, response) => {
      const { events } = received.json as Delivery
      response.writeHead(events.length > 2 ? 413 : 204).end()
    })
    await start()
    await turn('the first')
    await until('all came in small parts', async () => {
      const taken = deliveries().filter(({ events }) => events.length <= 2)
      return taken.flatMap(({ events }) => events).some(({ kind }) => kind === 'model_response')
    })
    await expect.poll(sink).toMatchObject({ problem: null, dropped: NONE })

    receiver.behave((received, response) => {
      const { events } = received.json as Delivery
      response.writeHead(events.some(({ session_id }) => session_id === 'refused') ? 400 : 204).end()
    })
    await turn('nobody wants this', 'refused')
    await until('it is dropped', async () => ((await sink()).dropped?.['refused'] ?? 0) > 0)
    await expect.poll(async () => (await sink()).warnings).toContain('webhook_refused')
    await turn('the last', 'welcome')
    await until('the next arrived', async () => prompts().includes('the last'))
  },
)

test('only the configured kinds and projects are sent, without history and without events from while it was off', async () => {
  await start({ 'webhook.url': '' })
  await turn('before')
  await until('it is recorded', async () => ((await app?.call<{ count: number }>('events.count'))?.count ?? 0) > 3)
  await app?.close()
  await start({ 'webhook.kinds': ['user_prompt', 'assistant_text'], 'webhook.projects': ['/home/*/project'] })
  await turn('wanted')
  const post = (session_id: string, kind: string) =>
    app?.call('events.post', { session_id, kind, payload: { text: kind } })
  await post('nowhere', 'user_prompt')
  await turn('wanted too')
  await until('both arrived', async () => prompts().length === 2)
  expect(prompts()).toEqual(['wanted', 'wanted too'])
  expect(new Set(arrived().map(({ kind }) => kind))).toEqual(new Set(['user_prompt', 'assistant_text']))
  await app?.close()
  await start({ 'webhook.url': '' })
  await turn('while it is off')
  await app?.close()
  await start()
  await turn('on again')
  await until('it arrived', async () => prompts().includes('on again'))
  expect(prompts()).not.toContain('while it is off')
})

heavily(test)('after a backup is restored, delivery continues with new events', async () => {
  await start()
  await turn('before')
  await allArrived('before')
  await app?.call('sessions.delete', { session_id: 'one' })
  await app?.close()
  // The restored log ends before the last delivered event.
  const file = join(folder.path, 'outbox', 'webhook.json')
  const place = JSON.parse(readFileSync(file, 'utf8')) as { id: number }
  writeFileSync(file, JSON.stringify({ ...place, id: place.id + 10_000 }))
  await start()
  await turn('after', 'two')
  await until('it arrived', async () => prompts().includes('after'))
  expect(prompts()).toEqual(['before', 'after'])
})

test('history imported in the meantime is not sent', async () => {
  await start()
  using outside = makeTempFolder()
  const line = {
    type: 'user',
    uuid: '00000000-0000-7000-8000-000000000001',
    parentUuid: null,
    sessionId: 'long-ago',
    cwd: '/home/user/project',
    timestamp: '2020-11-20T10:00:00.000Z',
    message: { role: 'user', content: 'asked long ago' },
  }
  writeFileSync(join(outside.path, 'long-ago.jsonl'), `${JSON.stringify(line)}\n`)
  await app?.run('transcripts.import', { paths: [outside.path] })
  expect(await app?.call('events.count', { session_id: 'long-ago' })).toEqual({ count: 1 })
  await turn('asked now')
  await until('it arrived', async () => prompts().includes('asked now'))
  expect(prompts()).toEqual(['asked now'])
})

test('it can be turned on and off in a running app, and its full address is never shown', async () => {
  app = await startApp({ upstream: upstream.url, dataDir: folder.path, settings: { 'webhook.interval_ms': 50 } })
  await app.call('config.set', { key: 'webhook.url', value: `${receiver.url}/take?key=part-of-the-address` })
  await turn('after')
  await until('it arrived', async () => prompts().includes('after'))
  await receiver.vanish()
  await turn('later')
  await until('Health reports it', async () => (await sink()).problem !== null)
  expect(JSON.stringify(await app.running.health())).not.toContain('part-of-the-address')
  await app.call('config.set', { key: 'webhook.url', value: '' })
  await expect.poll(async () => (await app?.running.health())?.sinks.map(({ name }) => name)).toEqual(['session_log'])
  await expect(app.call('config.set', { key: 'webhook.url', value: 'file:///etc/passwd' })).rejects.toThrow(/http/)
})
