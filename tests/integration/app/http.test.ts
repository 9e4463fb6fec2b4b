import { mkdtempSync, rmSync, writeFileSync, mkdirSync } from 'node:fs'
import { connect } from 'node:net'
import { request, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { AspyError } from '../../../src/shared/contract/errors.ts'
import { findOperation, OPERATIONS } from '../../../src/shared/contract/index.ts'
import { HttpSurface } from '../../../src/main/surfaces/http/http-surface.ts'
import type { Dispatch } from '../../../src/main/dispatch/dispatch.ts'

/** A stand-in behind the surface: it answers with its input, and streams batches from the test. */
interface Recorded {
  name: string
  input: unknown
  access: string
}

let place: string
let windowDir: string
let surface: HttpSurface
let port: number
let asked: Recorded[]
let feed: (signal: AbortSignal) => AsyncIterable<{ readonly value: unknown; readonly id: number | null }>

const dispatch: Dispatch = {
  async call(name, input, { access }) {
    asked.push({ name, input, access })
    if (name === 'sessions.get') throw new AspyError('not_found', 'there is no such session')
    if (name === 'stats.summary') throw new Error('a fault')
    return new TextEncoder().encode(JSON.stringify({ name, exact: '1.0' }).replace('"1.0"', '1.0'))
  },
  async *stream(name, input, { access }, signal) {
    asked.push({ name, input, access })
    for await (const { value, id } of feed(signal)) yield { json: new TextEncoder().encode(JSON.stringify(value)), id }
  },
}

beforeEach(async () => {
  asked = []
  place = mkdtempSync(join(tmpdir(), 'aspy-window-'))
  windowDir = join(place, 'window')
  mkdirSync(join(windowDir, 'assets'), { recursive: true })
  writeFileSync(join(windowDir, 'index.html'), '<title>Aspy</title>')
  writeFileSync(join(windowDir, 'assets', 'page.js'), 'export {}')
  const hooks = findOperation('hooks.post')
  surface = new HttpSurface({
    // The order of the contract must not decide which address wins.
    operations: OPERATIONS.toReversed(),
    dispatch,
    grants: [
      { key: 'owner-key', access: 'all', opens: () => true },
      { key: 'hook-key', access: 'hooks', opens: (door) => door === hooks },
      { key: 'mcp-key', access: 'read', opens: (door) => door === 'mcp' },
    ],
    allowedHosts: ['box.example:9'],
    windowDir,
    health: () => ({ id: 'this-run', status: 'ok' }),
    mcp: async () => new Response('mcp here'),
    version: '0',
    logger: { error: () => undefined },
    maxBodyBytes: 10_000,
    heartbeatMs: 20,
  })
  port = await surface.start(0)
})
afterEach(async () => {
  await surface.stop(1000)
  rmSync(place, { recursive: true, force: true })
})

interface Sent {
  method?: string
  path: string
  headers?: Record<string, string>
  body?: string
}

/** A request with any header, which fetch would not send; no key unless `headers` says so. */
function send({ method = 'GET', path, headers = {}, body }: Sent): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: '127.0.0.1', port, method, path, headers, agent: false }, resolve)
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}

const OWNER = { authorization: 'Bearer owner-key' }

async function answer(sent: Sent): Promise<{ status: number | undefined; body: unknown }> {
  const response = await send(sent)
  const body = await text(response)
  return { status: response.statusCode, body: body === '' ? null : JSON.parse(body) }
}

const refusal = (status: number, code: string) => ({
  status,
  body: { error: { code, message: expect.stringMatching(/\w/) } },
})

