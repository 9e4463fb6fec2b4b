import { createHmac } from 'node:crypto'
import { appendFileSync, existsSync, mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { createTunnelKey } from '../../../src/main/base/installed-tunnel-key.ts'
import { settings } from '../../../src/main/config/settings.ts'
import { staysWhenClosed } from '../../../src/main/electron/desktop-settings.ts'
import { HOSTILE } from '../../../src/main/redaction/fixtures/hostile-texts.ts'
import type { ConfigInput } from '../../../src/shared/config.ts'
import type { EventSummary } from '../../../src/shared/live-feed.ts'
import { farFromMidnight } from '../../support/runner/far-from-midnight.ts'
import { freePort } from '../../support/runner/free-port.ts'
import { ask, type Question } from '../../support/app/ask.ts'
import { startPassBy } from '../../support/keeper/pass-by-under-test.ts'
import { secretsIn } from '../../support/store/byte-scan.ts'
import { message, startResponsesUpstream } from '../../support/upstream/responses-upstream.ts'
import { upgradeStatus } from '../../support/upstream/web-socket-client.ts'
import { startMessagesUpstream, type MessagesUpstream } from '../../support/upstream/messages-upstream.ts'
import { draftOf, fillStore } from '../../support/store/seeded-store.ts'
import { answers, hangs, startSinkReceiver, type SinkReceiver } from '../../support/upstream/sink-receiver.ts'
import { startApp, type TestApp } from '../../support/app/start-app.ts'
import { inTheShell, type ShellUnderTest } from '../../support/desktop/shell-under-test.ts'
import { makeTempFolder, type TempFolder } from '../../support/runner/temp-folder.ts'
import { askForTunnel, beginTls } from '../../support/tunnel/tunnel-under-test.ts'
import { until } from '../../support/runner/until.ts'
import { transcriptLines } from '../../support/store/transcript-lines.ts'
import { pngOf } from '../../support/transcripts/png.ts'
import { startTeamStub, type TeamStub } from '../../support/team/team-stub.ts'
import { countKinds, pass, rows, startRecorder, type SentExchange } from '../../support/recorder/harness.ts'
import { inTime } from '../../support/runner/in-time.ts'
import { few } from '../../support/runner/heavy.ts'

/**
 * Every setting does what its description says: each has an entry here that shows its default and another value. A
 * setting without an entry fails the last test.
 */
let upstream: MessagesUpstream
let folder: TempFolder
const recorded = makeTempFolder()
/** What the file ends with, in this order. */
const closing: (() => unknown)[] = []
beforeAll(async () => {
  upstream = await startMessagesUpstream(() => ({ steps: [{ text: 'an answer' }] }))
})
afterAll(async () => {
  for (const close of closing) await close()
  await upstream.close()
  recorded.remove()
})
/** Makes something for the first test that asks for it. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null
  return () => (made ??= make())
}
beforeEach(() => {
  folder = makeTempFolder()
})
afterEach(() => folder.remove())

/** Records exchanges under these settings in a separate folder; returns its path, the shown events, and Health. */
async function record(config: ConfigInput, ...sent: readonly SentExchange[]) {
  const dataDir = join(recorded.path, `data-${readdirSync(recorded.path).length}`)
  mkdirSync(dataDir)
  const under = await startRecorder(dataDir, { config })
  for (const exchange of sent) await pass(under.tap, exchange)
  await under.settled()
  await under.stop()
  const health = under.health()
  return { dataDir, health, dropped: health.dropped, deltas: under.deltas, events: under.events }
}

const MAIL = 'ada.lovelace@engine.org'
const KEY = `sk-ant-api03-${'Ab1'.repeat(31)}AA`
const HOME_FILE = join(homedir(), 'a-folder', 'file.txt')
const PASSWORD = 'db password: correct-horse-battery and the token bucket'
const ORDER = 'it is ORD-012345678912.'
const THOUGHT = 'äöüäö then-a-thought'
/** Other values, each of which shows in a text of its own. */
const OTHER: ConfigInput = {
  lifestats: { store_tool_io: false, max_thinking_size: 9, max_prompt_size: 5 },
  redaction: {
    mask_emails: true,
    mask_home: true,
    keyword_rules: true,
    patterns: [{ name: 'order', pattern: 'ord-[0-9]{12}', ignore_case: true }],
  },
  session_log: { enabled: false },
}
/** The same exchanges under default settings and under the others: one recorder each for all of these settings. */
function recordTexts(config: ConfigInput) {
  const texts = ['hello', `it is ${KEY}`, `ask ${MAIL}`, HOME_FILE, PASSWORD, ORDER].map(says)
  return record(config, ...texts, thought(THOUGHT), ...toolTurn('Bash', INPUT, OUTPUT))
}
const byDefault = once(() => recordTexts({}))
const otherwise = once(() => recordTexts(OTHER))

const app = (settings: Readonly<Record<string, unknown>>) =>
  startApp({ upstream: upstream.url, dataDir: folder.path, settings })

/** One app for the settings that take effect at once; its guard refuses, and each test puts back what it set. */
const shared = once(async () => {
  const app = await startApp({ upstream: upstream.url })
  closing.push(app.close)
  await app.call('config.set', { key: 'guard.action', value: 'refuse' })
  await app.call('config.set', { key: 'guard.decide_ms', value: 10_000 })
  return app
})
async function running(): Promise<TestApp> {
  await farFromMidnight()
  return shared()
}

/** One app for the settings that say where it listens, whom it serves and where it looks. */
async function place() {
  const home = makeTempFolder()
  const found = { further: join(home.path, 'further'), codex: join(home.path, 'other-codex') }
  const sessions = join(found.codex, 'sessions', '2026', '11', '20')
  for (const path of [join(found.further, '-home-me'), sessions]) mkdirSync(path, { recursive: true })
  writeFileSync(join(found.further, '-home-me', 'a.jsonl'), '{"type":"user"}\n')
  writeFileSync(join(sessions, 'rollout-2026-11-20T10-00-00-a.jsonl'), '{"type":"session_meta"}\n')
  const openai = await startResponsesUpstream(() => ({ output: [message('from the API')] }))
  const chatgpt = await startResponsesUpstream(() => ({ output: [message('from the login')] }))
  const ports = { proxy: await freePort(), app: await freePort(), tunnel: await freePort() }
  const settings = {
    'proxy.port': ports.proxy,
    'app.port': ports.app,
    'proxy.tunnel_port': ports.tunnel,
    'proxy.upstreams': { openai: openai.url, chatgpt: chatgpt.url },
    'proxy.intercept_hosts': ['api.anthropic.com', 'API.example.org'],
    'app.allowed_hosts': ['box.local:2780'],
    'metrics.enabled': false,
    'transcripts.folders': [found.further],
    'transcripts.codex_folders': [found.codex],
  }
  const running = await startApp({ upstream: upstream.url, dataDir: join(home.path, 'data'), settings })
  closing.push(
    running.close,
    () => openai[Symbol.asyncDispose](),
    () => chatgpt[Symbol.asyncDispose](),
    home.remove,
  )
  return { running, ports }
}
const inItsPlace = once(place)

/** Sets values of the shared app for the duration of some work. */
async function during<T>(values: Readonly<Record<string, unknown>>, work: () => Promise<T>): Promise<T> {
  const { call } = await running()
  const before = new Map(
    (await call<{ items: { key: string; value: unknown }[] }>('config.get')).items.map(({ key, value }) => [
      key,
      value,
    ]),
  )
  const set = async (key: string, value: unknown) => call('config.set', { key, value })
  try {
    for (const [key, value] of Object.entries(values)) await set(key, value)
    return await work()
  } finally {
    for (const key of Object.keys(values)) await set(key, before.get(key))
  }
}

/** Asks through the shared app. */
async function answered(question: Partial<Question> = {}): Promise<{ status: number; text: string }> {
  const answer = await ask((await running()).proxy, { prompt: 'a question', ...question })
  return { status: answer.status, text: await answer.text() }
}

/** A budget that is set while the app runs is watched at once, and says what was spent of it. */
async function showBudget(key: string, period: string): Promise<void> {
  const { call, count } = await running()
  const status = () => call<{ items: object[] }>('budgets.status')
  expect(await status()).toEqual({ items: [] })
  const before = await count({ kind: 'api_usage' })
  expect((await answered()).status).toBe(200)
  await expect.poll(() => count({ kind: 'api_usage' }), POLL).toBe(before + 1)
  await during({ [`budgets.${key}`]: 0.000001 }, async () =>
    expect((await status()).items).toMatchObject([{ period, project: null, limit_usd: 0.000001, mark: 100 }]),
  )
}

/** A cap that is set while the app runs refuses the next request over it, with its name, and passes a request below it. */
async function showCap(key: string, low: number, high: number, question: Partial<Question> = {}): Promise<void> {
  const { call } = await running()
  expect((await answered(question)).status).toBe(200)
  expect(await call('guard.get')).toMatchObject({ enabled: false, caps: [] })
  await during({ [`guard.${key}`]: low }, async () =>
    expect(await answered(question)).toEqual({ status: 402, text: expect.stringContaining(key) }),
  )
  await during({ [`guard.${key}`]: high }, async () => expect((await answered(question)).status).toBe(200))
}

const CALL = { role: 'assistant', content: [{ type: 'tool_use', id: 'c', name: 'Bash', input: { command: 'ls' } }] }
const RESULT = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c', content: 'a' }] }
const REPEATS = { prompt: [{ type: 'tool_result', tool_use_id: 'c', content: 'a' }], history: [CALL, RESULT, CALL] }
const AS_AGENT = { headers: { 'x-claude-code-agent-id': 'agent-1' } }

function statusWithHost(url: string, host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request(`${url}/healthz`, { headers: { host } }, (answer) => {
      answer.resume()
      resolve(answer.statusCode)
    })
      .on('error', reject)
      .end()
  })
}

