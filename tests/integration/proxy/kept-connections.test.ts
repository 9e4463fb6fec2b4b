import { createServer, type Socket } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createProxy, type Proxy } from '../../../src/main/proxy/proxy.ts'

const ANSWER = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'

/** What the upstream does with the requests of a connection, in order; `answer` is the default. */
type Deed = 'answer' | 'reset' | 'close' | 'half an answer'

let bodies: string[] = []
let connections = 0
let proxy: Proxy
let address: string
let deeds: Deed[][] = []
const open = new Set<Socket>()
const upstream = createServer((socket) => {
  const own = deeds[connections] ?? []
  connections += 1
  open.add(socket)
  let received = ''
  socket.on('error', () => socket.destroy())
  socket.on('data', (data) => {
    received += data.toString('latin1')
    const end = received.indexOf('\r\n\r\n')
    if (end < 0) return
    const length = Number(/content-length: (\d+)/i.exec(received)?.[1] ?? 0)
    const deed = own[0] ?? 'answer'
    if (deed === 'reset') return void socket.resetAndDestroy()
    if (received.length < end + 4 + length) return
    bodies.push(received.slice(end + 4))
    received = ''
    own.shift()
    if (deed === 'close') socket.end()
    else if (deed === 'half an answer') socket.end(ANSWER.slice(0, 20))
    else socket.write(ANSWER)
  })
})

beforeEach(async () => {
  bodies = []
  connections = 0
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve))
  const port = (upstream.address() as { readonly port: number }).port
  const logger = { debug: () => undefined, warn: () => undefined }
  proxy = createProxy({ port: 0, upstream: new URL(`http://127.0.0.1:${port}`), tap: null, logger })
  address = `http://127.0.0.1:${(await proxy.listen()).port}/v1/messages`
})
afterEach(async () => {
  await proxy.close(0)
  for (const socket of open) socket.destroy()
  await new Promise((resolve) => upstream.close(resolve))
})

const post = async (body: string) => {
  const response = await fetch(address, { method: 'POST', body })
  await response.text()
  return response.status
}

const SMALL = 'x'.repeat(10)
const LARGE = 'y'.repeat(3_000_000)

test.each([
  ['resets', 'reset', SMALL],
  ['closes', 'close', SMALL],
  ['resets, in the middle of a large body,', 'reset', LARGE],
  ['closes, after a large body,', 'close', LARGE],
] as const)('a kept connection that the upstream %s is tried once more', async (_, deed, body) => {
  deeds = [['answer', deed]]
  expect(await post('first')).toBe(200)
  expect(await post(body)).toBe(200)
  expect(connections).toBe(2)
  expect(bodies.at(-1) === body).toBe(true)
})

test.each([
  ['a new connection', [['reset']], 1],
  ['both', [['answer', 'reset'], ['reset']], 2],
] as const)('an upstream that resets %s gets no further try', async (_, given, count) => {
  deeds = given.map((each) => [...each])
  const answers = given[0]?.[0] === 'answer' ? [await post('first')] : []
  expect([...answers, await post(SMALL)].at(-1)).toBe(502)
  expect(connections).toBe(count)
})

test('an answer that has begun is not asked for again', async () => {
  deeds = [['answer', 'half an answer']]
  expect(await post('first')).toBe(200)
  expect(await post(SMALL)).toBe(502)
  expect(connections).toBe(1)
})
