import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readPrometheusText } from '../../support/app/prometheus-text.ts'
import { startApp, type TestApp } from '../../support/app/start-app.ts'
import { startMessagesUpstream, type MessagesUpstream } from '../../support/upstream/messages-upstream.ts'
import { until } from '../../support/runner/until.ts'

/** Requests that fail and tools that fail, from the proxy to every surface. */

let upstream: MessagesUpstream
let app: TestApp

const messages = (prompt: string) => [{ role: 'user', content: [{ type: 'text', text: prompt }] }]
const results = [
  { type: 'tool_result', tool_use_id: 'call-1', content: 'exit code 1', is_error: true },
  {
    type: 'tool_result',
    tool_use_id: 'call-2',
    content: "The user doesn't want to proceed with this tool use.",
    is_error: true,
  },
]
const calls = ['call-1', 'call-2'].map((id) => ({ type: 'tool_use', id, name: 'Bash', input: { command: 'make' } }))

async function send(session: string, userAgent: string, list: readonly object[]): Promise<number> {
  const response = await fetch(`${app.proxy}/v1/messages`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-api-key': 'sk-ant-dummy',
      'user-agent': userAgent,
      'x-claude-code-session-id': session,
    },
    body: JSON.stringify({
      model: 'claude-sonnet-5-5',
      max_tokens: 100,
      stream: true,
      system: [{ type: 'text', text: 'You are Claude Code.\nWorking directory: /home/user/project' }],
      tools: [{ name: 'Bash', description: 'Runs a command', input_schema: { type: 'object' } }],
      messages: list,
    }),
  })
  await response.text()
  return response.status
}

beforeAll(async () => {
  upstream = await startMessagesUpstream(({ body }) =>
    JSON.stringify(body).includes('overload')
      ? { status: 529, error: { type: 'overloaded_error', message: 'Overloaded' } }
      : { steps: [{ text: 'an answer' }] },
  )
  app = await startApp({ upstream: upstream.url })
  const cli = 'claude-cli/2.1.330 (external, cli)'
  expect(await send('cli', cli, messages('overload'))).toBe(529)
  expect(
    await send('cli', cli, [
      ...messages('go'),
      { role: 'assistant', content: calls },
      { role: 'user', content: results },
    ]),
  ).toBe(200)
  expect(await send('sdk', 'claude-cli/2.1.330 (external, sdk-ts, agent-sdk/0.2.1)', messages('hello there'))).toBe(200)
  await until('all is recorded', async () => (await app.count({ kind: 'model_response' })) === 3)
})
afterAll(async () => {
  await app?.close()
  await upstream?.close()
})

test('sessions, totals and lists count the two apart and filter by them and by client', async () => {
  type Listed = {
    items: { id: string; client: string; client_version: string | null; api_errors: number; failed_tools: number }[]
  }
  const idsOf = async (input: object) => (await app.call<Listed>('sessions.list', input)).items.map(({ id }) => id)
  const { items } = await app.call<Listed>('sessions.list', { sort: 'failures' })
  expect(items).toMatchObject([
    { id: 'cli', client: 'claude-code', client_version: '2.1.330', api_errors: 1, failed_tools: 1 },
    { id: 'sdk', client: 'agent-sdk', client_version: '0.2.1', api_errors: 0, failed_tools: 0 },
  ])
  expect(await idsOf({ failed: true })).toEqual(['cli'])
  expect(await idsOf({ client: 'agent-sdk' })).toEqual(['sdk'])
  expect(await idsOf({ client: 'codex' })).toEqual([])
  expect(await app.call('stats.summary')).toMatchObject({
    total_api_errors: 1,
    total_failed_tools: 1,
    by_client: [
      { client: 'agent-sdk', sessions: 1, api_errors: 0, failed_tools: 0 },
      { client: 'claude-code', sessions: 1, api_errors: 1, failed_tools: 1 },
    ],
  })
})

test('the list of errors has failed tools on request, newest first, over pages', async () => {
  type Listed = { items: { origin: string; content: string }[]; next: string | null }
  const originsOf = async (input: object) => {
    const origins: string[] = []
    let cursor: string | null = null
    do {
      const page: Listed = await app.call('errors.list', { ...input, ...(cursor === null ? {} : { cursor }) })
      origins.push(...page.items.map(({ origin }) => origin))
      cursor = page.next
    } while (cursor !== null)
    return origins
  }
  expect(await originsOf({})).toEqual(['upstream'])
  for (const scope of [{}, { session_id: 'cli' }, { client: 'claude-code' }])
    for (const limit of [1, 20]) expect(await originsOf({ tools: true, limit, ...scope })).toEqual(['tool', 'upstream'])
  expect(await originsOf({ tools: true, client: 'agent-sdk' })).toEqual([])
})

test('a search filters by client, and a text for a model names failures', async () => {
  const found = async (query: string) => (await app.call<{ total: number }>('recall.search', { query })).total
  expect(await found('hello client:agent-sdk')).toBe(1)
  expect(await found('hello client:claude-code')).toBe(0)
  const history = await app.call<{ text: string }>('sessions.history', { session_id: 'cli', as_text: true })
  expect(history.text).toContain('Client: claude-code 2.1.330. Failures: 1 API error · 1 failed tool.')
})

test('metrics count failures by client', async () => {
  const key = readFileSync(join(app.data, 'metrics'), 'utf8').trim()
  await until('the recorder has reported', async () => {
    const response = await fetch(`${app.app}/metrics`, { headers: { authorization: `Bearer ${key}` } })
    const page = readPrometheusText(await response.text())
    const samples = ['aspy_api_errors_total', 'aspy_failed_tool_calls_total'].map((name) =>
      page.get(name)?.samples.map(({ labels, value }) => [labels['client'], value]),
    )
    return JSON.stringify(samples) === '[[["claude-code",1]],[["claude-code",1]]]'
  })
})

test('a posted error is a failure of the API only if it names such an origin', async () => {
  const post = (payload: object) => app.call('events.post', { kind: 'error', session_id: 'posted', payload })
  await post({ message: 'The deployment failed.' })
  await post({ message: 'Overloaded', origin: 'upstream', status: 529 })
  expect(await app.call('sessions.get', { session_id: 'posted' })).toMatchObject({ errors: 2, api_errors: 1 })
  const { items } = await app.call<{ items: { origin: string }[] }>('errors.list', { session_id: 'posted' })
  expect(items.map(({ origin }) => origin)).toEqual(['upstream', 'posted'])
})
