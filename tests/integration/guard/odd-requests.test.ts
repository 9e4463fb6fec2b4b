import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startApp, type TestApp } from '../../support/app/start-app.ts'
import { until } from '../../support/runner/until.ts'
import { startMessagesUpstream } from '../../support/upstream/messages-upstream.ts'

const REQUEST = { model: 'claude-sonnet-5-5', max_tokens: 20_000, messages: [{ role: 'user', content: 'a question' }] }
const json = (change: object) => JSON.stringify({ ...REQUEST, ...change })
const PLAIN = json({})

interface Odd {
  readonly body: string | Uint8Array<ArrayBuffer>
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Requests of three that are refused: without and with `strict`, and what the refusal says with it. */
  readonly refused: readonly [number, number]
  readonly said?: RegExp
}
const unread: Pick<Odd, 'refused' | 'said'> = {
  refused: [0, 3],
  said: /its body could not be read, and fail_open is off/,
}
const unbounded: Pick<Odd, 'refused'> = { refused: [1, 3] }

/** Each answer has 20,000 tokens; the session may have 45,000. */
const ODD: Readonly<Record<string, Odd>> = {
  'without max_tokens': { body: json({ max_tokens: undefined }), ...unbounded },
  'with max_tokens below zero': { body: json({ max_tokens: -5 }), ...unbounded },
  'with max_tokens as text': { body: json({ max_tokens: '20000' }), ...unbounded },
  'with more max_tokens than any answer': { body: json({ max_tokens: 1e12 }), ...unbounded },
  'with endless max_tokens': { body: json({ max_tokens: 0 }).replace(':0', ':1e999'), ...unbounded },
  'of a model without a price': { body: json({ model: 'claude-new-9' }), refused: [1, 1] },
  'behind a byte order mark': { body: `\uFEFF${PLAIN}`, refused: [1, 1] },
  'nested 20,000 deep': {
    body: json({ x: 0 }).replace('"x":0', `"x":${'['.repeat(2e4)}${']'.repeat(2e4)}`),
    refused: [1, 1],
  },
  'packed twice': { body: gzipSync(gzipSync(PLAIN)), headers: { 'content-encoding': 'gzip, X-GZIP' }, refused: [1, 1] },
  'packed, but not named so': { body: gzipSync(PLAIN), ...unread },
  'cut short': { body: gzipSync(PLAIN).subarray(0, 60), headers: { 'content-encoding': 'gzip' }, ...unread },
  'that is not JSON': { body: 'hello', ...unread },
  'that is a list': { body: `[${PLAIN}]`, ...unread },
  'that names no model': { body: json({ model: 5 }), ...unread },
  'with more behind it': { body: `${PLAIN} x`, ...unread },
  'in UTF-16': { body: Uint8Array.from(Buffer.from(PLAIN, 'utf16le')), ...unread },
  'to count tokens': { body: PLAIN, path: '/v1/messages/count_tokens', refused: [0, 0] },
  'for a batch': {
    body: JSON.stringify({ requests: [{ custom_id: 'a', params: REQUEST }] }),
    path: '/v1/messages/batches',
    refused: [0, 0],
  },
}

describe.each([false, true])('three requests of a session, strict and closed = %s', (isStrict) => {
  const upstream = createServer((request, response) => {
    const usage = { input_tokens: 60, output_tokens: 20_000 }
    const head = { id: `msg_${randomUUID()}`, type: 'message', role: 'assistant', model: REQUEST.model }
    request.resume().on('end', () => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ ...head, content: [], stop_reason: 'end_turn', usage }))
    })
  })
  let app: TestApp
  beforeAll(async () => {
    await once(upstream.listen(0, '127.0.0.1'), 'listening')
    app = await startApp({
      upstream: `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`,
      settings: {
        'guard.session_tokens': 45_000,
        'guard.strict': isStrict,
        'guard.fail_open': !isStrict,
        'guard.action': 'refuse',
        'guard.decide_ms': 10_000,
      },
    })
  })
  afterAll(async () => {
    await app.close()
    upstream.close()
  })

  test.each(Object.entries(ODD))(
    '%s',
    async (_, { body, path = '/v1/messages', headers = {}, refused, said = /session_tokens/ }) => {
      const session = randomUUID()
      const answers: { status: number; text: string }[] = []
      for (let at = 0; at < 3; at += 1) {
        const response = await fetch(app.proxy + path, {
          method: 'POST',
          body,
          headers: { 'x-api-key': 'sk-ant-dummy', 'x-claude-code-session-id': session, ...headers },
        })
        answers.push({ status: response.status, text: await response.text() })
        await until(
          'its cost is stored',
          async () => (await app.call<{ in_flight: number }>('guard.get')).in_flight === 0,
        )
      }
      const stopped = answers.filter(({ status }) => status === 402).map(({ text }) => text)
      expect(stopped).toHaveLength(refused[Number(isStrict)] ?? 0)
      expect(stopped.filter((text) => !/billing_error/.test(text) || !said.test(text))).toEqual([])
    },
  )
})

test('a client that leaves with more max_tokens than any answer has does not use up the day', async () => {
  await using upstream = await startMessagesUpstream(() => ({ steps: [{ hold: 'open' }, { text: 'an answer' }] }))
  await using app = await startApp({
    upstream: upstream.url,
    settings: { 'guard.day_tokens': 60_000, 'guard.action': 'refuse', 'guard.decide_ms': 10_000 },
  })
  const send = (change: object, signal?: AbortSignal) =>
    fetch(`${app.proxy}/v1/messages`, { method: 'POST', body: json(change), ...(signal && { signal }) })
  const leaving = new AbortController()
  const first = send({ max_tokens: 1e12 }, leaving.signal).catch(() => null)
  await upstream.held('open')
  leaving.abort()
  await first
  await until('it counts on', async () => {
    const { lower_bound } = await app.call<{ lower_bound: { requests: number } }>('guard.get')
    return lower_bound.requests === 1
  })
  upstream.release('open')
  expect((await send({ max_tokens: 100 })).status).toBe(200)
})

test('what waits when another app takes its place is sent again by its client, not refused for good', async () => {
  await using upstream = await startMessagesUpstream(() => ({ steps: [{ text: 'an answer' }] }))
  await using app = await startApp({
    upstream: upstream.url,
    settings: { 'guard.request_tokens': 10, 'guard.action': 'hold', 'guard.decide_ms': 10_000 },
  })
  const waiting = fetch(`${app.proxy}/v1/messages`, { method: 'POST', body: PLAIN })
  await until('it waits', async () => (await app.call<{ held: readonly object[] }>('guard.get')).held.length === 1)
  await app.running.handOver()
  const answer = await waiting
  expect([answer.status, await answer.json()]).toMatchObject([503, { error: { type: 'overloaded_error' } }])
})