describe('addresses come from the contract', () => {
  test('POST /api/<name> accepts JSON and returns the bytes of the handler unchanged', async () => {
    const response = await send({ method: 'POST', path: '/api/tools.list', headers: OWNER, body: '{"limit":3}' })
    expect(await text(response)).toBe('{"name":"tools.list","exact":1.0}')
    expect(response.headers['content-type']).toMatch(/^application\/json/)
    expect(asked).toEqual([{ name: 'tools.list', input: { limit: 3 }, access: 'all' }])
  })

  test('query and path parameters become input; repeated names become a list; fixed paths win', async () => {
    await send({ path: '/api/lifestats/recover?query=a%20b&limit=2', headers: OWNER })
    await send({ path: '/api/events/abc/chain', headers: OWNER })
    await send({ path: '/api/events/count?kind=thinking', headers: OWNER })
    await send({ path: '/api/sessions/s%2F1/events?kinds=thinking&kinds=error', headers: OWNER })
    expect(asked.map(({ name, input }) => [name, input])).toEqual([
      ['recall.search', { query: 'a b', limit: '2' }],
      ['events.chain', { uuid: 'abc' }],
      ['events.count', { kind: 'thinking' }],
      ['sessions.events', { session_id: 's/1', kinds: ['thinking', 'error'] }],
    ])
  })

  test('every operation has an address and is in the API description', async () => {
    const { body } = await answer({ path: '/api/openapi.json', headers: OWNER })
    const { paths } = body as { paths: Record<string, Record<string, unknown>> }
    for (const { name, http } of OPERATIONS) {
      expect(paths[`/api/${name}`], name).toHaveProperty('post')
      if (http === undefined) continue
      expect(paths[http.path.replace(/:(\w+)/g, '{$1}')], http.path).toHaveProperty(http.method.toLowerCase())
    }
    const ids = Object.values(paths).flatMap((methods) =>
      Object.values(methods).map((entry) => (entry as { operationId: string }).operationId),
    )
    expect(new Set(ids).size).toBe(ids.length)
  })

  test('errors have a code and status; an unexpected fault is internal', async () => {
    expect(await answer({ path: '/api/sessions/x', headers: OWNER })).toEqual(refusal(404, 'not_found'))
    expect(await answer({ path: '/api/lifestats/summary', headers: OWNER })).toEqual(refusal(500, 'internal'))
  })

  test.each([
    ['an unknown route', { path: '/api/nothing' }, 404, 'not_found'],
    ['an unknown operation', { method: 'POST', path: '/api/no.such' }, 404, 'not_found'],
    ['the wrong method', { method: 'DELETE', path: '/api/events' }, 404, 'not_found'],
    ['a body that is not JSON', { method: 'POST', path: '/api/tools.list', body: '{"limit":' }, 400, 'bad_input'],
    ['a body that is not an object', { method: 'POST', path: '/api/tools.list', body: '[1]' }, 400, 'bad_input'],
    [
      'a body that is too large',
      { method: 'POST', path: '/api/tools.list', body: `{"x":"${'y'.repeat(20_000)}"}` },
      413,
      'too_large',
    ],
    ['bad input to a stream', { path: '/api/live?last_event_id=x' }, 400, 'bad_input'],
  ] as const)('%s is refused in words', async (_name, sent, status, code) => {
    expect(await answer({ ...sent, headers: OWNER })).toEqual(refusal(status, code))
    expect(asked).toEqual([])
  })
})

