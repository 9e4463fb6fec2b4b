import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startApp, type TestApp } from '../support/start-app.ts'
import { fillStore } from '../support/seeded-store.ts'
import { LONG, momentOf, surfaceHistory, TURNS } from '../support/surface-history.ts'
import { makeTempFolder, type TempFolder } from '../support/temp-folder.ts'
import { until } from '../support/until.ts'

/** The addresses that are promised by name: their defaults, their fields, their order, who may. */

interface Item {
  readonly [field: string]: unknown
}
interface List {
  readonly items: readonly Item[]
  readonly next: string | null
}

let folder: TempFolder
let app: TestApp

beforeAll(async () => {
  folder = makeTempFolder()
  fillStore(folder.path, surfaceHistory())
  // Nothing is asked of an upstream here.
  app = await startApp({ upstream: 'http://127.0.0.1:9', dataDir: folder.path })
  await until(
    'the recorder runs',
    async () => (await app.call<{ recorder: string }>('health.get')).recorder === 'running',
  )
})
afterAll(async () => {
  await app?.close()
  folder?.remove()
})

const key = (name: string) => readFileSync(join(folder.path, name), 'utf8').trim()

/** A request with the owner's key, or with what `init` says. */
function send(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { authorization: `Bearer ${key('token')}`, ...init.headers }
  return fetch(`${app.app}${path}`, { ...init, headers })
}
async function get<T = List>(path: string): Promise<T> {
  const response = await send(path)
  const body = (await response.json()) as T
  expect(response.status, `${path}: ${JSON.stringify(body)}`).toBe(200)
  return body
}
const fieldsOf = (items: readonly Item[], ...fields: string[]) =>
  items.map((item) => fields.map((field) => item[field]))
const sorted = (values: readonly unknown[]) => values.map(String).toSorted()

/** Every route that answers with a list: how many come unasked, and what each item must carry. */
const LISTS: readonly (readonly [route: string, unasked: number, fields: readonly string[]])[] = [
  [
    '/api/lifestats/recover?query=solarized',
    10,
    ['match_type', 'session_id', 'turn_id', 'timestamp', 'content', 'rank', 'uuid'],
  ],
  [
    '/api/lifestats/sessions',
    10,
    [
      'id',
      'user_id',
      'project',
      'git_branch',
      'started_at',
      'ended_at',
      'source',
      'title',
      'turn_count',
      'prompts',
      'total_tokens',
      'total_cost_usd',
      'unpriced_calls',
      'tool_calls',
      'thinking_blocks',
      'errors',
      'active_ms',
    ],
  ],
  ['/api/lifestats/thinking?query=solarized', 10, ['content', 'rank', 'tokens', 'session_id', 'timestamp', 'uuid']],
  ['/api/lifestats/prompts?query=theme', 10, ['content', 'rank', 'session_id', 'timestamp', 'uuid']],
  ['/api/lifestats/responses?query=solarized', 10, ['content', 'rank', 'session_id', 'timestamp', 'uuid']],
  [
    '/api/lifestats/tools',
    20,
    ['id', 'session_id', 'timestamp', 'tool_name', 'input_summary', 'duration_ms', 'success'],
  ],
  ['/api/lifestats/slowest', 20, ['uuid', 'session_id', 'timestamp', 'name', 'duration_ms']],
  ['/api/lifestats/slowest?by=kind', 20, ['uuid', 'session_id', 'timestamp', 'name', 'duration_ms']],
  ['/api/lifestats/errors', 20, ['uuid', 'session_id', 'timestamp', 'content']],
  ['/api/events', 100, ['id', 'uuid', 'session_id', 'turn_id', 'seq', 'agent_id', 'parent_uuid', 'kind', 'payload']],
  [`/api/sessions/${LONG}/events`, 50, ['uuid', 'kind', 'ts_wall', 'payload']],
  [`/api/sessions/${LONG}/timeline`, 50, ['uuid', 'kind', 'ts_wall', 'duration_ms']],
  [`/api/sessions/${LONG}/history`, 20, ['role', 'content', 'timestamp', 'turn_id']],
]

