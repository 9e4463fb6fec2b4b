import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startApp, type TestApp } from '../../support/app/start-app.ts'
import { until } from '../../support/runner/until.ts'
import { message, startResponsesUpstream, type ResponsesUpstream } from '../../support/upstream/responses-upstream.ts'
import { openWebSocket } from '../../support/upstream/web-socket-client.ts'

interface GuardStatus {
  readonly held: readonly { readonly id: string }[]
  readonly counts: Readonly<Record<'checked' | 'unpriced' | 'notified' | 'held' | 'allowed' | 'refused', number>>
}
const KEY = { authorization: 'Bearer sk-proj-dummy' }
const request = (text: string, more: object = {}) => ({
  model: 'gpt-5.6-sol',
  input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text }] }],
  ...more,
})

/** A request under way: the client's response, or null if its connection ended without an answer. */
interface Sent {
  readonly answer: Promise<'answered' | 'refused' | null>
  leave(): void
}

describe.each(['a plain request', 'a WebSocket'] as const)('a cap on %s', (transport) => {
  let upstream: ResponsesUpstream
  let app: TestApp
  beforeAll(async () => {
    upstream = await startResponsesUpstream(() => ({ output: [message('Done.')] }), { websocket: 'permessage-deflate' })
    const upstreams = { openai: upstream.url, chatgpt: upstream.url }
    app = await startApp({
      upstream: 'http://127.0.0.1:9',
      settings: { 'proxy.upstreams': upstreams, 'guard.decide_ms': 10_000, 'guard.fail_open': false },
    })
  })
  afterAll(async () => {
    await app.close()
    await upstream.close()
  })

  const status = () => app.call<GuardStatus>('guard.get')
  const configure = async (settings: Readonly<Record<string, unknown>>) => {
    for (const [key, value] of Object.entries(settings)) await app.call('config.set', { key: `guard.${key}`, value })
  }
  const waiting = (count: number) => until(`${count} wait`, async () => (await status()).held.length === count)
  /** Runs something, and returns by how much each count grew. */
  const grown = async (work: () => Promise<unknown>) => {
    const [before, sent] = [(await status()).counts, upstream.calls.length]
    await work()
    const { counts } = await status()
    const names = ['notified', 'held', 'allowed', 'refused', 'unpriced'] as const
    const more = names
      .filter((name) => counts[name] > before[name])
      .map((name) => `${name} ${counts[name] - before[name]}`)
    return [...more, `sent ${upstream.calls.length - sent}`]
  }

  const send = async (body: object, session: string = randomUUID()): Promise<Sent> => {
    const headers = { ...KEY, 'session-id': session }
    if (transport === 'a plain request') {
      const leaving = new AbortController()
      const answer = fetch(`${app.proxy}/openai/v1/responses`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify({ ...body, stream: true }),
        signal: leaving.signal,
      }).then(
        async (response) => (await response.text(), response.status === 200 ? 'answered' : 'refused'),
        () => null,
      )
      return { answer: answer as Sent['answer'], leave: () => leaving.abort() }
    }
    const socket = await openWebSocket(`${app.proxy}/openai/v1/responses`, headers)
    socket.send({ type: 'response.create', ...body })
    let isClosed = false
    void socket.closed.then(() => (isClosed = true))
    const answer = until('an answer', () =>
      Promise.resolve(isClosed || /response\.completed|"type":"error"/.test(socket.text())),
    ).then(() =>
      socket.text().includes('response.completed')
        ? 'answered'
        : /"type":"error"/.test(socket.text())
          ? 'refused'
          : null,
    )
    void answer.then(() => socket.destroy())
    return { answer: answer as Sent['answer'], leave: () => socket.destroy() }
  }

  test('only reports it, once', async () => {
    await configure({ request_tokens: 10, action: 'notify' })
    const change = await grown(async () => {
      expect(await (await send(request('one'))).answer).toBe('answered')
      expect(await (await send(request('two'))).answer).toBe('answered')
    })
    expect(change).toEqual(['notified 1', 'sent 2'])
  })

  test('holds it until a person decides, the client leaves, or time passes', async () => {
    await configure({ request_tokens: 10, action: 'hold' })
    const change = await grown(async () => {
      for (const [decision, outcome] of [
        ['once', 'answered'],
        ['stop', 'refused'],
      ] as const) {
        const sent = await send(request(decision))
        await waiting(1)
        await app.call('guard.release', { id: (await status()).held[0]?.id, decision })
        expect(await sent.answer).toBe(outcome)
      }
      const left = await send(request('leaves'))
      await waiting(1)
      left.leave()
      expect(await left.answer).toBe(null)
      await waiting(0)
    })
    expect(change).toEqual(['held 3', 'allowed 1', 'refused 1', 'sent 1'])
    await configure({ hold_seconds: 1 })
    expect(await grown(async () => expect(await (await send(request('late'))).answer).toBe('refused'))).toEqual([
      'held 1',
      'refused 1',
      'sent 0',
    ])
  })

  test('takes the largest possible answer if it is strict, and is that of everybody if the project is unknown', async () => {
    await configure({
      request_tokens: 5000,
      action: 'refuse',
      projects: [{ project: '/elsewhere', request_tokens: 1 }],
    })
    const large = request('large', { max_output_tokens: 9000 })
    expect(await grown(async () => expect(await (await send(large)).answer).toBe('answered'))).toEqual(['sent 1'])
    await configure({ strict: true })
    expect(await grown(async () => expect(await (await send(large)).answer).toBe('refused'))).toEqual([
      'refused 1',
      'sent 0',
    ])
    await configure({ strict: false, projects: null })
  })

  test('counts what 50 sent together reserve', async () => {
    const session = randomUUID()
    await configure({ request_tokens: 0, session_tokens: 10_500, action: 'refuse', strict: true })
    const change = await grown(async () => {
      const all = await Promise.all(
        Array.from({ length: 50 }, () => send(request('x', { max_output_tokens: 2000 }), session)),
      )
      const answers = await Promise.all(all.map(({ answer }) => answer))
      expect(answers.filter((each) => each === null)).toEqual([])
    })
    // Each reserves 2,000 and its input, and costs 1,050 once it is stored.
    const sent = Number(change.at(-1)?.slice('sent '.length))
    expect(sent).toBeGreaterThanOrEqual(5)
    expect(sent * 1050).toBeLessThanOrEqual(10_500)
  })

  test('answers what waits when the app stops', async () => {
    await configure({ session_tokens: 0, strict: false, request_tokens: 10, action: 'hold', hold_seconds: 300 })
    const sent = await send(request('last'))
    await waiting(1)
    await app.running.stop()
    expect(await sent.answer).toBe('refused')
  })
})
