import { expect, test } from 'vitest'
import { OPERATIONS } from '../../../src/shared/contract/index.ts'
import type { Operation } from '../../../src/shared/contract/operation.ts'
import { configSchema } from '../../../src/shared/config.ts'
import { servedHistory } from '../../support/window/served-history.ts'
import { LONG } from '../../support/app/surface-history.ts'

/** Other promised addresses: health, metrics, MCP, keys, errors, settings. */
const { data, id, key, send, url } = servedHistory()

test('GET /healthz answers anybody and reveals nothing private', async () => {
  const health = (await (await fetch(url('/healthz'))).json()) as Record<string, unknown>
  expect(health).toMatchObject({ status: 'ok', id: id() })
  expect(JSON.stringify(health)).not.toContain(data())
})

test('GET /metrics answers Prometheus with the owner’s key or the metrics key', async () => {
  for (const name of ['token', 'metrics']) {
    const response = await send('/metrics', { headers: { authorization: `Bearer ${key(name)}` } })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toMatch(/^text\/plain/)
    expect(await response.text()).toMatch(/^aspy_events_dropped_total\{reason="\w+"\} \d+$/m)
  }
  expect((await fetch(url('/metrics'))).status).toBe(401)
})

test('MCP has its tools under their names, with their defaults', () => {
  const tools = OPERATIONS.flatMap((operation: Operation) => operation.mcp ?? [])
  expect(tools.map(({ name }) => name).toSorted()).toEqual([
    'aspy_advice',
    'aspy_get',
    'aspy_lifetime_stats',
    'aspy_memories',
    'aspy_recall_context',
    'aspy_recent_events',
    'aspy_resume_context',
    'aspy_search_thinking',
    'aspy_search_user_prompts',
    'aspy_session_history',
    'aspy_timeline',
    'aspy_tool_history',
    'aspy_trace_event',
    'aspy_why_line',
  ])
  const defaults = (name: string, input: object) => tools.find((tool) => tool.name === name)?.input.parse(input)
  expect(defaults('aspy_recall_context', { query: 'x' })).toMatchObject({
    limit: 10,
    include_thinking: true,
    include_prompts: true,
    include_tools: false,
    project: 'current',
  })
  expect(defaults('aspy_search_user_prompts', { query: 'x' })).toMatchObject({ limit: 20, offset: 0 })
  expect(defaults('aspy_recent_events', {})).toMatchObject({ limit: 50 })
  expect(defaults('aspy_session_history', { session_id: 's' })).toMatchObject({ limit: 20 })
})

test('the printed link signs a browser in with a cookie that pages cannot read', async () => {
  const login = await fetch(url('/login'), { method: 'POST', body: JSON.stringify({ key: key('token') }) })
  expect(login.status).toBe(204)
  const cookie = login.headers.get('set-cookie') ?? ''
  expect(cookie).toMatch(/HttpOnly/)
  expect(cookie).toMatch(/SameSite=Strict/)
  expect(cookie).not.toContain(key('token'))
  const [session = ''] = cookie.split(';')
  const summary = (headers: Record<string, string>) => fetch(url('/api/lifestats/summary'), { headers })
  expect((await summary({ cookie: session })).status).toBe(200)
  expect((await summary({ cookie: session, 'sec-fetch-site': 'cross-site' })).status).toBe(401)
  expect((await summary({})).status).toBe(401)
  expect((await summary({ authorization: `Bearer ${key('token')}`, origin: 'http://evil.example' })).status).toBe(403)
  expect((await fetch(url('/login'), { method: 'POST', body: '{"key":"wrong"}' })).status).toBe(401)
})

test('bad input names its field, under 400', async () => {
  for (const [path, field] of [
    ['/api/lifestats/recover', 'query'],
    ['/api/lifestats/sessions?limit=0', 'limit'],
    ['/api/lifestats/summary?since=someday', 'since'],
    ['/api/events?kind=mood', 'kind'],
    ['/api/lifestats/slowest?by=mood', 'by'],
    [`/api/sessions/${LONG}/events?kinds=mood`, 'kinds'],
    ['/api/events?cursor=bogus', 'cursor'],
  ] as const) {
    const response = await send(path)
    const body: unknown = await response.json()
    expect([response.status, body], path).toEqual([
      400,
      { error: { code: 'bad_input', message: expect.stringContaining(field) } },
    ])
  }
})

test('an unknown field is refused, with the name that it resembles', async () => {
  const answered = async (path: string, init: RequestInit = {}) => {
    const response = await send(path, init)
    if (response.ok) return [response.status, null]
    return [response.status, ((await response.json()) as { error: { message: string } }).error.message]
  }
  const known = 'it takes session_id, turn_id, kind'
  const refusal = [400, `events.count: there is no field "sesion_id" (did you mean "session_id"?); ${known}`]
  expect(await answered(`/api/events/count?sesion_id=${LONG}`)).toEqual(refusal)
  expect(await answered('/api/events.count', { method: 'POST', body: '{"sesion_id":"s"}' })).toEqual(refusal)
  expect(await answered('/api/live?kind=thinking')).toEqual([
    400,
    expect.stringMatching(/^live\.subscribe: there is no field "kind" \(did you mean "kinds"\?\)/),
  ])
  expect(await answered(`/api/events/count?session_id=${LONG}&mood=1`)).toEqual([
    400,
    `events.count: there is no field "mood"; ${known}`,
  ])
})

test('the config has its sections', () => {
  expect(Object.keys(configSchema.shape)).toEqual(
    expect.arrayContaining(
      'proxy app lifestats redaction filter pricing session_log metrics webhook processors transcripts budgets notices'.split(
        ' ',
      ),
    ),
  )
})