describe('lists', () => {
  test.each(LISTS)('%s gives %i unasked, each whole, and the way on', async (route, unasked, fields) => {
    const { items, next, ...rest } = await get(route)
    expect(items).toHaveLength(unasked)
    for (const item of items) for (const field of fields) expect(item).toHaveProperty(field)
    expect(rest).not.toHaveProperty('partial')
    if (route.includes('slowest')) return
    expect(next).toEqual(expect.any(String))
    const more = await get(`${route}${route.includes('?') ? '&' : '?'}cursor=${encodeURIComponent(next ?? '')}`)
    const idOf = (item: Item) => item['uuid'] ?? item['id']
    const seen = new Set(items.map(idOf))
    expect(more.items.length).toBeGreaterThan(0)
    for (const item of more.items) expect(seen.has(idOf(item))).toBe(false)
  })

  test.each(LISTS)('%s takes a limit', async (route) => {
    expect((await get(`${route}${route.includes('?') ? '&' : '?'}limit=3`)).items).toHaveLength(3)
  })
})

describe('GET /api/lifestats/recover', () => {
  const recover = (query: string) => get<List & { total: number }>(`/api/lifestats/recover?${query}`)
  const types = ({ items }: List) => [...new Set(sorted(items.map((item) => item['match_type'])))]

  test('searches thinking, prompts and answers unasked, tools when asked', async () => {
    const said = await recover('query=solarized%20theme&limit=100')
    expect(types(said)).toEqual(['assistant_response', 'thinking', 'user_prompt'])
    expect(types(await recover('query=make&tools=true&limit=100'))).toContain('tool')
    expect((await recover('query=make&limit=100')).items).toEqual([])
    expect(types(await recover('query=solarized&thinking=false&limit=100'))).toEqual(['assistant_response'])
    expect(types(await recover('query=solarized&responses=false&limit=100'))).toEqual(['thinking'])
    expect(types(await recover('query=theme&prompts=false&limit=100'))).not.toContain('user_prompt')
  })

  test('ranks lower for better, marks what matched, counts all', async () => {
    const { items, total } = await recover('query=solarized')
    expect(total).toBe(2 * TURNS)
    const ranks = items.map((item) => item['rank'] as number)
    expect(ranks).toEqual(ranks.toSorted((a, b) => a - b))
    for (const item of items) expect(item['content']).toMatch(/<mark>solarized<\/mark>/)
  })

  test('keeps to its session, project and span, and orders by time when asked', async () => {
    expect((await recover('query=short&session_id=s-short-3')).total).toBe(1)
    expect((await recover('query=solarized&project=/elsewhere')).total).toBe(0)
    expect((await recover(`query=solarized&project=/work/app&since=${momentOf(24 * 60)}`)).total).toBe(4)
    expect((await recover(`query=solarized&until=${momentOf(2 * 60)}`)).total).toBe(2)
    const times = (await recover('query=solarized&order=time')).items.map((item) => String(item['timestamp']))
    expect(times).toEqual(times.toSorted().reverse())
  })

  test('takes FTS5 as it is written where asked, and says what is wrong with it', async () => {
    expect((await recover('query=%22we%20take%22%20AND%20solarized&syntax=fts5')).total).toBe(TURNS)
    const response = await send('/api/lifestats/recover?query=%22open&syntax=fts5')
    expect([response.status, await response.json()]).toEqual([
      400,
      { error: { code: 'bad_query', message: expect.stringContaining('query') } },
    ])
    // Plain text is never an expression.
    for (const query of ['"open', "can't", 'C++', 'src/main.rs', 'a AND', '*', 'NEAR(']) {
      await recover(`query=${encodeURIComponent(query)}`)
    }
  })
})