describe('access', () => {
  test.each([
    ['no key', {}],
    ['a wrong key', { authorization: 'Bearer nope' }],
    ['the key under another scheme', { authorization: 'Basic owner-key' }],
    ['an invented session', { cookie: 'aspy_session_1=abc' }],
  ])('%s opens nothing', async (_name, headers) => {
    for (const path of ['/api/events', '/api/openapi.json', '/api/live', '/api/nothing', '/mcp']) {
      expect(await answer({ path, headers }), path).toEqual(refusal(401, 'unauthorized'))
    }
    expect(asked).toEqual([])
  })

  test('the hooks key grants only the hook route', async () => {
    const headers = { authorization: 'Bearer hook-key' }
    const body = '{"session_id":"s","hook_event_name":"Stop"}'
    expect((await send({ method: 'POST', path: '/api/hooks', headers, body })).statusCode).toBe(200)
    expect(await answer({ path: '/api/events', headers })).toEqual(refusal(403, 'forbidden'))
    expect(await answer({ path: '/mcp', headers })).toEqual(refusal(403, 'forbidden'))
    expect(asked.map(({ name }) => name)).toEqual(['hooks.post'])
  })

  test('the MCP key grants only MCP', async () => {
    const headers = { authorization: 'Bearer mcp-key' }
    expect(await text(await send({ method: 'POST', path: '/mcp', headers }))).toBe('mcp here')
    expect(await answer({ path: '/api/events', headers })).toEqual(refusal(403, 'forbidden'))
  })

  test.each(['evil.example', 'evil.example:2780', '127.0.0.1', '127.0.0.1:1', 'localhost.evil.example'])(
    'host %s is refused everywhere, with the right key too',
    async (host) => {
      for (const path of ['/', '/healthz', '/api/events', '/mcp']) {
        expect(await answer({ path, headers: { ...OWNER, host } }), path).toEqual(refusal(403, 'forbidden'))
      }
    },
  )

  test('localhost and allowed hosts are served', async () => {
    for (const host of [`localhost:${port}`, 'box.example:9']) {
      expect((await send({ path: '/healthz', headers: { host } })).statusCode).toBe(200)
    }
  })

  test.each(['https://evil.example', 'null', 'http://127.0.0.1:1', 'app://aspy'])(
    'origin %s is refused',
    async (origin) => {
      expect(await answer({ path: '/api/events', headers: { ...OWNER, origin } })).toEqual(refusal(403, 'forbidden'))
      expect(
        await answer({ method: 'POST', path: '/login', headers: { origin }, body: '{"key":"owner-key"}' }),
      ).toEqual(refusal(403, 'forbidden'))
    },
  )

  test('health tells everyone the ID, and nothing else', async () => {
    expect(await answer({ path: '/healthz' })).toEqual({ status: 200, body: { id: 'this-run', status: 'ok' } })
  })
})

describe('browser sign-in', () => {
  const login = (body: string, headers: Record<string, string> = {}) =>
    send({ method: 'POST', path: '/login', headers: { 'sec-fetch-site': 'same-origin', ...headers }, body })

  async function cookieOf(response: IncomingMessage): Promise<string> {
    response.resume()
    return response.headers['set-cookie']?.[0] ?? ''
  }

  test('the key is exchanged for a cookie that grants the API and is hidden from scripts and other sites', async () => {
    const cookie = await cookieOf(await login('{"key":"owner-key"}'))
    expect(cookie).toMatch(/HttpOnly; SameSite=Strict/)
    expect(cookie).not.toContain('owner-key')
    const headers = { cookie: cookie.split(';')[0] ?? '', 'sec-fetch-site': 'same-origin' }
    expect((await send({ path: '/api/events', headers })).statusCode).toBe(200)
    expect(await answer({ path: '/api/events', headers: { ...headers, 'sec-fetch-site': 'cross-site' } })).toEqual(
      refusal(401, 'unauthorized'),
    )
    expect(await answer({ path: '/api/events', headers: { ...headers, 'sec-fetch-site': 'same-site' } })).toEqual(
      refusal(401, 'unauthorized'),
    )
  })

  test('each sign-in creates a new session', async () => {
    const first = await cookieOf(await login('{"key":"owner-key"}'))
    expect(await cookieOf(await login('{"key":"owner-key"}'))).not.toBe(first)
  })

  test.each([
    ['a wrong key', '{"key":"x"}', {}, 401],
    ['the key of the hooks', '{"key":"hook-key"}', {}, 401],
    ['no JSON', 'key=owner-key', {}, 400],
    ['another site', '{"key":"owner-key"}', { 'sec-fetch-site': 'cross-site' }, 403],
  ])('%s gets none', async (_name, body, headers, status) => {
    const response = await login(body, headers)
    expect(response.statusCode).toBe(status)
    expect(await cookieOf(response)).toBe('')
  })
})