/** Each starts recorders or apps, some of them several. */
const TIMEOUT = 480_000
const POLL = { interval: 50 }

const payloads = (dataDir: string, kind: string) =>
  rows(dataDir)
    .filter((row) => row.kind === kind)
    .map((row) => JSON.parse(row.payload) as Record<string, unknown>)

const textsOf = ({ dataDir }: { readonly dataDir: string }) =>
  payloads(dataDir, 'assistant_text').map(({ text }) => text)

/** All that a store holds, as one text. */
const holds = (dataDir: string, text: string) => secretsIn(dataDir, [text]).length > 0

/** Two requests with a tool call between them, as a client sends them. */
function toolTurn(tool: string, input: string, output: string): SentExchange[] {
  const call = { type: 'tool_use', id: 'toolu_1', name: tool, input: { command: input } }
  const prompt = { role: 'user', content: [{ type: 'text', text: 'go' }] } as const
  return [
    { messages: [prompt], answer: { steps: [{ tool, input: { command: input }, id: 'toolu_1' }] } },
    {
      messages: [
        prompt,
        { role: 'assistant', content: [call] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: output }] },
      ],
      answer: { steps: [{ text: 'done' }] },
    },
  ]
}

const INPUT = 'the-input-of-a-tool'
const OUTPUT = 'the-output-of-a-tool'
const thought = (text: string): SentExchange => ({ answer: { steps: [{ thinking: text }, { text: 'fine' }] } })
const says = (text: string): SentExchange => ({ answer: { steps: [{ text }] } })

/** A store with one event of a tool, a hundred days old. */
function fillOldStore(dataDir: string): void {
  const at = new Date(Date.now() - 100 * 86_400_000).toISOString()
  const payload = { call_id: 'c', tool_name: 'Bash', output: 'an old output', is_error: false, rejected: false }
  fillStore(dataDir, [draftOf('tool_result', payload, { at, keys: ['result:c'] })])
}

/** Moves the time when something was last archived into the past. */
function ageArchives(dataDir: string, days: number): void {
  const db = new Database(join(dataDir, 'lifestats.db'))
  const at = new Date(Date.now() - days * 86_400_000).toISOString()
  db.prepare('UPDATE archives SET archived_at = ?').run(at)
  db.close()
}

/** Changes a setting that says what age decides, and does that. */
async function age(running: TestApp, key: string, days: number): Promise<void> {
  await running.recorderRuns()
  await running.call('config.set', { key: `lifestats.${key}`, value: days })
  await running.recorderRuns()
  // It also does so on its own after some quiet seconds, so the test looks at the state, not at the count.
  await running.run('store.archive')
}
const archivesOf = async (running: TestApp) => (await running.call('store.archives')).items

/** A turn of a session of its own that is recorded. */
async function recordedTurn(running: TestApp): Promise<void> {
  const count = () => running.count({ kind: 'model_response' })
  await running.recorderRuns()
  const before = await count()
  await (await ask(running.proxy, { prompt: 'a plain question' })).text()
  await until('the turn is recorded', async () => (await count()) > before)
}

/** What comes to a receiver from an app with these settings and files that records a turn; and the files of its folder. */
async function cameTo(
  settingsFor: (url: string) => Readonly<Record<string, unknown>>,
  file: readonly [name: string, text: string],
  requests = 1,
) {
  using data = makeTempFolder()
  await using receiver = await startSinkReceiver(answers(200))
  writeFileSync(join(data.path, file[0]), file[1])
  const settings = settingsFor(receiver.url)
  await using running = await startApp({ upstream: upstream.url, dataDir: data.path, settings })
  await recordedTurn(running)
  await until('it came', async () => receiver.received.length >= requests)
  return { received: [...receiver.received], files: readdirSync(data.path) }
}

/** One app whose webhook has every setting that shows in what comes. */
const delivered = once(() =>
  cameTo(
    (url) => ({
      'webhook.url': url,
      'webhook.interval_ms': 10,
      'webhook.secret_file': 'mine',
      'webhook.kinds': ['assistant_text', 'user_prompt'],
      // `ask` works in /home/user/project.
      'webhook.projects': ['/home/user/**'],
      'webhook.batch_size': 1,
    }),
    ['mine', 'a secret of my own'],
    2,
  ),
)
const trace = (more: Readonly<Record<string, unknown>> = {}) =>
  cameTo(
    (url) => ({ 'otel.endpoint': `${url}/collect/v1/traces`, 'otel.headers_file': 'headers', ...more }),
    ['headers', 'x-key: of-mine\n'],
  )
const traced = once(trace)