describe('GET /api/lifestats', () => {
  test('summary holds every total', async () => {
    const summary = await get<Record<string, unknown>>('/api/lifestats/summary')
    expect(summary).toEqual({
      total_sessions: 12,
      total_tokens: TURNS * 1100,
      total_cost_usd: expect.any(Number),
      unpriced_calls: 0,
      total_tool_calls: TURNS,
      total_thinking_blocks: TURNS,
      total_prompts: TURNS + 11,
      total_duration_ms: expect.any(Number),
      first_session: momentOf(60),
      last_session: momentOf(100_010),
      by_model: [{ model: 'claude-sonnet-5-5', tokens: TURNS * 1100, cost_usd: expect.any(Number), calls: TURNS }],
      by_tool: expect.arrayContaining([
        { tool: 'Bash', calls: 12, avg_duration_ms: expect.any(Number), success_rate: expect.closeTo(10 / 12) },
      ]),
    })
    expect(summary['total_cost_usd']).toBeGreaterThan(0)
    const elsewhere = await get<Record<string, unknown>>('/api/lifestats/summary?project=/elsewhere')
    expect(elsewhere['total_prompts']).toBe(0)
    const since = await get<Record<string, unknown>>('/api/lifestats/summary?since=2026-11-02')
    expect(since['total_prompts']).toBe(11)
    const before = await get<Record<string, unknown>>('/api/lifestats/summary?until=2026-11-02')
    expect(before['total_prompts']).toBe(TURNS)
  })

  test('sessions come newest first, of one user or project, before a moment', async () => {
    const { items } = await get('/api/lifestats/sessions')
    expect(items[0]?.['id']).toBe('s-short-10')
    expect(items.at(-1)?.['id']).toBe('s-short-1')
    const older = await get(`/api/lifestats/sessions?before=${momentOf(100_000)}`)
    expect(fieldsOf(older.items, 'id', 'prompts', 'total_tokens')).toEqual([[LONG, TURNS, TURNS * 1100]])
    expect((await get('/api/lifestats/sessions?user_id=nobody')).items).toEqual([])
    expect((await get('/api/lifestats/sessions?project=/elsewhere')).items).toEqual([])
  })

  test('prompts of a session without a query are all of them, by number', async () => {
    const { items, next } = await get(`/api/lifestats/prompts?session_id=${LONG}`)
    expect(items.map((item) => item['prompt_number'])).toEqual(Array.from({ length: TURNS }, (_, index) => index + 1))
    expect(next).toBeNull()
    const first = await get(`/api/lifestats/prompts?session_id=${LONG}&limit=2`)
    expect(fieldsOf(first.items, 'prompt_number', 'content')).toEqual([
      [1, 'Prompt 1: which theme?'],
      [2, 'Prompt 2: which theme?'],
    ])
  })

  test('tools are of one tool or session, their input cut at 200 characters', async () => {
    const { items } = await get('/api/lifestats/tools?tool_name=Bash')
    expect(items).toHaveLength(12)
    expect(new Set(items.map((item) => item['tool_name']))).toEqual(new Set(['Bash']))
    for (const item of items) expect(String(item['input_summary'])).toHaveLength(200)
    expect(fieldsOf(items, 'duration_ms', 'success')[2]).toEqual([200, false])
    expect((await get('/api/lifestats/tools?session_id=s-short-1')).items).toEqual([])
  })

  test('slowest, errors and analytics keep to what they are asked for', async () => {
    const slowest = await get('/api/lifestats/slowest')
    expect(fieldsOf(slowest.items.slice(0, 2), 'name', 'duration_ms')).toEqual([
      ['Read', 250],
      ['Bash', 240],
    ])
    expect((await get('/api/lifestats/slowest?by=kind')).items[0]).toMatchObject({
      name: 'api_usage',
      duration_ms: 900,
    })
    expect((await get('/api/lifestats/slowest?session_id=s-short-1')).items).toEqual([])
    expect((await get('/api/lifestats/slowest?since=2026-11-02')).items).toEqual([])
    expect((await get('/api/lifestats/errors?query=overloaded&limit=100')).items).toHaveLength(22)
    expect((await get('/api/lifestats/errors?query=nothing')).items).toEqual([])
    expect((await get('/api/lifestats/errors?session_id=s-short-1')).items).toEqual([])
    const analytics = await get<Record<string, unknown[]> & { totals: Item }>('/api/lifestats/analytics')
    expect(analytics.totals).toMatchObject({
      calls: TURNS,
      avg_ttft_ms: 50,
      p50_duration_ms: 900,
      tokens: TURNS * 1100,
    })
    expect(analytics['by_model']).toHaveLength(1)
    expect(analytics['by_turn']).toHaveLength(TURNS)
    expect(analytics['calls']).toHaveLength(TURNS)
    const none = await get<{ totals: Item }>('/api/lifestats/analytics?session_id=s-short-1')
    expect(none.totals['calls']).toBe(0)
  })
})

