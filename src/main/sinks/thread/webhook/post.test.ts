import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createPost, type Post } from './post.ts'

let answer: { status: number; headers?: Record<string, string> } = { status: 204 }
let url: URL
let post: Post
const server = createServer((request, response) => {
  request.resume()
  response.writeHead(answer.status, answer.headers).end('no')
})

beforeEach(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/path?key=of-the-address`)
  post = createPost(url, 5000)
})
afterEach(async () => {
  post.close()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

const send = () => post.send('{}', {}, new AbortController().signal)

test.each([
  [200, 'delivered'],
  [204, 'delivered'],
  [413, 'too_large'],
  [400, 'refused'],
  [422, 'refused'],
] as const)('%i: %s', async (status, outcome) => {
  answer = { status }
  expect(await send()).toBe(outcome)
})

test.each([301, 307, 401, 403, 404, 410, 429, 500, 503])(
  '%i is retried, and the error does not contain the address',
  async (status) => {
    answer = { status, headers: { location: 'http://127.0.0.1:1/' } }
    const failure = await send().catch((error: unknown) => error)
    expect(failure).toMatchObject({ name: 'Error', retryAfterMs: null, message: expect.stringContaining(`${status}`) })
    expect(String(failure)).not.toContain('of-the-address')
  },
)

test('obeys Retry-After, up to an hour', async () => {
  const asked = async (after: string) => {
    answer = { status: 503, headers: { 'retry-after': after } }
    const failure = (await send().catch((error: unknown) => error)) as { retryAfterMs: number | null }
    return failure.retryAfterMs
  }
  expect(await asked('7')).toBe(7000)
  expect(await asked('999999')).toBe(3_600_000)
  expect(await asked('soon')).toBeNull()
  expect(await asked(new Date(Date.now() + 600_000).toUTCString())).toBeGreaterThan(500_000)
  expect(await asked(new Date(0).toUTCString())).toBe(0)
})

test('an unreachable receiver is a failure that gives the reason, but not the address', async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
  const failure = await send().catch((error: unknown) => error)
  expect(String(failure)).toContain('ECONNREFUSED')
  expect(String(failure)).not.toContain('of-the-address')
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
