import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startApp, type TestApp } from '../../support/app/start-app.ts'
import { until } from '../../support/runner/until.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp({ upstream: 'http://127.0.0.1:9' })
  await app.recorderRuns()
})
afterAll(() => app.close())

async function post(body: string): Promise<number> {
  const authorization = `Bearer ${readFileSync(join(app.data, 'hooks'), 'utf8').trim()}`
  return (await fetch(`${app.app}/api/hooks`, { method: 'POST', headers: { authorization }, body })).status
}

const hook = (session: string, more: string) =>
  `{"session_id":"${session}","hook_event_name":"Notification","message":"hi"${more}}`

async function dropped(): Promise<Readonly<Record<string, number>>> {
  return (await app.running.health()).dropped
}

/** Posts a hook and returns its event once it is recorded. */
async function recorded(session: string, body: string): Promise<Record<string, unknown>> {
  expect(await post(body)).toBe(200)
  await until(`${session} is recorded`, async () => (await app.count({ session_id: session })) > 0)
  const { items } = await app.call<{ items: Record<string, unknown>[] }>('sessions.events', { session_id: session })
  return items[0] ?? {}
}

const nested = (depth: number) => `${'{"a":['.repeat(depth)}1${']}'.repeat(depth)}`

test.each([1000, 5000, 100_000])('a hook nested %i deep is recorded, cut where it is too deep', async (depth) => {
  const body = `{"session_id":"deep-${depth}","hook_event_name":"PreToolUse","tool_use_id":"call-${depth}","tool_name":"T","tool_input":${nested(depth)}}`
  const event = await recorded(`deep-${depth}`, body)
  expect(event).toMatchObject({ kind: 'tool_call' })
  expect(JSON.stringify(event)).toContain('nested deeper than')
})

test('one of 250,000 fields is recorded, and the thread that forwards never parses it', async () => {
  const fields = Array.from({ length: 250_000 }, (_, at) => `,"f${at}":${at % 10}`).join('')
  const body = hook('wide', fields).replace('Notification', 'SomethingNew')
  expect(body.length).toBeLessThan(4 * 1024 * 1024)
  const parse = vi.spyOn(JSON, 'parse')
  const stringify = vi.spyOn(JSON, 'stringify')
  expect(await post(body)).toBe(200)
  await until('it is recorded', async () => (await app.count({ session_id: 'wide' })) > 0)
  expect(parse.mock.calls.filter(([text]) => String(text).length > 100_000)).toEqual([])
  expect(stringify.mock.calls.filter(([value]) => JSON.stringify(value ?? null).length > 100_000)).toEqual([])
  parse.mockRestore()
  stringify.mockRestore()
  expect((await app.running.health()).recorder).toBe('running')
})

test('one beyond 4 MB is refused and counted, with a length and without', async () => {
  const before = (await dropped())['hook_too_large'] ?? 0
  expect(await post(hook('large', `,"pad":"${'x'.repeat(4 * 1024 * 1024)}"`))).toBe(413)
  const authorization = `Bearer ${readFileSync(join(app.data, 'hooks'), 'utf8').trim()}`
  const chunked = new Blob([hook('large', `,"pad":"${'x'.repeat(4 * 1024 * 1024)}"`)]).stream()
  const init = { method: 'POST', headers: { authorization }, body: chunked, duplex: 'half' } as RequestInit
  expect((await fetch(`${app.app}/api/hooks`, init)).status).toBe(413)
  expect((await dropped())['hook_too_large']).toBe(before + 2)
})

test('large ones that are no hooks are counted, and the next hook is recorded', async () => {
  const before = (await dropped())['decode_failed'] ?? 0
  const pad = ' '.repeat(100_000)
  for (const body of [`${pad}{"session_id":`, `${pad}[1]`, `${pad}{"session_id":7}`, `${pad}{}`, `\u0000${pad}`, pad])
    expect(await post(body)).toBe(200)
  expect(await recorded('after', hook('after', ''))).toMatchObject({ kind: 'notification' })
  await until('all are counted', async () => ((await dropped())['decode_failed'] ?? 0) === before + 6)
})

test.each([
  ['no JSON', '{"session_id":'],
  ['a list', '[1]'],
  ['no session', '{"hook_event_name":"Stop"}'],
  ['nothing', ''],
  ['a session of 300 characters', hook('s'.repeat(300), '')],
])('a small one with %s is refused in words', async (_name, body) => {
  expect(await post(body)).toBe(400)
})