/** Runs as a member of a team until a turn came to its server. */
async function sentToTeam(stub: TeamStub, settings: Readonly<Record<string, unknown>>): Promise<void> {
  stub.admit(folder.path)
  await using running = await app({ 'team.url': stub.url, ...settings })
  await recordedTurn(running)
  await until('it came', async () => stub.events().some(({ kind }) => kind === 'assistant_text'))
}

const eventsAt = ({ received }: Pick<SinkReceiver, 'received'>) =>
  received.flatMap(({ json }) => (json as { events: { kind: string; project: string }[] }).events)

const shown: Readonly<Record<string, () => Promise<void>>> = {
  async 'proxy.port'() {
    const { running, ports } = await inItsPlace()
    expect(running.proxy).toBe(`http://127.0.0.1:${ports.proxy}`)
    expect((await ask(running.proxy, { prompt: 'hello' })).status).toBe(200)
  },
  async 'proxy.upstream'() {
    await using other = await startMessagesUpstream(() => ({ steps: [{ text: 'elsewhere' }] }))
    await using running = await app({ 'proxy.upstream': other.url })
    expect(await (await ask(running.proxy, { prompt: 'hello' })).text()).toContain('elsewhere')
  },
  async 'proxy.upstreams'() {
    const { running } = await inItsPlace()
    const post = async (headers: Readonly<Record<string, string>>) =>
      (
        await fetch(`${running.proxy}/openai/v1/responses`, { method: 'POST', headers, body: '{"input":"hello"}' })
      ).text()
    expect(await post({ authorization: 'Bearer sk-proj-dummy' })).toContain('from the API')
    expect(await post({ authorization: 'Bearer ey.x.y', 'chatgpt-account-id': 'account' })).toContain('from the login')
  },
  async 'proxy.websockets'() {
    await using openai = await startResponsesUpstream(() => ({}), { websocket: 'plain' })
    const statusOf = async (websockets: string) => {
      const upstreams = { openai: openai.url, chatgpt: openai.url }
      await using running = await app({ 'proxy.upstreams': upstreams, 'proxy.websockets': websockets })
      return await upgradeStatus(`${running.proxy}/openai/v1/responses`)
    }
    expect(await statusOf('refuse')).toBe(426)
    expect(await statusOf('relay')).toBe(101)
  },
  async 'proxy.tunnel_port'() {
    const { running, ports } = await inItsPlace()
    expect(running.tunnel).toBe(`http://127.0.0.1:${ports.tunnel}`)
    expect((await askForTunnel(ports.tunnel, 'api.anthropic.com:443', null)).status).toBe(407)
  },
  async 'proxy.intercept_hosts'() {
    const { running } = await inItsPlace()
    const key = createTunnelKey()
    const leaving = new AbortController()
    const lease = running.running.dispatch.stream(
      'tunnel.lease',
      { tunnel_key: key },
      { access: 'all' },
      leaving.signal,
    )
    const first = await inTime('the lease is granted', lease[Symbol.asyncIterator]().next())
    const { ca } = JSON.parse(new TextDecoder().decode(first.value?.json)) as { ca: string }
    const connected = await askForTunnel(Number(new URL(running.tunnel).port), 'api.example.org:443', key)
    const secure = await beginTls(connected, { ca, servername: 'api.example.org' })
    expect(secure.getPeerCertificate().subjectaltname).toBe('DNS:api.example.org')
    secure.destroy()
    leaving.abort()
  },
  async 'proxy.max_queue_bytes'() {
    await using running = await app({ 'proxy.max_queue_bytes': 100 })
    expect(await (await ask(running.proxy, { prompt: 'hello' })).text()).toContain('an answer')
    await expect
      .poll(() => running.call('health.get'))
      .toMatchObject({ max_queue_bytes: 100, dropped: { queue_full: 1 } })
  },
  async 'app.port'() {
    const { running, ports } = await inItsPlace()
    expect(running.app).toBe(`http://127.0.0.1:${ports.app}`)
    expect((await fetch(`${running.app}/healthz`)).status).toBe(200)
  },
  async 'app.allowed_hosts'() {
    const { running } = await inItsPlace()
    expect(await statusWithHost(running.app, 'box.local:2780')).toBe(200)
    expect(await statusWithHost(running.app, 'other.local:2780')).not.toBe(200)
  },
  async 'app.theme'() {
    await using running = await app({ 'app.theme': 'solarized-dark' })
    const { items } = await running.call<{ items: { key: string; value: unknown }[] }>('config.get')
    const root = { dataset: {} as Record<string, string> }
    vi.stubGlobal('document', { documentElement: root })
    vi.stubGlobal('matchMedia', () => ({ matches: false, addEventListener: () => undefined }))
    const { configuredTheme } = (await import(new URL('../../../src/renderer/lib/theme.ts', import.meta.url).href)) as {
      configuredTheme(value: unknown): void
    }
    configuredTheme(items.find(({ key }) => key === 'app.theme')?.value)
    expect(root.dataset['theme']).toBe('solarized-dark')
    vi.unstubAllGlobals()
  },
  async 'app.show_images'() {
    const { call, run } = await running()
    using outside = makeTempFolder()
    const data = pngOf(20, 10).toString('base64')
    const source = { type: 'base64', media_type: 'image/png', data }
    const content = [
      { type: 'image', source },
      { type: 'text', text: 'see the picture' },
    ]
    const line = { type: 'user', message: { role: 'user', content } }
    writeFileSync(join(outside.path, 'pictured.jsonl'), transcriptLines('pictured', [line]).join(''))
    await run('transcripts.import', { paths: [outside.path] })
    const { items } = await call<{ items: { uuid: string; payload: { media: { hash: string }[] } }[] }>('events.list', {
      session_id: 'pictured',
    })
    const [prompt] = items
    const image = () => call('images.get', { uuid: prompt?.uuid, hash: prompt?.payload.media[0]?.hash })
    await expect(image()).rejects.toThrow('turn on app.show_images')
    await during({ 'app.show_images': true }, async () =>
      expect(await image()).toMatchObject({ image: { width: 20, height: 10, data }, refused: null }),
    )
  },
  async 'app.close_to_tray'() {
    const stays = ({ settings: now }: ShellUnderTest) => staysWhenClosed(now, { hasTray: true, platform: 'linux' })
    await inTheShell(folder.path, {}, async (shell) => expect(stays(shell)).toBe(true))
    await inTheShell(folder.path, { 'app.close_to_tray': false }, async (shell) => expect(stays(shell)).toBe(false))
  },
  async 'app.recall_shortcut'() {
    await inTheShell(folder.path, {}, async ({ keys }) => expect(keys).toEqual(['CommandOrControl+Alt+R']))
    await inTheShell(folder.path, { 'app.recall_shortcut': 'Alt+Space' }, async ({ keys }) =>
      expect(keys).toEqual(['Alt+Space']),
    )
    await inTheShell(folder.path, { 'app.recall_shortcut': '' }, async ({ keys }) => expect(keys).toEqual([]))
  },
  async 'app.start_at_login'() {
    const entry = join(folder.path, '.config/autostart/aspy.desktop')
    await inTheShell(folder.path, {}, async () => expect(existsSync(entry)).toBe(false))
    await inTheShell(folder.path, { 'app.start_at_login': true }, async () => expect(existsSync(entry)).toBe(true))
    await inTheShell(folder.path, {}, async () => expect(existsSync(entry)).toBe(false))
  },
  async 'app.update_url'() {
    await inTheShell(folder.path, {}, async ({ queried }) => expect(queried).toEqual([]))
    const url = 'https://example.org/aspy'
    await inTheShell(folder.path, { 'app.update_url': url }, async ({ queried }) =>
      expect.poll(() => queried).toEqual([url]),
    )
    await expect(
      inTheShell(folder.path, { 'app.update_url': 'http://example.org/' }, async () => undefined),
    ).rejects.toThrow(/https/)
  },
  async 'notices.budget_reached'() {
    const reached = { project: null, period: 'day', limit_usd: 1, spent_usd: 1, unpriced_calls: 0 } as const
    const budgets = [{ ...reached, since: '', until: '', mark: 100 }] as const
    await inTheShell(folder.path, {}, async ({ notices, shown }) => {
      notices.budgets(budgets)
      expect(shown).toHaveLength(1)
    })
    await inTheShell(folder.path, { 'notices.budget_reached': false }, async ({ notices, shown }) => {
      notices.budgets(budgets)
      expect(shown).toEqual([])
    })
  },
  async 'notices.capture_stopped'() {
    await inTheShell(folder.path, {}, async ({ notices, shown }) => {
      notices.health(null)
      expect(shown).toHaveLength(1)
    })
    await inTheShell(folder.path, { 'notices.capture_stopped': false }, async ({ notices, shown }) => {
      notices.health(null)
      expect(shown).toEqual([])
    })
  },
  async 'notices.client_waits'() {
    for (const [settings, said] of [
      [{}, true],
      [{ 'notices.client_waits': false }, false],
    ] as const) {
      await using running = await app(settings)
      const feed = await fetch(`${running.app}/api/live`, { headers: { authorization: `Bearer ${running.token}` } })
      const lines = (feed.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream()).getReader()
      for (const [name, level] of [
        ['first', 'permission_prompt'],
        ['last', 'idle_prompt'],
      ])
        await running.call('hooks.post', {
          hook_event_name: 'Notification',
          session_id: 's',
          message: name,
          notification_type: level,
        })
      let seen = ''
      while (!seen.includes('"last"')) seen += (await lines.read()).value ?? ''
      await lines.cancel()
      expect(seen.includes('"waits"')).toBe(said)
    }
  },
  async 'notices.long_turn_minutes'() {
    const at = (minutesAgo: number) => new Date(Date.now() - minutesAgo * 60_000).toISOString()
    const turn = [
      { kind: 'user_prompt', session_id: 's', agent_id: null, text: 'a task', ts_wall: at(2) },
      { kind: 'turn_ended', session_id: 's', agent_id: null, text: '', ts_wall: at(0) },
    ] as unknown as EventSummary[]
    for (const [settings, count] of [
      [{}, 0],
      [{ 'notices.long_turn_minutes': 1 }, 1],
      [{ 'notices.long_turn_minutes': 0 }, 0],
    ] as const) {
      await inTheShell(folder.path, settings, async ({ notices, shown }) => {
        notices.events(turn)
        expect(shown).toHaveLength(count)
      })
    }
  },
  async 'lifestats.enabled'() {
    await using running = await app({ 'lifestats.enabled': false })
    expect((await ask(running.proxy, { prompt: 'hello' })).status).toBe(200)
    await expect(running.call('events.list')).rejects.toThrow(/switched off/)
    expect(readdirSync(folder.path).filter((name) => name.endsWith('.db'))).toEqual([])
  },
  async 'lifestats.db_path'() {
    const { dataDir } = await record({ lifestats: { db_path: 'mine.db' } }, says('hello'))
    expect(readdirSync(dataDir).filter((name) => name.endsWith('.db'))).toEqual(['mine.db'])
  },
  async 'lifestats.store_thinking'() {
    expect(holds((await byDefault()).dataDir, 'then-a-thought')).toBe(true)
    const off = await record({ lifestats: { store_thinking: false } }, thought(THOUGHT))
    expect(holds(off.dataDir, 'then-a-thought')).toBe(false)
    expect(payloads(off.dataDir, 'thinking')).toMatchObject([{ text: '', left_out: true }])
  },
  async 'lifestats.store_tool_io'() {
    const on = await byDefault()
    expect([holds(on.dataDir, INPUT), holds(on.dataDir, OUTPUT)]).toEqual([true, true])
    const off = await otherwise()
    expect([holds(off.dataDir, INPUT), holds(off.dataDir, OUTPUT)]).toEqual([false, false])
    expect(payloads(off.dataDir, 'tool_call')).toMatchObject([{ tool_name: 'Bash', input: null, left_out: true }])
    expect(payloads(off.dataDir, 'tool_result')).toMatchObject([{ output: null, left_out: true }])
  },
  async 'lifestats.max_thinking_size'() {
    expect(payloads((await byDefault()).dataDir, 'thinking')).toMatchObject([{ text: THOUGHT }])
    expect(payloads((await otherwise()).dataDir, 'thinking')).toMatchObject([
      { text: 'äöüä... [truncated, 25 bytes total]' },
    ])
  },
  async 'lifestats.max_prompt_size'() {
    const prompts = payloads((await otherwise()).dataDir, 'user_prompt').map(({ text }) => text)
    expect(prompts).toContain('hello... [truncated, 11 bytes total]')
  },
  async 'lifestats.retention_days'() {
    fillOldStore(folder.path)
    writeFileSync(join(folder.path, 'config.toml'), '[lifestats]\nretention_days = 0\n')
    await using running = await app({})
    for (const [days, archives] of [
      [0, 0],
      [400, 0],
      [30, 1],
    ] as const) {
      await age(running, 'retention_days', days)
      expect(await archivesOf(running)).toHaveLength(archives)
      const { items: results } = await running.call<{ items: unknown[] }>('events.list', { kind: 'tool_result' })
      expect(results).toMatchObject([{ payload: { output: 'an old output' } }])
    }
  },
  async 'lifestats.archive_days'() {
    fillOldStore(folder.path)
    {
      await using running = await app({})
      await age(running, 'archive_days', 0)
      expect(await archivesOf(running)).toHaveLength(1)
    }
    ageArchives(folder.path, 30)
    await using running = await app({})
    for (const [days, archives] of [
      [0, 1],
      [40, 1],
      [20, 0],
    ] as const) {
      await age(running, 'archive_days', days)
      expect(await archivesOf(running)).toHaveLength(archives)
    }
  },
  async 'lifestats.delete_days'() {
    fillOldStore(folder.path)
    await using running = await app({})
    for (const [days, count] of [
      [0, 1],
      [400, 1],
      [30, 0],
    ] as const) {
      await age(running, 'delete_days', days)
      expect(await running.call('events.count')).toEqual({ count })
    }
    expect(holds(folder.path, 'an old output')).toBe(false)
  },
  async 'redaction.enabled'() {
    expect(holds((await byDefault()).dataDir, KEY)).toBe(false)
    expect(holds((await record({ redaction: { enabled: false } }, says(KEY))).dataDir, KEY)).toBe(true)
  },
  async 'redaction.mask_emails'() {
    expect(holds((await byDefault()).dataDir, MAIL)).toBe(true)
    const masked = await otherwise()
    expect(holds(masked.dataDir, MAIL)).toBe(false)
    expect(masked.health.redacted['email']).toBeGreaterThan(0)
  },
  async 'redaction.mask_home'() {
    expect(textsOf(await byDefault())).toContain(HOME_FILE)
    expect(textsOf(await otherwise())).toContain(join('~', 'a-folder', 'file.txt'))
  },
  async 'redaction.keyword_rules'() {
    expect(textsOf(await byDefault())).toContain(PASSWORD)
    expect(textsOf(await otherwise())).toContainEqual(
      expect.stringMatching(/^db password: \[redacted:keyword-value:....\] and the token bucket$/),
    )
  },
  async 'redaction.patterns'() {
    const [on, off] = [await byDefault(), await otherwise()]
    expect(textsOf(on)).toContain(ORDER)
    expect(textsOf(off)).toContainEqual(expect.stringMatching(/^it is \[redacted:order:....\]\.$/))
    expect(on.deltas).not.toEqual([])
    expect(off.deltas).toEqual([])
  },
  async 'redaction.pattern_timeout_ms'() {
    const patterns = [{ name: 'slow', pattern: '(a+)+$' }]
    const { dataDir, dropped } = await record(
      { redaction: { patterns, pattern_timeout_ms: 50 } },
      says(`${'a'.repeat(60)}!`),
    )
    expect(payloads(dataDir, 'assistant_text')[0]?.['text']).toMatch(/^\[left out/)
    expect(dropped['redaction_timeout']).toBeGreaterThan(0)
  },
  async 'redaction.text_timeout_ms'() {
    const end = 'this-is-the-end-of-the-text'
    const prompt = `${HOSTILE.join('').repeat(100)} ${end}`
    const sent: SentExchange = {
      messages: [{ role: 'user', content: [{ type: 'text', text: prompt }] }],
      answer: { steps: [{ text: 'fine' }] },
    }
    const lifestats = { max_prompt_size: 10_000_000 }
    const short = await record({ lifestats, redaction: { text_timeout_ms: 10 } }, sent)
    expect(holds(short.dataDir, 'not checked for secrets in time')).toBe(true)
    expect(holds(short.dataDir, end)).toBe(false)
    expect(short.dropped['redaction_timeout']).toBeGreaterThan(0)
    const long = await record({ lifestats, redaction: { text_timeout_ms: 10_000 } }, sent)
    expect(holds(long.dataDir, end)).toBe(true)
    expect(long.dropped['redaction_timeout']).toBeUndefined()
  },
  async 'filter.drop_kinds'() {
    const { dataDir, dropped } = await record({ filter: { drop_kinds: ['thinking'] } }, thought('hm'))
    expect(countKinds(dataDir)).toMatchObject({ assistant_text: 1, user_prompt: 1 })
    expect(countKinds(dataDir)).not.toHaveProperty('thinking')
    expect(dropped).toEqual({ filtered: 1 })
  },
  async 'filter.drop_projects'() {
    // The project of these exchanges is /home/me/project.
    for (const glob of ['/home/*/proj*', '/home/me']) {
      const { dataDir, dropped } = await record({ filter: { drop_projects: [glob] } }, says('a-word-of-the-answer'))
      expect([glob, countKinds(dataDir)]).toEqual([glob, {}])
      expect(holds(dataDir, 'a-word-of-the-answer')).toBe(false)
      expect(dropped['filtered']).toBeGreaterThan(3)
    }
    const other = await record({ filter: { drop_projects: ['/home/me/pro', '/home/*/*/*'] } }, says('kept'))
    expect(countKinds(other.dataDir)).toMatchObject({ assistant_text: 1 })
  },
  async 'filter.drop_agents'() {
    const agent = { ...says('of the agent'), agent: 'a1b2c3d4e5f60718' }
    const all = await record({ filter: { drop_agents: ['*'] } }, says('of the main one'), agent)
    expect(payloads(all.dataDir, 'assistant_text')).toMatchObject([{ text: 'of the main one' }])
    const named = await record({ filter: { drop_agents: ['Explore'] } }, agent)
    expect(payloads(named.dataDir, 'assistant_text')).toMatchObject([{ text: 'of the agent' }])
  },
  async 'filter.drop_tools'() {
    const { dataDir } = await record({ filter: { drop_tools: ['Ba*'] } }, ...toolTurn('Bash', INPUT, OUTPUT))
    expect(countKinds(dataDir)).toMatchObject({ model_request: 2, assistant_text: 1 })
    expect(countKinds(dataDir)).not.toHaveProperty('tool_call')
    expect(countKinds(dataDir)).not.toHaveProperty('tool_result')
    expect([holds(dataDir, INPUT), holds(dataDir, OUTPUT)]).toEqual([false, false])
    const other = await record({ filter: { drop_tools: ['Read'] } }, ...toolTurn('Bash', INPUT, OUTPUT))
    expect(countKinds(other.dataDir)).toMatchObject({ tool_call: 1, tool_result: 1 })
  },
  async 'filter.drop_texts'() {
    const { dataDir } = await record(
      { filter: { drop_texts: ['Project Zeppelin'] } },
      {
        prompt: 'what of project zeppelin?',
        answer: { steps: [{ text: 'PROJECT ZEPPELIN flies' }, { thinking: 'nothing else' }] },
      },
    )
    expect(holds(dataDir, 'project zeppelin')).toBe(false)
    expect(countKinds(dataDir)).toMatchObject({ model_request: 1, thinking: 1 })
    expect(countKinds(dataDir)).not.toHaveProperty('user_prompt')
  },
  async 'filter.sample'() {
    const many = Array.from({ length: 40 }, (_, index) => says(`answer ${index}`))
    const { dataDir } = await record({ filter: { sample: { assistant_text: 0.5, api_usage: 0 } } }, ...many)
    const kept = countKinds(dataDir)
    expect(kept['assistant_text']).toBeGreaterThan(5)
    expect(kept['assistant_text']).toBeLessThan(35)
    expect(kept).not.toHaveProperty('api_usage')
    expect(kept['model_response']).toBe(40)
  },
  async 'processors.modules'() {
    const path = join(folder.path, 'shout.mjs')
    writeFileSync(
      path,
      `export default { name: 'shout', process: (event, { config }) => event.kind !== 'assistant_text' ? event
        : { ...event, payload: { ...event.payload, text: event.payload.text.toUpperCase() + config.end } } }`,
    )
    const modules = [{ path, options: { end: '!' } }]
    const { dataDir, health } = await record({ processors: { modules } }, says('quiet'))
    expect(payloads(dataDir, 'assistant_text')).toMatchObject([{ text: 'QUIET!' }])
    expect(health.processors).toMatchObject([{ name: 'shout', errors: 0 }])
  },
  async 'processors.timeout_ms'() {
    const path = join(folder.path, 'slow.mjs')
    writeFileSync(
      path,
      `export default { name: 'slow', process: async (event, { config }) => {
        await new Promise((resolve) => setTimeout(resolve, event.kind === 'assistant_text' ? config.ms : 0))
        return event.kind === 'assistant_text' ? 'drop' : event } }`,
    )
    const run = (timeout_ms: number, ms: number) =>
      record({ processors: { modules: [{ path, options: { ms } }], timeout_ms } }, says('kept'))
    const impatient = await run(300, 3_600_000)
    expect(countKinds(impatient.dataDir)).toHaveProperty('assistant_text')
    expect(impatient.health.processors[0]?.errors).toBeGreaterThan(0)
    expect(countKinds((await run(10_000, 500)).dataDir)).not.toHaveProperty('assistant_text')
  },
  async 'pricing.models'() {
    const price = {
      model: 'claude-sonnet-5-5',
      input: 1000,
      output: 2000,
      cache_read: 0,
      cache_write_5m: 0,
      cache_write_1h: 0,
    }
    const cost = async (models: readonly object[]) => {
      await using running = await startApp({ upstream: upstream.url, settings: { 'pricing.models': models } })
      await (await ask(running.proxy, { prompt: 'hello', model: price.model })).text()
      await expect.poll(() => running.call('events.count', { kind: 'model_response' }), POLL).toEqual({ count: 1 })
      const { total_cost_usd } = await running.call<{ total_cost_usd: number }>('stats.summary')
      const shownLive = async () => {
        const { events } = await running.call<{ events: { kind: string; cost_usd?: number }[] }>('live.since', {
          after: 0,
        })
        return events.find(({ kind }) => kind === 'api_usage')?.cost_usd
      }
      await expect.poll(shownLive).toBe(total_cost_usd)
      return total_cost_usd
    }
    // 10 tokens in, 20 out.
    expect(await cost([price])).toBeCloseTo(0.05, 9)
    const listPrice = await cost([])
    expect(listPrice).toBeLessThan(0.01)
    expect(await cost([{ ...price, from: '2999-01-01' }])).toBe(listPrice)
  },
  async 'session_log.enabled'() {
    expect(readdirSync(join((await byDefault()).dataDir, 'logs'))).toEqual(['session-session-1.jsonl'])
    expect(existsSync(join((await otherwise()).dataDir, 'logs'))).toBe(false)
  },
  async 'session_log.max_file_bytes'() {
    const many = Array.from({ length: 6 }, (_, index) => says(`answer ${index} ${'x'.repeat(500)}`))
    const parts = async (max_file_bytes: number) => {
      const { dataDir } = await record({ session_log: { max_file_bytes, compress: 'none' } }, ...many)
      return readdirSync(join(dataDir, 'logs')).length
    }
    expect(await parts(3000)).toBeGreaterThan(3)
    expect(await parts(0)).toBe(1)
  },
  async 'session_log.compress'() {
    const many = Array.from({ length: 6 }, (_, index) => says(`answer ${index} ${'x'.repeat(500)}`))
    for (const [compress, ending] of [
      ['gzip', '.gz'],
      ['zstd', '.zst'],
      ['none', ''],
    ] as const) {
      const dataDir = join(folder.path, compress)
      mkdirSync(dataDir)
      const under = await startRecorder(dataDir, { config: { session_log: { max_file_bytes: 3000, compress } } })
      for (const exchange of many) await pass(under.tap, exchange)
      await under.settled()
      const first = () => existsSync(join(dataDir, 'logs', `session-session-1.jsonl.1${ending}`))
      await until('the first part was written', async () => first())
      await under.stop()
    }
  },
  async 'session_log.retention_days'() {
    for (const [retention_days, isKept] of [
      [30, false],
      [0, true],
    ] as const) {
      const logs = join(folder.path, `old-${retention_days}`, 'logs')
      mkdirSync(logs, { recursive: true })
      const old = join(logs, 'session-old.jsonl')
      writeFileSync(old, '{}\n')
      utimesSync(old, new Date(), new Date(Date.now() - 31 * 86_400_000))
      const under = await startRecorder(dirname(logs), {
        config: { session_log: { retention_days, max_file_bytes: 2000 } },
      })
      // A full file has the folder looked through.
      for (let at = 0; at < 6; at++) await pass(under.tap, says('x'.repeat(500)))
      await under.settled()
      await until('a part is compressed', async () => readdirSync(logs).some((name) => name.endsWith('.gz')))
      if (!isKept) await until('the old one is gone', async () => !existsSync(old))
      await under.stop()
      expect([retention_days, existsSync(old)]).toEqual([retention_days, isKept])
    }
  },
  async 'session_log.max_total_bytes'() {
    const many = Array.from({ length: 12 }, (_, index) => says(`answer ${index} ${'x'.repeat(900)}`))
    const bytesOf = (logs: string) =>
      readdirSync(logs).reduce(
        (sum, name) => sum + (statSync(join(logs, name), { throwIfNoEntry: false })?.size ?? 0),
        0,
      )
    for (const [max_total_bytes, isBound] of [
      [20_000, true],
      [0, false],
    ] as const) {
      const logs = join(folder.path, `bound-${max_total_bytes}`, 'logs')
      mkdirSync(logs, { recursive: true })
      writeFileSync(join(logs, 'session-first.jsonl'), 'x'.repeat(100_000))
      const under = await startRecorder(dirname(logs), {
        config: { session_log: { max_total_bytes, max_file_bytes: 6000 } },
      })
      for (const exchange of many) await pass(under.tap, exchange)
      await under.settled()
      await until('a part is compressed', async () => readdirSync(logs).some((name) => name.endsWith('.gz')))
      if (isBound) await until('they are bounded', async () => bytesOf(logs) < 100_000)
      await under.stop()
      expect(bytesOf(logs) < 100_000).toBe(isBound)
    }
  },
  async 'metrics.enabled'() {
    for (const [{ app: address, token }, status] of [
      [await running(), 200],
      [(await inItsPlace()).running, 404],
    ] as const)
      expect((await fetch(`${address}/metrics`, { headers: { authorization: `Bearer ${token}` } })).status).toBe(status)
  },
  async 'webhook.url'() {
    expect((await delivered()).received.length).toBeGreaterThan(1)
    await using running = await app({})
    expect((await running.running.health()).sinks.map(({ name }) => name)).toEqual(['session_log'])
  },
  async 'webhook.secret_file'() {
    const { received, files } = await delivered()
    const [{ body, headers }] = received as [(typeof received)[0]]
    const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`
    expect(headers['webhook-signature']).toBe(
      `v1,${createHmac('sha256', 'a secret of my own').update(signed).digest('base64')}`,
    )
    expect(files).not.toContain('webhook.secret')
  },
  async 'webhook.kinds'() {
    expect(new Set(eventsAt(await delivered()).map(({ kind }) => kind))).toEqual(
      new Set(['assistant_text', 'user_prompt']),
    )
  },
  async 'webhook.projects'() {
    expect(new Set(eventsAt(await delivered()).map(({ project }) => project))).toEqual(new Set(['/home/user/project']))
    await using receiver = await startSinkReceiver()
    await using running = await app({ 'webhook.url': receiver.url, 'webhook.projects': ['/home/me/**'] })
    await recordedTurn(running)
    await running.close()
    expect(receiver.received).toEqual([])
  },
  async 'webhook.batch_size'() {
    const sizes = (await delivered()).received.map(({ json }) => (json as { events: unknown[] }).events.length)
    expect(new Set(sizes)).toEqual(new Set([1]))
  },
  async 'webhook.interval_ms'() {
    await using receiver = await startSinkReceiver()
    await using running = await app({ 'webhook.url': receiver.url, 'webhook.interval_ms': 3_600_000 })
    await recordedTurn(running)
    expect(receiver.received).toEqual([])
    // Nothing waits for company at the end.
    await running.close()
    expect(eventsAt(receiver).length).toBeGreaterThan(3)
  },
  async 'webhook.timeout_ms'() {
    await using receiver = await startSinkReceiver(hangs)
    await using running = await app({ 'webhook.url': receiver.url, 'webhook.timeout_ms': 150 })
    await recordedTurn(running)
    const problem = async () => (await running.running.health()).sinks.find(({ name }) => name === 'webhook')?.problem
    await until('it says so', async () => /did not respond in 150 ms/.test((await problem()) ?? ''))
  },
  async 'webhook.max_waiting'() {
    await using receiver = await startSinkReceiver()
    await receiver.vanish()
    await using running = await app({ 'webhook.url': receiver.url, 'webhook.max_waiting': 1 })
    await recordedTurn(running)
    const sink = async () => (await running.running.health()).sinks.find(({ name }) => name === 'webhook')
    await until('all but one are given up', async () => ((await sink())?.dropped['overflow'] ?? 0) > 3)
  },
  async 'otel.endpoint'() {
    expect((await traced()).received[0]?.path).toBe('/collect/v1/traces')
  },
  async 'otel.content'() {
    const shows = ({ received }: Awaited<ReturnType<typeof trace>>) =>
      received.some(({ body }) => body.includes('a plain question'))
    expect([shows(await traced()), shows(await trace({ 'otel.content': true }))]).toEqual([false, true])
  },
  async 'otel.headers_file'() {
    expect((await traced()).received[0]?.headers['x-key']).toBe('of-mine')
  },
  async 'otel.max_waiting'() {
    await using receiver = await startSinkReceiver()
    await receiver.vanish()
    await using running = await app({ 'otel.endpoint': receiver.url, 'otel.max_waiting': 1 })
    await recordedTurn(running)
    await recordedTurn(running)
    const sink = async () => (await running.running.health()).sinks.find(({ name }) => name === 'otel')
    await until('the older turn is given up', async () => (await sink())?.dropped['overflow'] === 1)
  },
  async 'team.url'() {
    await using stub = await startTeamStub()
    await sentToTeam(stub, {})
    const before = stub.batches.length
    await using running = await app({})
    await recordedTurn(running)
    expect((await running.running.health()).sinks.map(({ name }) => name)).toEqual(['session_log'])
    expect(stub.batches).toHaveLength(before)
  },
  async 'team.policy'() {
    for (const [policy, holdsText] of [
      ['metadata', false],
      ['full', true],
    ] as const) {
      await using stub = await startTeamStub()
      await sentToTeam(stub, { 'team.policy': policy })
      const sent = JSON.stringify(stub.batches)
      expect(sent.includes('a plain question'), policy).toBe(holdsText)
      expect(sent.includes('/home/user'), policy).toBe(false)
    }
  },
  async 'team.projects'() {
    await using stub = await startTeamStub()
    // `ask` works in /home/user/project.
    const projects = [{ project: '/home/user/**', policy: 'full', name: 'shop', shared: true }]
    await sentToTeam(stub, { 'team.policy': 'off', 'team.projects': projects })
    expect(new Set(stub.events().map(({ project, shared }) => `${project} ${shared}`))).toEqual(new Set(['shop true']))
  },
  async 'team.exclude'() {
    await using stub = await startTeamStub()
    stub.admit(folder.path)
    await using running = await app({ 'team.url': stub.url, 'team.policy': 'full', 'team.exclude': ['left-out'] })
    await running.recorderRuns()
    await (await ask(running.proxy, { prompt: 'kept to myself', session: 'left-out' })).text()
    await recordedTurn(running)
    await until('the other session came', async () => stub.events().some(({ kind }) => kind === 'assistant_text'))
    expect(JSON.stringify(stub.batches)).not.toContain('kept to myself')
  },
  async 'files.watch_changes'() {
    // `operations/seen-files.test.ts` shows what is seen.
    const { running: app, data } = await running()
    const hook = async () => {
      const told = {
        session_id: 'watched',
        hook_event_name: 'PreToolUse',
        tool_name: 'Bash',
        tool_use_id: 'w',
        cwd: '/',
      }
      await app.dispatch.call('hooks.post', Buffer.from(JSON.stringify(told)), { access: 'hooks' })
      return existsSync(join(data, 'watch.git'))
    }
    expect(await hook()).toBe(false)
    await during({ 'files.watch_changes': true }, () => expect.poll(hook, POLL).toBe(true))
  },
  async 'notices.after_compaction'() {
    const { call, count } = await running()
    const before = await count({ kind: 'model_response' })
    expect((await answered({ session: 'compacted' })).status).toBe(200)
    await expect.poll(() => count({ kind: 'model_response' }), POLL).toBe(before + 1)
    const notice = () => call('notices.session_start', { session_id: 'compacted', start: 'compact' })
    expect(await notice()).toMatchObject({ text: expect.any(String) })
    await during({ 'notices.after_compaction': false }, async () => expect(await notice()).toEqual({ text: null }))
  },
  'budgets.daily_usd': () => showBudget('daily_usd', 'day'),
  'budgets.weekly_usd': () => showBudget('weekly_usd', 'week'),
  'budgets.monthly_usd': () => showBudget('monthly_usd', 'month'),
  async 'budgets.projects'() {
    const { call, count } = await running()
    const projects = [
      { project: '/home/user/project', daily_usd: 2, monthly_usd: 3 },
      { project: '/elsewhere', weekly_usd: 1 },
    ]
    const before = await count({ kind: 'api_usage' })
    expect((await answered()).status).toBe(200)
    await expect.poll(() => count({ kind: 'api_usage' }), POLL).toBe(before + 1)
    await during({ 'budgets.projects': projects }, async () =>
      expect(await call('budgets.status')).toMatchObject({
        items: [
          { project: '/home/user/project', period: 'day', limit_usd: 2, spent_usd: expect.not.closeTo(0, 12) },
          { project: '/home/user/project', period: 'month', limit_usd: 3 },
          { project: '/elsewhere', period: 'week', limit_usd: 1, spent_usd: 0 },
        ],
      }),
    )
  },
  async 'limits.accounts'() {
    // `limits-by-account.test.ts` gives names to two accounts; here, one that nobody has.
    await using running = await startApp({
      upstream: upstream.url,
      settings: { 'limits.accounts': { abcdef: 'Work' } },
    })
    expect(await running.call('limits.latest')).toEqual({ at: null, windows: [] })
  },
  async 'guard.when_away'() {
    for (const [when_away, status] of [
      ['pass', 200],
      ['refuse', 503],
    ] as const) {
      await using away = await startPassBy({ proxy: { upstream: upstream.url }, guard: { when_away } })
      const answered = await ask(`http://127.0.0.1:${away.port}`, { prompt: 'are you there?' })
      expect([when_away, answered.status]).toEqual([when_away, status])
      await answered.text()
    }
  },
  'guard.request_usd': () => showCap('request_usd', 0.000001, 100),
  'guard.session_usd': () => showCap('session_usd', 0.000001, 100, { session: 'one' }),
  'guard.agent_tree_usd': () => showCap('agent_tree_usd', 0.000001, 100, AS_AGENT),
  'guard.hour_usd': () => showCap('hour_usd', 0.000001, 100),
  'guard.day_usd': () => showCap('day_usd', 0.000001, 100),
  'guard.request_tokens': () => showCap('request_tokens', 10, 1_000_000),
  'guard.session_tokens': () => showCap('session_tokens', 10, 1_000_000, { session: 'one' }),
  'guard.agent_tree_tokens': () => showCap('agent_tree_tokens', 10, 1_000_000, AS_AGENT),
  'guard.hour_tokens': () => showCap('hour_tokens', 10, 1_000_000),
  'guard.day_tokens': () => showCap('day_tokens', 10, 1_000_000),
  'guard.repeat_calls': () => showCap('repeat_calls', 1, 2, REPEATS),
  async 'guard.growing_fan_out'() {
    const settings = { 'guard.growing_fan_out': 1, 'guard.action': 'refuse', 'guard.decide_ms': 10_000 }
    await using running = await app(settings)
    const as = async (agent: string, parent?: string) => {
      const below = parent === undefined ? {} : { 'x-claude-code-parent-agent-id': parent }
      const headers = { 'x-claude-code-agent-id': agent, ...below }
      return (await ask(running.proxy, { prompt: 'a question', session: 'one', headers })).status
    }
    expect([await as('a'), await as('b', 'a'), await as('c', 'b')]).toEqual([200, 200, 402])
  },
  async 'guard.agents_per_turn'() {
    const as = async (agent: string) =>
      (await answered({ session: 'with-agents', headers: { 'x-claude-code-agent-id': agent } })).status
    await during({ 'guard.agents_per_turn': 1 }, async () =>
      expect([await as('a'), await as('a'), await as('b')]).toEqual([200, 200, 402]),
    )
  },
  async 'guard.action'() {
    const { call } = await running()
    const counts = async () => (await call<{ counts: { notified: number; refused: number } }>('guard.get')).counts
    const { notified, refused } = await counts()
    const status = (action: string) =>
      during({ 'guard.request_tokens': 10, 'guard.action': action }, async () => (await answered()).status)
    expect(await status('notify')).toBe(200)
    expect(await counts()).toMatchObject({ notified: notified + 1, refused })
    expect(await status('refuse')).toBe(402)
    expect(await counts()).toMatchObject({ notified: notified + 1, refused: refused + 1 })
  },
  async 'guard.hold_seconds'() {
    await during({ 'guard.request_tokens': 10, 'guard.hold_seconds': 1, 'guard.action': 'hold' }, async () =>
      expect(await answered()).toEqual({ status: 402, text: expect.stringContaining('Nobody decided in time') }),
    )
  },
  async 'guard.strict'() {
    // The request allows 32,000 tokens of output.
    for (const strict of [false, true])
      await during({ 'guard.request_tokens': 20_000, 'guard.strict': strict }, async () =>
        expect((await answered()).status).toBe(strict ? 402 : 200),
      )
  },
  async 'guard.fail_open'() {
    const { proxy } = await running()
    for (const isOpen of [true, false])
      await during({ 'guard.request_usd': 100, 'guard.fail_open': isOpen }, async () => {
        const { status } = await fetch(`${proxy}/v1/messages`, { method: 'POST', body: 'not JSON' })
        expect(status).toBe(isOpen ? 404 : 402)
      })
  },
  async 'guard.decide_ms'() {
    const { call } = await running()
    const unpriced = async () => (await call<{ counts: { unpriced: number } }>('guard.get')).counts.unpriced
    const before = await unpriced()
    // Long enough that no machine reads it in 10 ms.
    await during({ 'guard.request_tokens': 10, 'guard.decide_ms': 10 }, async () => {
      const long = { prompt: 'a question '.repeat(800_000) }
      // The guard's first answer is waited for.
      expect((await answered(long)).status).toBe(402)
      expect((await answered(long)).status).toBe(200)
    })
    expect(await unpriced()).toBe(before + 1)
  },
  async 'guard.projects'() {
    const of = (project: string) => ({ 'guard.projects': [{ project, request_tokens: 10 }] })
    await during(of('/home/user/project'), async () => expect((await answered()).status).toBe(402))
    await during(of('/elsewhere'), async () => expect((await answered()).status).toBe(200))
  },
  async 'transcripts.folders'() {
    const { running } = await inItsPlace()
    const found = await running.call<{ folders: { path: string; files: number }[] }>('transcripts.find')
    expect(found.folders).toContainEqual(expect.objectContaining({ files: 1, path: expect.stringMatching(/further$/) }))
  },
  async 'transcripts.codex_folders'() {
    const { running } = await inItsPlace()
    const found = await running.call<{ folders: { path: string; files: number }[] }>('transcripts.find')
    const path: unknown = expect.stringMatching(/other-codex.sessions$/)
    expect(found.folders).toContainEqual(expect.objectContaining({ files: 1, path }))
  },
  async 'transcripts.follow'() {
    // Outside the data folder, where nothing is followed.
    using outside = makeTempFolder()
    const further = outside.path
    const line = (uuid: string, text: string) =>
      `${JSON.stringify({
        type: 'user',
        uuid,
        parentUuid: null,
        sessionId: 'from-a-file',
        timestamp: '2026-11-20T10:00:00.000Z',
        cwd: '/p',
        message: { role: 'user', content: text },
      })}\n`
    const file = join(further, 'from-a-file.jsonl')
    for (const isOn of [true, false]) {
      writeFileSync(file, line(`first-${isOn}`, `a first question, ${isOn}`))
      await using running = await app({ 'transcripts.folders': [further], 'transcripts.follow': isOn })
      const count = () => running.count({ kind: 'user_prompt' })
      await running.run('transcripts.import', { paths: [further] })
      const before = await count()
      const found = await running.call<{ following: boolean }>('transcripts.find')
      expect(found.following).toBe(isOn)
      appendFileSync(file, line(`second-${isOn}`, `a second question, ${isOn}`))
      await expect.poll(count, POLL).toBe(isOn ? before + 1 : before)
    }
  },
}

const tested = settings.filter(({ key }) => shown[key])
test.each(
  few(
    tested.map(({ key, description }) => [key, description] as const),
    24,
  ),
)(
  '%s: %s',
  async (key) => {
    await shown[key]?.()
  },
  TIMEOUT,
)

test('every setting does what its description says', () => {
  expect(Object.keys(shown).toSorted()).toEqual(settings.map(({ key }) => key).toSorted())
})

test('filtered events are not spooled to disk either', async () => {
  const dataDir = join(folder.path, 'blocked')
  // A folder is in place of the database.
  mkdirSync(join(dataDir, 'lifestats.db'), { recursive: true })
  const under = await startRecorder(dataDir, { config: { filter: { drop_projects: ['/home/me/*'] } } })
  await pass(under.tap, says('a-word-of-the-answer'))
  await under.settled()
  await under.stop()
  expect(under.health()).toMatchObject({ state: 'restarting', spooled: 0 })
  expect(under.health().dropped['filtered']).toBeGreaterThan(3)
  expect(holds(dataDir, 'a-word-of-the-answer')).toBe(false)
})
