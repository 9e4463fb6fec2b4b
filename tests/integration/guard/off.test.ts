import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { startApp } from '../../support/app/start-app.ts'
import { createByteUpstream } from '../../support/upstream/byte-upstream.ts'

const BODY = JSON.stringify({ model: 'claude-sonnet-5-5', max_tokens: 10, messages: [{ role: 'user', content: 'é' }] })
const ANSWER = 'HTTP/1.1 200 OK\r\nX-Odd-Case: 2\r\nContent-Length: 2\r\n\r\n{}'

interface Passed {
  readonly headers: readonly (readonly [string, string])[]
  readonly body: string
  readonly answer: string
}

/** Sends a request in two pieces and returns what the upstream and the client received. */
async function pass(settings: Readonly<Record<string, unknown>>, waitsForRest: boolean): Promise<Passed> {
  const [first, rest] = [BODY.slice(0, 20), BODY.slice(20)]
  const seen = Promise.withResolvers<Omit<Passed, 'answer'>>()
  let sendRest = () => {}
  await using stack = new AsyncDisposableStack()
  const upstream = await createByteUpstream(async (exchange) => {
    const begin = await exchange.readBody(first.length)
    if (!waitsForRest) sendRest()
    const end = await exchange.readRest()
    await exchange.write(ANSWER)
    const headers = exchange.headers.map(([name, value]) => [name, value.replace(/^127.*/, 'HOST')] as const)
    seen.resolve({ headers, body: Buffer.concat([begin, end]).toString() })
  })
  stack.defer(() => upstream.close())
  const app = stack.use(await startApp({ upstream: upstream.url.href, settings }))
  const { port } = new URL(app.proxy)
  const socket = connect(Number(port), '127.0.0.1')
  stack.defer(() => void socket.destroy())
  sendRest = () => void socket.write(rest)
  const length = Buffer.byteLength(BODY)
  socket.write(
    `POST /v1/messages?beta=true HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nX-Odd-Case: 1\r\nContent-Length: ${length}\r\n\r\n${first}`,
  )
  if (waitsForRest) sendRest()
  let answer = ''
  socket.on('data', (bytes: Buffer) => (answer += bytes.toString('latin1')))
  const received = await seen.promise
  while (!answer.endsWith('{}')) await once(socket, 'data')
  return { ...received, answer: answer.replace(/(?:Connection|Keep-Alive): .*\r\n/g, '') }
}

test('without caps, the first bytes of a body reach the upstream before the client has sent the last', async () => {
  // The client sends the rest only once the upstream has the beginning: a guard that collects the body would wait forever.
  const { body, answer } = await pass({}, false)
  expect(body).toBe(BODY)
  expect(answer).toBe(ANSWER)
})

test('below its caps, a request and its answer have the same bytes as without caps', async () => {
  const off = await pass({}, true)
  const on = await pass({ 'guard.request_usd': 100, 'guard.decide_ms': 10_000 }, true)
  expect(on).toEqual(off)
  expect(off.headers).toContainEqual(['X-Odd-Case', '1'])
})
