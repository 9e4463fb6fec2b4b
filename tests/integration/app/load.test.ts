import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { ask } from '../../support/app/ask.ts'
import { startAspy } from '../../support/app/aspy-command.ts'
import { few, heavily } from '../../support/runner/heavy.ts'
import { lastUserText, startMessagesUpstream, type MessagesUpstream } from '../../support/upstream/messages-upstream.ts'
import { NONE } from '../../support/runner/none.ts'
import { startApp, type TestApp } from '../../support/app/start-app.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'
import { until } from '../../support/runner/until.ts'

let upstream: MessagesUpstream
beforeAll(async () => {
  upstream = await startMessagesUpstream((request) => ({
    steps: [{ text: `Answer to ${lastUserText(request.body)}` }],
    usage: { input_tokens: 1000, output_tokens: 100 },
  }))
})
afterAll(() => upstream.close())

async function say(proxy: string, prompt: string, session: string): Promise<void> {
  const answer = await ask(proxy, { prompt, session })
  expect(answer.status).toBe(200)
  expect(await answer.text()).toContain('message_stop')
}

const responses = (app: TestApp) => app.count({ kind: 'model_response' })

heavily(test)('a thousand idle connections do not block others, and close with the app', async () => {
  await using app = await startApp({ upstream: upstream.url })
  const { port } = new URL(app.proxy)
  const sockets = await Promise.all(
    Array.from({ length: 1000 }, async () => {
      const socket: Socket = connect(Number(port), '127.0.0.1')
      await once(socket, 'connect')
      return socket
    }),
  )
  for (let at = 0; at < 10; at += 1) await say(app.proxy, `question ${at}`, 's')
  await until('all is recorded', async () => (await responses(app)) === 10)
  expect(sockets.filter((socket) => socket.readyState === 'open')).toHaveLength(1000)
  const closed = Promise.all(sockets.map((socket) => once(socket.resume(), 'close')))
  await app.close()
  await closed
})

test('64 concurrent exchanges in eight sessions are each recorded once', async () => {
  await using app = await startApp({ upstream: upstream.url })
  const before = upstream.count('messages')
  const client = async (number: number) => {
    for (let at = 0; at < 5; at += 1) await say(app.proxy, `question ${number}-${at}`, `session-${number % 8}`)
  }
  await Promise.all(Array.from({ length: 64 }, (_, number) => client(number)))
  const seen = upstream.count('messages') - before
  expect(seen).toBe(320)
  await until('all is recorded', async () => (await responses(app)) === seen)
  expect(await app.count({ kind: 'user_prompt' })).toBe(seen)
  expect(await app.running.health()).toMatchObject({ dropped: NONE, spooled: 0, recorder: 'running' })
})

test('a clock that jumps two days back and a year ahead changes neither the order of arrival nor its times', async () => {
  await using app = await startApp({ upstream: upstream.url })
  const now = Date.now()
  try {
    for (const [at, jump] of [0, -2, 365, 0].entries()) {
      vi.setSystemTime(now + jump * 86_400_000)
      await say(app.proxy, `question ${at}`, 's')
      await until('it is recorded', async () => (await responses(app)) === at + 1)
    }
    vi.setSystemTime(now + 365 * 86_400_000)
    expect((await app.running.health()).warnings.map(({ code }) => code)).toEqual(['clock_unset'])
  } finally {
    vi.useRealTimers()
  }
  const page = await app.call<{ items: { kind: string; id: number; turn_id: number; ts_wall: string }[] }>(
    'events.list',
    {
      session_id: 's',
      kind: 'user_prompt',
      limit: 10,
    },
  )
  const arrived = page.items.toSorted((a, b) => a.id - b.id)
  expect(arrived.map(({ turn_id }) => turn_id)).toEqual([1, 2, 3, 4])
  const seconds = arrived.map(({ ts_wall: at }) => (Date.parse(at) - now) / 1000)
  for (const passed of seconds) expect(passed).toBeCloseTo(30, -2)
  const { items } = await app.call<{ items: { last_event_at: string }[] }>('sessions.list', {})
  expect(items.map(({ last_event_at: at }) => (Date.parse(at) - now) / 1000)).toEqual([expect.closeTo(30, -2)])
  expect(await app.running.health()).toMatchObject({ dropped: NONE, recorder: 'running' })
})

test.each(few([1999, 2047], 1))(
  'a clock of %d leaves no session there, and Health says that it is not set',
  async (year) => {
    await using app = await startApp({ upstream: upstream.url })
    try {
      vi.setSystemTime(`${year}-01-01T12:00:00.000Z`)
      await say(app.proxy, 'a question of another century', 's')
      await until('it is recorded', async () => (await responses(app)) === 1)
      const { warnings } = await app.running.health()
      expect(warnings.map(({ code }) => code)).toEqual(['clock_unset'])
    } finally {
      vi.useRealTimers()
    }
    const { items } = await app.call<{ items: { started_at: string }[] }>('sessions.list', {})
    expect(items.map(({ started_at: at }) => at.slice(0, 10))).toEqual([new Date().toISOString().slice(0, 10)])
    expect((await app.running.health()).warnings).toEqual([])
  },
)

heavily(test)('a process suspended mid-stream, as in sleep, loses nothing, and no thread is terminated', async () => {
  using folder = makeTempFolder()
  const slow = await startMessagesUpstream(() => ({
    steps: [{ text: 'Before the sleep. ' }, { hold: 'asleep' }, { text: 'After it.' }],
    usage: { input_tokens: 10, output_tokens: 10 },
  }))
  const flags = ['--port', '0', '--proxy-port', '0', '--upstream', slow.url, '--data', folder.path]
  const { child, signal, firstLine, finished } = startAspy(['serve', '--json', ...flags])
  try {
    const { proxy, app, token } = JSON.parse(await firstLine) as { proxy: string; app: string; token: string }
    const health = async () => (await (await fetch(`${app}/healthz`)).json()) as { status: string }
    await until('it records', async () => (await health()).status === 'ok')
    const session = randomUUID()
    const answer = ask(proxy, { prompt: 'Sleep well.', session })
    await slow.held('asleep')
    signal('SIGSTOP')
    await pause(1500)
    slow.release('asleep')
    signal('SIGCONT')
    expect(await (await answer).text()).toContain('After it.')
    await until('it is recorded', async () => {
      const got = await fetch(`${app}/api/events/count?kind=model_response`, {
        headers: { authorization: `Bearer ${token}` },
      })
      return ((await got.json()) as { count: number }).count === 1
    })
    expect((await health()).status).toBe('ok')
  } finally {
    child.kill('SIGTERM')
    const { stderr } = await finished
    await slow.close()
    expect(stderr).not.toMatch(/no sign of life|ended unasked/)
  }
})
