import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { EventSourceParserStream } from 'eventsource-parser/stream'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findRunningApp } from '../../../src/main/base/running-app.ts'
import { ask } from '../../support/app/ask.ts'
import { startMessagesUpstream, type MessagesUpstream } from '../../support/upstream/messages-upstream.ts'
import { startApp, type TestApp } from '../../support/app/start-app.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'
import { until } from '../../support/runner/until.ts'
import { eachInTime } from '../../support/runner/in-time.ts'

let upstream: MessagesUpstream
beforeAll(async () => {
  upstream = await startMessagesUpstream(() => ({
    steps: [{ thinking: 'Solarized, since low contrast tires less.' }, { text: 'Take the solarized theme.' }],
    usage: { input_tokens: 1000, output_tokens: 100 },
  }))
})
afterAll(() => upstream.close())

interface List<Item> {
  readonly items: readonly Item[]
}

/** The recorder works behind the client's back: so the test waits for its work. */
const recorded = (app: TestApp, exchanges: number) =>
  until(
    'the exchange is recorded',
    async () => (await app.call<List<object>>('events.list', { kind: 'model_response' })).items.length === exchanges,
  )

const get = (app: TestApp, path: string, headers: Record<string, string> = {}) =>
  fetch(`${app.app}${path}`, { headers: { authorization: `Bearer ${app.token}`, ...headers } })

describe('a request through the proxy', () => {
  let app: TestApp
  const session = 'a-session'
  beforeAll(async () => {
    app = await startApp({ upstream: upstream.url })
    const answer = await ask(app.proxy, { prompt: 'Which theme shall we take?', session })
    expect(await answer.text()).toContain('message_stop')
    await recorded(app, 1)
  })
  afterAll(() => app?.close())

  test('is searchable, counted and traceable at the documented addresses', async () => {
    const found = await (await get(app, '/api/lifestats/recover?query=solarized')).json()
    const kinds = (found as List<{ match_type: string }>).items.map(({ match_type }) => match_type)
    // The turn's prompt may follow the hits, as context.
    expect(kinds.slice(0, 2).toSorted()).toEqual(['assistant_response', 'thinking'])
    const summary = await (await get(app, '/api/lifestats/summary')).json()
    expect(summary).toMatchObject({ total_sessions: 1, total_prompts: 1, total_thinking_blocks: 1, total_tokens: 1100 })
    const { uuid } = (found as List<{ uuid: string }>).items[0] ?? { uuid: '' }
    const chain = (await (await get(app, `/api/events/${uuid}/chain`)).json()) as List<{ kind: string }>
    expect(chain.items[0]).toMatchObject({ kind: 'user_prompt', payload: { text: 'Which theme shall we take?' } })
  })

  test('is in Health', async () => {
    // The recorder says its counters once a second.
    await expect
      .poll(() => app.call('health.get'))
      .toMatchObject({ status: 'ok', recorder: 'running', exchanges_recorded: 1, upstream: upstream.url, warnings: [] })
  })

  test('a feed reader that reconnects gets missed events first, then new ones', async () => {
    const all = (await app.call<List<{ id: number }>>('events.list')).items.map(({ id }) => id)
    const [first = 0, ...missed] = all
    const abort = new AbortController()
    const response = await fetch(`${app.app}/api/live`, {
      headers: { authorization: `Bearer ${app.token}`, 'last-event-id': String(first) },
      signal: abort.signal,
    })
    const seen: number[] = []
    const ids: string[] = []
    const reading = (async () => {
      const messages = response.body?.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream())
      for await (const { data, id } of messages ?? []) {
        seen.push(...(JSON.parse(data) as { events: { id: number }[] }).events.map((event) => event.id))
        if (id !== undefined) ids.push(id)
      }
    })().catch(() => undefined)
    await expect.poll(() => seen).toEqual(missed)
    expect(ids.at(-1)).toBe(String(missed.at(-1)))
    await (await ask(app.proxy, { prompt: 'And the font?', session })).text()
    await expect.poll(() => seen.length).toBeGreaterThan(missed.length)
    await recorded(app, 2)
    expect(seen).toEqual(seen.toSorted((one, other) => one - other))
    expect(new Set(seen).size).toBe(seen.length)
    abort.abort()
    await reading
  })

  test('a hook for a recorded prompt adds a sighting, not an event', async () => {
    const before = await app.count({ kind: 'user_prompt' })
    const hook = {
      hook_event_name: 'UserPromptSubmit',
      session_id: session,
      prompt: 'And the font?',
      prompt_id: 'p1',
      cwd: '/home/user/project',
    }
    const key = readFileSync(join(app.data, 'hooks'), 'utf8').trim()
    const response = await fetch(`${app.app}/api/hooks`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      body: JSON.stringify(hook),
    })
    expect(await response.json()).toEqual({})
    const prompts = () =>
      app.call<List<{ uuid: string; payload: { text: string } }>>('events.list', { kind: 'user_prompt' })
    const { uuid } = (await prompts()).items.find(({ payload }) => payload.text === 'And the font?') ?? { uuid: '' }
    await expect
      .poll(async () => (await app.call<{ sightings: { source: string }[] }>('events.get', { uuid })).sightings)
      .toMatchObject([{ source: 'wire' }, { source: 'hook', payload: { prompt_id: 'p1' } }])
    expect(await app.count({ kind: 'user_prompt' })).toBe(before)
  })
})

