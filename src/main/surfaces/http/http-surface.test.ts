import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { AspyError } from '../../../shared/contract/errors.ts'
import { operation, type Operation } from '../../../shared/contract/operation.ts'
import { PROOF_HEADER, PROOF_PATH } from '../../base/proof.ts'
import type { Dispatch } from '../../dispatch/dispatch.ts'
import type { Grant } from '../../dispatch/grant.ts'
import { HttpSurface } from './http-surface.ts'

const OPERATIONS = [
  operation({ name: 'thing.get', summary: '', input: z.any(), output: z.any() }),
  operation({ name: 'thing.watch', summary: '', input: z.any(), output: z.any(), answer: 'stream' }),
] as unknown as readonly Operation[]
const owner: Grant = { key: 'owner-key', access: 'all', opens: () => true }
const hooks: Grant = { key: 'hooks-key', name: 'hooks', access: 'hooks', opens: () => false }
const others = ['mcp', 'metrics'].map((name): Grant => ({
  key: name,
  name,
  access: 'read',
  opens: (door) => door === name,
}))
const OWNER = { authorization: 'Bearer owner-key' }

const logged: unknown[] = []
let failure: Error = new Error('it broke')
const dispatch = {
  call: async () => {
    throw failure
  },
  async *stream(_name: string, _input: unknown, _context: unknown, signal: AbortSignal) {
    yield { json: new TextEncoder().encode('1'), id: null }
    if (!signal.aborted) await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
  },
} as unknown as Dispatch
const surface = new HttpSurface({
  operations: OPERATIONS,
  dispatch,
  grants: [owner, hooks, ...others],
  allowedHosts: [],
  windowDir: '/nonexistent',
  health: () => ({ id: 'run' }),
  metrics: async () => ({ contentType: 'text/plain', text: 'up 1\n' }),
  mcp: async (request) => new Response(await request.text()),
  version: '0',
  logger: { error: (...said: unknown[]) => void logged.push(said) },
  maxBodyBytes: 100,
})
let base = ''
beforeAll(async () => {
  base = `http://127.0.0.1:${await surface.start(0)}`
})
afterAll(() => surface.stop(1000))

const ask = (path: string, more: RequestInit = {}) => fetch(base + path, more)
const post = (path: string, body: string, headers: Record<string, string> = {}) =>
  ask(path, { method: 'POST', body, headers })

test.each([
  ['GET', '/metrics'],
  ['GET', '/api/openapi.json'],
  ['POST', '/mcp'],
  ['GET', '/api/nothing/of/it'],
  ['POST', '/api/thing.get'],
  ['POST', '/api/thing.lost'],
])('%s %s opens for the key of the owner alone', async (method, path) => {
  const statusOf = async (headers: Record<string, string>) =>
    (await ask(path, { method, headers, ...(method === 'POST' ? { body: '{}' } : {}) })).status
  expect(await statusOf({})).toBe(401)
  expect(await statusOf({ authorization: 'Bearer another' })).toBe(401)
  expect(await statusOf({ authorization: 'Bearer hooks-key' })).toBe(403)
  expect([401, 403]).not.toContain(await statusOf(OWNER))
})

test('a caller without a key learns which one opens the address', async () => {
  const fileOf = async (path: string) => /file \\?"(\w+)/.exec(await (await ask(path)).text())?.[1]
  expect([await fileOf('/mcp'), await fileOf('/metrics'), await fileOf('/api/nothing')]).toEqual([
    'mcp',
    'metrics',
    'token',
  ])
})

test.each(['/.well-known/oauth-protected-resource', '/sse', '/x.json'])('%s gives programs JSON', async (path) => {
  const answer = await ask(path)
  expect([answer.status, await answer.json()]).toEqual([
    404,
    { error: { code: 'not_found', message: expect.anything() } },
  ])
})

test('a page of another site cannot sign in, even with the key; a browser and this page can', async () => {
  const signIn = async (site: string | null, key = 'owner-key') =>
    (await post('/login', JSON.stringify({ key }), site === null ? {} : { 'sec-fetch-site': site })).status
  expect([await signIn('cross-site'), await signIn('same-site')]).toEqual([403, 403])
  expect([await signIn('same-origin'), await signIn('none'), await signIn(null)]).toEqual([204, 204, 204])
  expect([await signIn(null, 'hooks-key'), await signIn(null, '')]).toEqual([401, 401])
})

test('only a key with a name proves that this is the app, and only for a whole nonce', async () => {
  const nonce = randomBytes(32).toString('base64url')
  const prove = (query: string) => ask(`${PROOF_PATH}?${query}`)
  const proof = await prove(`key=hooks&nonce=${nonce}`)
  expect([proof.status, proof.headers.get(PROOF_HEADER)]).toEqual([204, expect.stringMatching(/^[\w-]{43}$/)])
  for (const query of [`key=&nonce=${nonce}`, `nonce=${nonce}`, 'key=hooks&nonce=short', `key=token&nonce=${nonce}`])
    expect((await prove(query)).status, query).toBe(400)
})

test('bodies for MCP and addresses are bounded', async () => {
  expect(await (await post('/mcp', 'x'.repeat(100), OWNER)).text()).toBe('x'.repeat(100))
  expect((await post('/mcp', 'x'.repeat(101), OWNER)).status).toBe(413)
  for (const path of [`/${'a'.repeat(1900)}?${'b'.repeat(3000)}`, `/${'a'.repeat(3000)}`])
    expect((await ask(path)).status).toBe(404)
})

test('an unexpected failure is logged; a known one is not', async () => {
  logged.length = 0
  expect((await post('/api/thing.get', '{}', OWNER)).status).toBe(500)
  expect(logged).toEqual([[{ err: failure, path: '/api/thing.get' }, expect.any(String)]])
  failure = new AspyError('not_found', 'there is no such thing')
  expect((await post('/api/thing.get', '{}', OWNER)).status).toBe(404)
  expect(logged).toHaveLength(1)
})

test('streams end when the app stops', async () => {
  const stream = await post('/api/thing.watch', '{}', OWNER)
  const text = stream.text()
  await surface.stop(60_000)
  expect(await text).toMatch(/data: 1\n\nevent: end\ndata:\n\n$/)
})