describe('GET /api/events', () => {
  test('are of one session, turn and kind; counted the same', async () => {
    const turn = await get(`/api/events?session_id=${LONG}&turn_id=3`)
    expect(turn.items.map((item) => item['kind'])).toEqual([
      'user_prompt',
      'thinking',
      'tool_call',
      'tool_result',
      'assistant_text',
      'api_usage',
    ])
    expect(turn.items.map((item) => item['seq'])).toEqual([0, 1, 2, 3, 4, 5])
    expect((await get('/api/events?kind=task_update')).items).toHaveLength(1)
    expect(await get(`/api/events/count?session_id=${LONG}&turn_id=3`)).toEqual({ count: 6 })
    expect(await get('/api/events/count?kind=thinking')).toEqual({ count: TURNS })
    expect(await get('/api/events/count')).toEqual({ count: surfaceHistory().length })
  })

  test('one in full, its chain root first, and what it caused', async () => {
    const { items } = await get(`/api/events?session_id=${LONG}&turn_id=2`)
    const [prompt, thinking, , , answer] = items
    const whole = await get<Item>(`/api/events/${String(answer?.['uuid'])}`)
    expect(whole).toMatchObject({
      uuid: answer?.['uuid'],
      kind: 'assistant_text',
      session_id: LONG,
      turn_id: 2,
      source: 'transcript',
      payload: { text: 'Answer 2: we take solarized.' },
    })
    const chain = await get(`/api/events/${String(answer?.['uuid'])}/chain`)
    expect(fieldsOf(chain.items, 'kind', 'depth')).toEqual([
      ['user_prompt', 0],
      ['thinking', 1],
      ['tool_call', 2],
      ['tool_result', 3],
      ['assistant_text', 4],
    ])
    const children = await get(`/api/events/${String(prompt?.['uuid'])}/children`)
    expect(children.items.map((item) => item['uuid'])).toEqual([thinking?.['uuid']])
    for (const path of ['', '/chain', '/children']) {
      const response = await send(`/api/events/nobody${path}`)
      expect([response.status, await response.json()]).toEqual([
        404,
        { error: { code: 'not_found', message: expect.stringContaining('nobody') } },
      ])
    }
  })
})

