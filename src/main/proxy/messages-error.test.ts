import { createServer, request, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { onTestFinished, expect, test } from 'vitest'
import { answerError } from './messages-error.ts'
import { RequestBody } from './request-body.ts'

/** Sends a body to a server and returns its answer. */
async function posted(listener: RequestListener, body: string) {
  const server = createServer(listener)
  onTestFinished(() => void server.close())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const sent = request({ port, host: '127.0.0.1', method: 'POST', agent: false })
  sent.end(body)
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    sent.once('response', resolve)
    sent.once('error', reject)
  })
  return { headers: answer.headers, status: answer.statusCode, body: await text(answer) }
}

const ERROR = { status: 502, type: 'api_error', message: 'no way' } as const

test('an error has the shape of its API; only a lasting one asks the client not to retry', async () => {
  const answered = (more: object) =>
    posted((asked, answer) => answerError(asked, answer, { ...ERROR, ...more }, false), 'x')
  const plain = await answered({})
  expect([plain.status, JSON.parse(plain.body)]).toEqual([
    502,
    { type: 'error', error: { type: 'api_error', message: 'no way' } },
  ])
  expect(plain.headers['x-should-retry']).toBeUndefined()
  const lasting = await answered({ isLasting: true, code: 'bad_gateway' })
  expect(lasting.headers['x-should-retry']).toBe('false')
  expect(JSON.parse(lasting.body)).toEqual({
    error: { message: 'no way', type: 'api_error', param: null, code: 'bad_gateway' },
  })
})

test('a body that nobody takes any more is still captured to its end', async () => {
  const captured: string[] = []
  const body = 'a'.repeat(500_000)
  await posted((asked, answer) => {
    const capture = {
      requestBytes: (bytes: Uint8Array) => void captured.push(Buffer.from(bytes).toString()),
      requestEnd: () => void captured.push('end'),
    }
    const taken = new RequestBody(asked, capture, () => undefined)
    taken.once('data', () => taken.destroy())
    asked.once('end', () => setImmediate(() => answer.end()))
  }, body)
  expect(captured.at(-1)).toBe('end')
  expect(captured.slice(0, -1).join('')).toBe(body)
})
