import { Hono } from 'hono'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { operation, type Operation } from '../../../shared/contract/operation.ts'
import type { Dispatch } from '../../dispatch/dispatch.ts'
import type { Grant } from '../../dispatch/grant.ts'
import { errorResponse } from './error-response.ts'
import { addOperationRoutes } from './operation-routes.ts'

const any = z.any()
const OPERATIONS = [
  operation({
    name: 'thing.get',
    summary: '',
    input: any,
    output: any,
    http: { method: 'GET', path: '/api/things/:id' },
  }),
  operation({
    name: 'thing.count',
    summary: '',
    input: any,
    output: any,
    http: { method: 'GET', path: '/api/things/count' },
  }),
  operation({
    name: 'thing.set',
    summary: '',
    input: any,
    output: any,
    http: { method: 'POST', path: '/api/things/:id' },
  }),
  operation({
    name: 'thing.raw',
    summary: '',
    input: any,
    output: any,
    place: 'main',
    http: { method: 'POST', path: '/api/raw' },
    rawBody: { maxBytes: 10, parsedBytes: 10 },
  }),
  operation({
    name: 'thing.watch',
    summary: '',
    input: z.object({ after: z.coerce.number().optional() }),
    output: any,
    answer: 'stream',
    http: { method: 'GET', path: '/api/watch' },
    resumes: { field: 'after', idOf: () => null },
  }),
] as unknown as readonly Operation[]

/** The routes over a dispatch that answers with its input; its streams give two batches and wait. */
function routes(fails = false) {
  const refused: string[] = []
  const left: string[] = []
  const closing = new AbortController()
  const encode = (value: unknown) => new TextEncoder().encode(JSON.stringify(value))
  const dispatch = {
    call: async (name: string, input: unknown) =>
      encode({ name, input: input instanceof Uint8Array ? Buffer.from(input).toString() : input }),
    async *stream(_name: string, input: unknown, _context: unknown, signal: AbortSignal) {
      try {
        yield* batches(input, signal)
      } finally {
        left.push('ended')
      }
    },
  } as unknown as Dispatch
  async function* batches(input: unknown, signal: AbortSignal) {
    yield { json: encode(input), id: 7 }
    if (fails) throw new Error('it broke')
    yield { json: encode('no id'), id: null }
    if (!signal.aborted) await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
  }
  const app = new Hono()
  addOperationRoutes(app, {
    operations: OPERATIONS,
    dispatch,
    admit: () => ({ access: 'all' }) as Grant,
    closing: closing.signal,
    heartbeatMs: 60_000,
    maxBodyBytes: 100,
    onRefusedBody: ({ name }) => void refused.push(name),
  })
  app.onError((error, context) => errorResponse(context, error))
  const ask = async (method: string, path: string, body?: string, headers: Record<string, string> = {}) =>
    app.request(path, { method, headers, ...(body === undefined ? {} : { body }) })
  return { ask, refused, closing, left }
}

const json = async (answer: Response | Promise<Response>) => (await (await answer).json()) as unknown

test('a fixed address counts before one with a part, and a part before the body and the query', async () => {
  const { ask } = routes()
  expect(await json(ask('GET', '/api/things/count'))).toEqual({ name: 'thing.count', input: {} })
  expect(await json(ask('GET', '/api/things/a?id=b&x=1'))).toEqual({ name: 'thing.get', input: { id: 'a', x: '1' } })
  expect(await json(ask('POST', '/api/things/a?y=2&z=1', '{"id":"c","z":3}'))).toEqual({
    name: 'thing.set',
    input: { id: 'a', y: '2', z: 3 },
  })
  expect(await json(ask('POST', '/api/thing.count', '{}'))).toMatchObject({ name: 'thing.count' })
  expect((await ask('POST', '/api/thing.lose', '{}')).status).toBe(404)
})

test('a field that is given twice is a list', async () => {
  const { ask } = routes()
  expect(await json(ask('GET', '/api/things/a?kind=x&kind=y&one=1'))).toMatchObject({
    input: { kind: ['x', 'y'], one: '1' },
  })
})

test('bodies are bounded, those of raw bytes by their own bound, and what such a body brought is counted', async () => {
  const { ask, refused } = routes()
  expect(await json(ask('POST', '/api/raw', '0123456789'))).toMatchObject({ input: '0123456789' })
  expect((await ask('POST', '/api/raw', '01234567890')).status).toBe(413)
  expect((await ask('POST', '/api/things/a', `{"a":"${'x'.repeat(100)}"}`)).status).toBe(413)
  expect(refused).toEqual(['thing.raw'])
  expect((await ask('POST', '/api/things/a', 'not JSON')).status).toBe(400)
})

test('a stream gives its batches with their ids, resumes by the header, and ends with the app', async () => {
  const { ask, closing, left } = routes()
  const answer = await ask('GET', '/api/watch?after=3', undefined, { 'last-event-id': '5' })
  const reader = (answer.body as ReadableStream<Uint8Array>).getReader()
  let text = ''
  const decoder = new TextDecoder()
  while (!text.includes('no id')) text += decoder.decode((await reader.read()).value)
  expect(text).toBe(': open\n\nid: 7\ndata: {"after":"5"}\n\ndata: "no id"\n\n')
  closing.abort()
  while (!text.includes('event: end')) text += decoder.decode((await reader.read()).value)
  expect(text).toMatch(/event: end\ndata:\n\n$/)
  expect(left).toEqual(['ended'])
})

test('a caller that leaves ends its stream, also one that was too slow to take the next batch', async () => {
  const { ask, left } = routes()
  const answer = await ask('GET', '/api/watch')
  const reader = (answer.body as ReadableStream<Uint8Array>).getReader()
  await reader.read()
  await reader.read()
  await reader.cancel()
  await expect.poll(() => left).toEqual(['ended'])
})

test('a stream that fails says so; one with bad input is refused before it begins', async () => {
  const { ask } = routes(true)
  expect(await (await ask('GET', '/api/watch')).text()).toMatch(
    /^: open\n\nid: 7\n.*\n\nevent: error\ndata: \{"error":/s,
  )
  expect((await ask('GET', '/api/watch?after=never')).status).toBe(400)
})