describe('GET /api/sessions/:id', () => {
  const of = (path: string) => get(`/api/sessions/${LONG}/${path}`)

  test('events come newest first, of some kinds, before and after a moment', async () => {
    const { items } = await of('events')
    const times = items.map((item) => String(item['ts_wall']))
    expect(times).toEqual(times.toSorted().reverse())
    expect((await of('events?kinds=thinking,tool_call&limit=100')).items).toHaveLength(2 * TURNS)
    expect((await of(`events?before=${momentOf(120)}`)).items).toHaveLength(6)
    expect((await of(`events?after=${momentOf(TURNS * 60 + 19)}`)).items).toHaveLength(22)
  })

  test('the timeline lies between start and end, oldest first', async () => {
    const { items } = await of(`timeline?start=${momentOf(59)}&end=${momentOf(66)}`)
    expect(fieldsOf(items, 'kind', 'duration_ms').slice(0, 4)).toEqual([
      ['user_prompt', null],
      ['thinking', null],
      ['tool_call', null],
      ['tool_result', 10],
    ])
    expect(items).toHaveLength(6)
  })

  test('the history is who said what', async () => {
    const { items } = await of('history')
    expect(fieldsOf(items.slice(-2), 'role', 'content', 'timestamp', 'turn_id')).toEqual([
      ['user', `Prompt ${TURNS}: which theme?`, momentOf(TURNS * 60), TURNS],
      ['assistant', `Answer ${TURNS}: we take solarized.`, momentOf(TURNS * 60 + 4), TURNS],
    ])
  })

  test('a turn has its stages, agents and errors', async () => {
    const turn = await get<Record<string, unknown[]>>(`/api/sessions/${LONG}/turns/5`)
    expect(turn).toMatchObject({ turn_id: 5, prompt: 'Prompt 5: which theme?', tokens: 1100 })
    expect(turn['stages']?.map((stage) => (stage as Item)['kind'])).toEqual([
      'user_prompt',
      'thinking',
      'tool_call',
      'tool_result',
      'assistant_text',
      'api_usage',
    ])
    expect(turn['agents']).toEqual([{ agent_id: null, agent_type: null, events: 6 }])
    expect(turn['errors']).toHaveLength(1)
  })

  test('resume says where it stood', async () => {
    const resumed = await get<Record<string, unknown>>(`/api/sessions/${LONG}/resume`)
    expect(resumed).toMatchObject({
      session_id: LONG,
      last_prompt: `Prompt ${TURNS}: which theme?`,
      last_action: `Answer ${TURNS}: we take solarized.`,
      open_tasks: ['Paint the header (in_progress)'],
      text: expect.stringMatching(/Paint the header[^]*Overloaded 21[^]*make theme/),
    })
    expect(resumed['commands']).not.toEqual([])
    expect(resumed['errors']).not.toEqual([])
  })

  test('of a session that nobody knows there is nothing', async () => {
    for (const path of ['history', 'turns/1', 'resume']) {
      expect((await send(`/api/sessions/nobody/${path}`)).status, path).toBe(404)
    }
    expect(await get('/api/sessions/nobody/events')).toEqual({ items: [], next: null })
  })
})

describe('POST', () => {
  test('an event of one’s own is stored, and its uuid is the answer', async () => {
    const parent = (await get(`/api/events?session_id=${LONG}&turn_id=1`)).items[0]?.['uuid']
    const body = {
      session_id: 's-posted',
      kind: 'notification',
      parent_uuid: parent,
      payload: { text: 'from outside' },
      duration_ms: 12,
      success: false,
      error_message: 'no',
    }
    const response = await send('/api/events', { method: 'POST', body: JSON.stringify(body) })
    const { uuid, ...rest } = (await response.json()) as { uuid: string }
    expect([response.status, rest]).toEqual([200, {}])
    expect(await get<Item>(`/api/events/${uuid}`)).toMatchObject({ ...body, source: 'api', uuid })
    const refused = await send('/api/events', { method: 'POST', body: JSON.stringify({ ...body, kind: 'mood' }) })
    expect([refused.status, await refused.json()]).toEqual([
      400,
      { error: { code: 'bad_input', message: expect.stringContaining('kind') } },
    ])
  })

  test('a hook is answered with an empty object, by the key of the hooks', async () => {
    const hook = { session_id: 's-hooked', hook_event_name: 'UserPromptSubmit', prompt: 'Hooked?', cwd: '/work/app' }
    const response = await send('/api/hooks', {
      method: 'POST',
      headers: { authorization: `Bearer ${key('hooks')}` },
      body: JSON.stringify(hook),
    })
    expect([response.status, await response.json()]).toEqual([200, {}])
    await until('the hook is recorded', async () => (await get('/api/sessions/s-hooked/events')).items.length > 0)
    const elsewhere = await send('/api/lifestats/summary', { headers: { authorization: `Bearer ${key('hooks')}` } })
    expect(elsewhere.status).toBe(403)
  })

  test('every operation that answers once is there under its name', async () => {
    const { paths } = await get<{ paths: Record<string, unknown> }>('/api/openapi.json')
    expect(Object.keys(paths)).toEqual(expect.arrayContaining(['/api/recall.search', '/api/lifestats/recover']))
    const response = await send('/api/stats.summary', { method: 'POST', body: '{}' })
    expect(await response.json()).toEqual(await get('/api/lifestats/summary'))
  })
})