describe('the window', () => {
  test('files, views and security headers', async () => {
    const page = await send({ path: '/sessions/abc' })
    expect(await text(page)).toContain('<title>Aspy</title>')
    expect(page.headers['content-security-policy']).toContain("default-src 'none'")
    expect(page.headers['x-content-type-options']).toBe('nosniff')
    expect((await send({ path: '/assets/page.js' })).headers['content-type']).toMatch(/javascript/)
  })

  test('serves nothing outside its folder', async () => {
    writeFileSync(join(place, 'aspy-secret.json'), '{}')
    for (const path of ['/../aspy-secret.json', '/..%2faspy-secret.json', '/assets/../../aspy-secret.json']) {
      expect((await rawGet(path)).startsWith('HTTP/1.1 404'), path).toBe(true)
    }
  })
})

/** A request line as written: clients would tidy the path. */
function rawGet(path: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n\r\n`)
  return text(socket)
}

describe('streams', () => {
  test('batches arrive as they are produced, with the ID of their last event, followed by an end message', async () => {
    const gate = Promise.withResolvers<void>()
    feed = async function* () {
      yield { value: { events: [{ id: 4 }, { id: 7 }], deltas: [] }, id: 7 }
      await gate.promise
      yield { value: { events: [], deltas: [{ text: 'a\nb' }] }, id: null }
    }
    const response = await send({ path: '/api/live?session_id=s', headers: { ...OWNER, 'last-event-id': '3' } })
    expect(response.headers['content-type']).toMatch(/^text\/event-stream/)
    const seen = collect(response)
    await seen.until('id: 7\ndata: {"events":[{"id":4},{"id":7}],"deltas":[]}\n\n')
    await seen.until(': alive\n\n')
    gate.resolve()
    await seen.until('\n\ndata: {"events":[],"deltas":[{"text":"a\\nb"}]}\n\n')
    await seen.until('event: end\ndata:\n\n')
    expect(asked).toEqual([{ name: 'live.subscribe', input: { session_id: 's', last_event_id: '3' }, access: 'all' }])
  })

  test('a failed stream reports the reason', async () => {
    // oxlint-disable-next-line require-yield -- it fails before its first batch
    feed = async function* () {
      throw new AspyError('gone', 'it left')
    }
    const response = await send({ path: '/api/live', headers: OWNER })
    expect(await text(response)).toContain('event: error\ndata: {"error":{"code":"gone","message":"it left"}}\n\n')
  })

  test('a stream ends when its reader disconnects or the app stops', async () => {
    const ended: string[] = []
    feed = async function* (signal) {
      yield { value: { events: [], deltas: [] }, id: null }
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      ended.push('ended')
    }
    const leaving = await send({ path: '/api/live', headers: OWNER })
    await collect(leaving).until('data:')
    leaving.destroy()
    await expect.poll(() => ended).toHaveLength(1)
    const staying = collect(await send({ path: '/api/live', headers: OWNER }))
    await staying.until('data:')
    await surface.stop(5000)
    await expect.poll(() => ended).toHaveLength(2)
  })
})

function collect(response: IncomingMessage) {
  let seen = ''
  response.setEncoding('utf8').on('data', (chunk: string) => (seen += chunk))
  response.on('error', () => undefined)
  return { until: (wanted: string) => expect.poll(() => seen).toContain(wanted) }
}

test('a port that is in use is reported with advice', async () => {
  const second = new HttpSurface({
    operations: [],
    dispatch,
    grants: [],
    allowedHosts: [],
    windowDir,
    health: () => ({ id: 'x' }),
    version: '0',
    logger: { error: () => undefined },
  })
  await expect(second.start(port)).rejects.toMatchObject({
    code: 'port_taken',
    message: `port ${port} is taken; choose another with --port or [app] port in config.toml`,
  })
  await second.stop(100)
})
