import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadKeys } from '../base/data-folder.ts'
import { createAwayServer } from './away-server.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'aspy-away-'))
const keys = loadKeys(dataDir)
const hooks: string[] = []
let port = 0
const rules = { dataDir, allowedHosts: [] }
const server = createAwayServer({
  rules,
  get port() {
    return port
  },
  onHook: (session) => hooks.push(session),
})
beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
beforeAll(() => void ({ port } = server.address() as AddressInfo))
afterAll(() => {
  server.close()
  rmSync(dataDir, { recursive: true })
})

const post = async (path: string, key: string, body: string, more: Readonly<Record<string, string>> = {}) => {
  const headers = { authorization: `Bearer ${key}`, ...more }
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', headers, body })
  return [response.status, response.status === 200 ? await response.json() : null]
}

test('a hook is dropped with the answer of an app that has nothing to say, and counted', async () => {
  expect(await post('/api/hooks', keys.hooks, '{"session_id": "s-1"}')).toEqual([200, {}])
  // It is read to its end, or the client would see a connection that breaks off.
  expect(await post('/api/hooks', keys.token, randomBytes(2_000_000).toString('hex'))).toEqual([200, {}])
  expect(hooks).toEqual(['s-1', ''])
})

test('any other request gets how to start the app of this folder', async () => {
  const answer = await fetch(`http://127.0.0.1:${port}/`)
  expect([answer.status, await answer.json()]).toEqual([
    503,
    { error: { code: 'store_unavailable', message: expect.stringMatching(`aspy restart --data ${dataDir}$`) } },
  ])
})

test('another host does not learn the folder', async () => {
  const request = get({ port, host: '127.0.0.1', headers: { host: 'evil.example', accept: 'text/html' } })
  const [answer] = (await once(request, 'response')) as [IncomingMessage]
  const said = Buffer.concat(await answer.toArray()).toString()
  expect([answer.statusCode, said.includes(dataDir)]).toEqual([403, false])
})

test('what the app refuses, and all else, is refused', async () => {
  const before = hooks.length
  const wrong = [
    [401, await post('/api/hooks', 'x'.repeat(43), '{}')],
    [403, await post('/api/hooks', keys.metrics, '{}')],
    [403, await post('/api/hooks', keys.mcp, '{}')],
    [403, await post('/api/hooks', keys.hooks, '{}', { origin: 'null' })],
    [403, await post('/api/hooks', keys.hooks, '{}', { origin: 'https://evil.example' })],
    [413, await post('/api/hooks', keys.hooks, 'x'.repeat(4 * 1024 * 1024 + 1))],
    [503, await post('/api/sessions.list', keys.token, '{}')],
    [503, await post('/api/hooks/more', keys.hooks, '{}')],
  ]
  for (const [status, answer] of wrong) expect(answer).toEqual([status, null])
  expect(hooks).toHaveLength(before)
})

test('a browser gets a page that says what to do, and asks again', async () => {
  const open = (accept: string) => fetch(`http://127.0.0.1:${port}/sessions`, { headers: { accept } })
  const page = await open('text/html,*/*;q=0.8')
  expect([page.status, page.headers.get('content-type')]).toEqual([503, 'text/html'])
  expect(await page.text()).toMatch(/http-equiv="refresh"[^]*Aspy is not running/)
  expect((await open('*/*')).headers.get('content-type')).toBe('application/json')
})