test('GET /api/live sends what is committed, of one session and some kinds, and goes on from where a reader was', async () => {
  const leave = new AbortController()
  const response = await send('/api/live?session_id=s-live&kinds=notification', { signal: leave.signal })
  expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/)
  const post = (kind: string, payload: object) =>
    send('/api/events', { method: 'POST', body: JSON.stringify({ session_id: 's-live', kind, payload }) })
  await post('state_change', { name: 'x', to: 1 })
  await post('notification', { text: 'the first' })
  const first = await framesUntil(response, 'the first')
  leave.abort()
  expect(first).not.toContain('state_change')
  const id = /^id: (\d+)$/m.exec(first)?.[1]
  expect(id).toBeDefined()
  await post('notification', { text: 'the second' })
  const again = new AbortController()
  const resumed = await send('/api/live?session_id=s-live', {
    headers: { 'last-event-id': id ?? '' },
    signal: again.signal,
  })
  const rest = await framesUntil(resumed, 'the second')
  again.abort()
  expect(rest).not.toContain('the first')
})

/** What a stream sends until `word` was in it. */
async function framesUntil(response: Response, word: string): Promise<string> {
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true })
    if (text.includes(word) && text.endsWith('\n\n')) return text
  }
  throw new Error(`the stream ended without "${word}": ${text}`)
}

test('GET /healthz answers anybody, and tells nothing private', async () => {
  const health = (await (await fetch(`${app.app}/healthz`)).json()) as Record<string, unknown>
  expect(health).toMatchObject({ status: 'ok', id: app.id })
  expect(JSON.stringify(health)).not.toContain(folder.path)
})

test('the printed link signs a browser in by a cookie that pages cannot read', async () => {
  const login = await fetch(`${app.app}/login`, { method: 'POST', body: JSON.stringify({ key: key('token') }) })
  expect(login.status).toBe(204)
  const cookie = login.headers.get('set-cookie') ?? ''
  expect(cookie).toMatch(/HttpOnly/)
  expect(cookie).toMatch(/SameSite=Strict/)
  expect(cookie).not.toContain(key('token'))
  const [session = ''] = cookie.split(';')
  const summary = (headers: Record<string, string>) => fetch(`${app.app}/api/lifestats/summary`, { headers })
  expect((await summary({ cookie: session })).status).toBe(200)
  expect((await summary({ cookie: session, 'sec-fetch-site': 'cross-site' })).status).toBe(401)
  expect((await summary({})).status).toBe(401)
  expect((await summary({ authorization: `Bearer ${key('token')}`, origin: 'http://evil.example' })).status).toBe(403)
  expect((await fetch(`${app.app}/login`, { method: 'POST', body: '{"key":"wrong"}' })).status).toBe(401)
})

test('bad input names its field, under 400', async () => {
  for (const [path, field] of [
    ['/api/lifestats/recover', 'query'],
    ['/api/lifestats/sessions?limit=0', 'limit'],
    ['/api/lifestats/summary?since=yesterday', 'since'],
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
