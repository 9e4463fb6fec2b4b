import { describe, expect, test } from 'vitest'
import { fieldsOf, servedHistory, type Item, type List } from '../../support/window/served-history.ts'
import { LONG, momentOf, TURNS } from '../../support/app/surface-history.ts'

/** The addresses under /api/lifestats, and every list: their defaults, fields and order. */
const { get, send } = servedHistory()
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
      'api_errors',
      'failed_tools',
      'client',
      'client_version',
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

  test('searches thinking, prompts, answers and digests by default, tools on request', async () => {
    const said = await recover('query=solarized%20theme&limit=100')
    expect(types(said)).toEqual(['assistant_response', 'episode', 'thinking', 'user_prompt'])
    expect(types(await recover('query=make&tools=true&limit=100'))).toContain('tool')
    expect((await recover('query=make&limit=100')).items).toEqual([])
    expect(types(await recover('query=solarized&thinking=false&limit=100'))).toEqual(['assistant_response', 'episode'])
    expect(types(await recover('query=solarized&responses=false&limit=100'))).toEqual(['thinking'])
    expect(types(await recover('query=theme&prompts=false&limit=100'))).not.toContain('user_prompt')
  })

  test('ranks better hits lower, marks matches, counts all', async () => {
    const { items, total } = await recover('query=solarized')
    // Thoughts, answers, and the digest of their session.
    expect(total).toBe(2 * TURNS + 1)
    const ranks = items.map((item) => item['rank'] as number)
    expect(ranks).toEqual(ranks.toSorted((a, b) => a - b))
    for (const item of items) expect(item['content']).toMatch(/<mark>solarized<\/mark>/)
  })

  test('filters by session, project and time, and sorts by time on request', async () => {
    expect((await recover('query=short&session_id=s-short-3')).total).toBe(1)
    expect((await recover('query=solarized&project=/elsewhere')).total).toBe(0)
    expect((await recover(`query=solarized&project=/work/app&since=${momentOf(24 * 60)}`)).total).toBe(5)
    expect((await recover(`query=solarized&until=${momentOf(2 * 60)}`)).total).toBe(2)
    const times = (await recover('query=solarized&order=time')).items.map((item) => String(item['timestamp']))
    expect(times).toEqual(times.toSorted().reverse())
  })

  test('accepts raw FTS5 on request, and reports its errors', async () => {
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
  test('summary has every total', async () => {
    const summary = await get<Record<string, unknown>>('/api/lifestats/summary')
    expect(summary).toEqual({
      total_sessions: 12,
      total_tokens: TURNS * 1100,
      total_cost_usd: expect.any(Number),
      unpriced_calls: 0,
      total_tool_calls: TURNS,
      total_thinking_blocks: TURNS,
      total_prompts: TURNS + 11,
      total_api_errors: 22,
      total_failed_tools: TURNS / 5,
      total_duration_ms: expect.any(Number),
      first_session: momentOf(60),
      last_session: momentOf(100_010),
      by_model: [{ model: 'claude-sonnet-5-5', tokens: TURNS * 1100, cost_usd: expect.any(Number), calls: TURNS }],
      by_client: [
        {
          client: 'claude-code',
          sessions: 12,
          prompts: TURNS + 11,
          tokens: TURNS * 1100,
          cost_usd: expect.any(Number),
          unpriced_calls: 0,
          tool_calls: TURNS,
          api_errors: 22,
          failed_tools: TURNS / 5,
        },
      ],
      by_tool: expect.arrayContaining([
        {
          tool: 'Bash',
          calls: 12,
          avg_duration_ms: expect.any(Number),
          success_rate: expect.closeTo(10 / 12),
          failed: 2,
          rejected: 0,
        },
      ]),
    })
    expect(summary['total_cost_usd']).toBeGreaterThan(0)
    const elsewhere = await get<Record<string, unknown>>('/api/lifestats/summary?project=/elsewhere')
    expect(elsewhere['total_prompts']).toBe(0)
    const since = await get<Record<string, unknown>>('/api/lifestats/summary?since=2026-11-02')
    expect(since['total_prompts']).toBe(11)
    const before = await get<Record<string, unknown>>('/api/lifestats/summary?until=2026-11-01')
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

  test('slowest, errors and analytics apply their filters', async () => {
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

test('errors with failed tool calls are narrowed by a query, which needs a word', async () => {
  const failed = async (query: string) => (await get(`/api/lifestats/errors?tools=true&query=${query}`)).items.length
  expect(await failed('')).toBeGreaterThan(0)
  expect([await failed('rule%20Theme'), await failed('rule%20linker')]).toEqual([5, 0])
  expect((await send('/api/lifestats/errors?query=%21%21')).status).toBe(400)
})
