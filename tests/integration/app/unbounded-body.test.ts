import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import type { Dispatch } from '../../../src/main/dispatch/dispatch.ts'
import { HttpSurface } from '../../../src/main/surfaces/http/http-surface.ts'
import { OPERATIONS } from '../../../src/shared/contract/index.ts'
import { temporaryFolder } from '../../support/store/folder.ts'

const BOUND = 10_000
const OWNER = { authorization: 'Bearer owner-key', 'content-type': 'application/json' }

async function startSurface() {
  const asked: string[] = []
  const dispatch = {
    call: async (name: string) => {
      asked.push(name)
      return new TextEncoder().encode('{}')
    },
  } as unknown as Dispatch
  const surface = new HttpSurface({
    operations: OPERATIONS,
    dispatch,
    grants: [{ key: 'owner-key', access: 'all', opens: () => true }],
    allowedHosts: [],
    windowDir: temporaryFolder(),
    health: () => ({ id: 'this-run' }),
    mcp: async () => new Response('{}'),
    version: '0',
    logger: { error: () => undefined },
    maxBodyBytes: BOUND,
  })
  return { asked, port: await surface.start(0), [Symbol.asyncDispose]: () => surface.stop(0) }
}

/** A body in chunks that says nothing of its length; the test ends it, or never. */
function openChunked(port: number, path: string) {
  const headers = { ...OWNER, 'transfer-encoding': 'chunked' }
  const outgoing = request({ host: '127.0.0.1', port, path, method: 'POST', headers, agent: false })
  // The server ends a connection whose body it has refused.
  outgoing.on('error', () => outgoing.destroy())
  return outgoing
}

async function healthCallCount(port: number): Promise<void> {
  const outgoing = request({ host: '127.0.0.1', port, path: '/healthz', agent: false }).end()
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage]
  await text(answer)
}

test.each(['/api/tools.list', '/api/hooks', '/login', '/mcp'])(
  '%s refuses a body without a length as soon as it is too long, though it never ends',
  async (path) => {
    await using surface = await startSurface()
    const outgoing = openChunked(surface.port, path)
    let status: number | undefined
    outgoing.on('response', (answer) => {
      status = answer.statusCode
      answer.resume()
    })
    const piece = ' '.repeat(1000)
    for (let sent = 0; sent <= BOUND; sent += piece.length) outgoing.write(piece)
    // What other requests are answered meanwhile shows that time has passed, and that nobody waits for it.
    for (let other = 0; other < 20; other += 1) await healthCallCount(surface.port)
    expect(status).toBe(413)
    expect(surface.asked).toEqual([])
    outgoing.destroy()
  },
)

test('a body without a length that is just as long as the bound is taken', async () => {
  await using surface = await startSurface()
  const body = JSON.stringify({ query: 'x' }).padEnd(BOUND)
  const outgoing = openChunked(surface.port, '/api/tools.list')
  outgoing.write(body.slice(0, 5000))
  outgoing.end(body.slice(5000))
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage]
  expect([answer.statusCode, await text(answer), surface.asked]).toEqual([200, '{}', ['tools.list']])
})