describe('starting and stopping', () => {
  test('the note of the running app is created at start and removed at stop', async () => {
    using folder = makeTempFolder()
    const app = await startApp({ upstream: upstream.url, dataDir: folder.path })
    expect(await findRunningApp(folder.path)).toMatchObject({ id: app.id, appUrl: app.app, proxyUrl: app.proxy })
    await expect(startApp({ upstream: upstream.url, dataDir: folder.path })).rejects.toMatchObject({
      code: 'already_running',
      message: expect.stringContaining(app.app),
    })
    await app.close()
    expect(existsSync(join(folder.path, 'app.json'))).toBe(false)
    await expect(fetch(app.app)).rejects.toThrow()
    await expect(fetch(app.proxy)).rejects.toThrow()
  })

  test.each([
    ['proxy.port', /port \d+ is taken; choose another with --proxy-port/],
    ['app.port', /port \d+ is taken; choose another with --port/],
  ])('an error for a taken %s says what to change, and nothing stays behind', async (key, message) => {
    await using first = await startApp({ upstream: upstream.url })
    using folder = makeTempFolder()
    const port = Number(new URL(key === 'proxy.port' ? first.proxy : first.app).port)
    await expect(
      startApp({ upstream: upstream.url, dataDir: folder.path, settings: { [key]: port } }),
    ).rejects.toMatchObject({
      code: 'port_taken',
      message: expect.stringMatching(message),
    })
    expect(existsSync(join(folder.path, 'app.json'))).toBe(false)
    await using second = await startApp({ upstream: upstream.url, dataDir: folder.path })
    expect(await second.call('health.get')).toMatchObject({ id: second.id })
  })

  test('recorded data survives a restart', async () => {
    using folder = makeTempFolder()
    const first = await startApp({ upstream: upstream.url, dataDir: folder.path })
    await (await ask(first.proxy, { prompt: 'Remember the marmalade' })).text()
    // Stopped at once: pending data is committed before the end.
    await first.close()
    await using second = await startApp({ upstream: upstream.url, dataDir: folder.path })
    const found = await second.call<List<{ content: string }>>('recall.search', { query: 'marmalade' })
    expect(found.items[0]?.content).toContain('Remember the <mark>marmalade</mark>')
    // Its feed is empty yet: a reader that was away reads on from the log.
    const [oldest = 0, ...missed] = (await second.call<List<{ id: number }>>('events.list')).items.map(({ id }) => id)
    const abort = new AbortController()
    const stream = second.running.dispatch.stream(
      'live.subscribe',
      { last_event_id: oldest },
      { access: 'read' },
      abort.signal,
    )
    for await (const { json } of eachInTime('the feed sends its opening', stream)) {
      const batch = JSON.parse(new TextDecoder().decode(json)) as { events: { id: number; text: string }[] }
      expect(batch.events.map(({ id }) => id)).toEqual(missed)
      break
    }
    abort.abort()
    expect(missed.length).toBeGreaterThan(3)
  })
})

describe('if nothing can be stored, the client is not affected', () => {
  const digest = (bytes: ArrayBuffer) => createHash('sha256').update(new Uint8Array(bytes)).digest('hex')
  const sameAnswer = async (app: TestApp) => {
    const direct = await fetch(`${upstream.url}/v1/models`)
    const through = await fetch(`${app.proxy}/v1/models`)
    expect(through.status).toBe(direct.status)
    expect(digest(await through.arrayBuffer())).toBe(digest(await direct.arrayBuffer()))
    const answer = await ask(app.proxy, { prompt: 'Does it pass?' })
    expect(await answer.text()).toContain('message_stop')
  }
  const warningCodes = async (app: TestApp) =>
    (await app.call<{ warnings: { code: string }[] }>('health.get')).warnings.map(({ code }) => code)

  test('a folder that cannot be created', async () => {
    using folder = makeTempFolder()
    writeFileSync(join(folder.path, 'file'), '')
    await using app = await startApp({ upstream: upstream.url, dataDir: join(folder.path, 'file', 'data') })
    await sameAnswer(app)
    await expect.poll(() => warningCodes(app)).toContain('folder_unwritable')
    // What has not been written when the folder is usable again would be recorded.
    await expect.poll(() => warningCodes(app)).toContain('dropped_spool_full')
    expect(await app.call('health.get')).toMatchObject({ status: 'degraded' })
    expect(await (await fetch(`${app.app}/healthz`)).json()).toMatchObject({ id: app.id, status: 'degraded' })

    rmSync(join(folder.path, 'file'))
    mkdirSync(join(folder.path, 'file', 'data'), { recursive: true })
    await (await ask(app.proxy, { prompt: 'Is it recorded?' })).text()
    await expect.poll(() => warningCodes(app)).toEqual(['folder_regained', 'dropped_spool_full'])
    const listed = () => app.call<{ items: unknown[] }>('events.list', { kind: 'user_prompt' })
    await expect.poll(async () => (await listed()).items).toMatchObject([{ payload: { text: 'Is it recorded?' } }])
    expect(await (await fetch(`${app.app}/healthz`)).json()).toMatchObject({ id: app.id, status: 'ok' })
  })

  test('a database from a newer version', async () => {
    using folder = makeTempFolder()
    const newer = new Database(join(folder.path, 'lifestats.db'))
    newer.pragma('user_version = 9999')
    newer.close()
    await using app = await startApp({ upstream: upstream.url, dataDir: folder.path })
    await sameAnswer(app)
    await expect.poll(() => warningCodes(app)).toContain('newer_database')
    const response = await get(app, '/api/lifestats/summary')
    expect(response.status).toBeGreaterThanOrEqual(500)
    expect(await response.json()).toMatchObject({ error: { message: expect.stringMatching(/newer/) } })
  })
})
