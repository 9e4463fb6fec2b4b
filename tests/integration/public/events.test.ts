import { describe, expect, test } from 'vitest'
import { EVENT_KINDS } from '../../../src/shared/event.ts'
import { fieldsOf, servedHistory, type Item, type List } from '../../support/window/served-history.ts'
import { LONG, momentOf, surfaceHistory, TURNS } from '../../support/app/surface-history.ts'
import { until } from '../../support/runner/until.ts'

/** The addresses of events and sessions, what may be posted, and the live feed. */
const { get, key, send } = servedHistory()

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

  test('events are listed newest first, by kind, before and after a moment', async () => {
    const { items } = await of('events')
    const times = items.map((item) => String(item['ts_wall']))
    expect(times).toEqual(times.toSorted().reverse())
    expect((await of('events?kinds=thinking,tool_call&limit=100')).items).toHaveLength(2 * TURNS)
    expect((await of(`events?before=${momentOf(120)}`)).items).toHaveLength(6)
    expect((await of(`events?after=${momentOf(TURNS * 60 + 19)}`)).items).toHaveLength(22)
  })

  test('the timeline is between start and end, oldest first', async () => {
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
    expect(turn['agents']).toEqual([
      {
        agent_id: null,
        agent_type: null,
        events: 6,
        started_at: '2026-11-01T10:05:00.000Z',
        ended_at: '2026-11-01T10:05:05.000Z',
        duration_ms: 5000,
        last_text: 'Answer 5: we take solarized.',
        error: 'Read no rule to make the theme',
      },
    ])
    expect(turn['errors']).toHaveLength(1)
  })

  test('resume says where it left off', async () => {
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

  test('an unknown session has nothing', async () => {
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

  test('a payload that does not fit its kind is the caller’s mistake, and says what is missing', async () => {
    const health = async () => {
      const response = await send('/api/health.get', { method: 'POST', body: '{}' })
      return (await response.json()) as Record<string, unknown>
    }
    const before = await health()
    const refuse = async (body: object): Promise<string> => {
      const response = await send('/api/events', { method: 'POST', body: JSON.stringify(body) })
      expect(response.status).toBe(400)
      return ((await response.json()) as { error: { message: string } }).error.message
    }
    const refused = { session_id: 's-refused', kind: 'tool_call' }
    expect(await refuse({ ...refused, payload: { tool_name: 7 } })).toBe(
      'events.post: payload.call_id is missing (expected string); payload.tool_name: invalid input: expected string, ' +
        'received number; for example {"session_id":"my-session","kind":"tool_call","payload":{"call_id":"call-1",' +
        '"tool_name":"Bash","input":{"command":"npm test"}}}',
    )
    expect(await refuse({ ...refused, kind: 'state_change', payload: { name: 'x' } })).toContain(
      'payload.to is missing',
    )
    expect(await refuse({ kind: 'notification' })).toMatch(
      /session_id is missing.*payload is missing.*"kind":"notifica/,
    )
    const after = await health()
    for (const field of ['status', 'dropped', 'warnings']) expect(after[field], field).toEqual(before[field])
    expect((await get('/api/sessions/s-refused/events')).items).toEqual([])
  })

  test('each kind takes the example of the API’s description, and fills in what it leaves out', async () => {
    interface Description {
      readonly paths: {
        readonly '/api/events': {
          readonly post: { readonly requestBody: { readonly content: { readonly 'application/json': Body } } }
        }
      }
    }
    interface Body {
      readonly schema: { readonly oneOf: readonly { readonly title: string; readonly properties: unknown }[] }
      readonly examples: Readonly<
        Record<string, { readonly value: { readonly kind: string; readonly payload: object } }>
      >
    }
    const { paths } = await get<Description>('/api/openapi.json')
    const { schema, examples } = paths['/api/events'].post.requestBody.content['application/json']
    expect(schema.oneOf.map(({ title }) => title)).toEqual([...EVENT_KINDS])
    expect(schema.oneOf.find(({ title }) => title === 'tool_result')?.properties).toMatchObject({
      kind: { const: 'tool_result' },
      payload: { required: ['call_id', 'output'], properties: { is_error: { type: 'boolean', default: false } } },
    })
    for (const kind of EVENT_KINDS) {
      const body = { ...examples[kind]?.value, session_id: `s-example-${kind}` }
      const response = await send('/api/events', { method: 'POST', body: JSON.stringify(body) })
      const { uuid } = (await response.json()) as { uuid?: string }
      expect([kind, response.status]).toEqual([kind, 200])
      expect(await get<Item>(`/api/events/${uuid ?? ''}`)).toMatchObject(body)
    }
    const [call] = (await get('/api/sessions/s-example-tool_call/events')).items
    expect(call?.['payload']).toMatchObject({ message_id: null, index: 0 })
  })

  test('a hook with the key of the hooks is answered with an empty object', async () => {
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

test('GET /api/live sends committed events, by session and kind, and resumes where a reader left off', async () => {
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

/** The output of a stream up to the first `word`. */
async function framesUntil(response: Response, word: string): Promise<string> {
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true })
    if (text.includes(word) && text.endsWith('\n\n')) return text
  }
  throw new Error(`the stream ended without "${word}": ${text}`)
}

describe('replay', () => {
  interface Frame {
    readonly event: string
    readonly data: string
  }
  async function frames(path: string): Promise<Frame[]> {
    const text = await (await send(path)).text()
    return text
      .split('\n\n')
      .filter((frame) => /^data:/m.test(frame))
      .map((frame) => ({
        event: /^event: (.*)$/m.exec(frame)?.[1] ?? '',
        data: /^data: ?(.*)$/m.exec(frame)?.[1] ?? '',
      }))
  }

  test('a session is streamed in order, in batches, to the end, and resumes where it was left', async () => {
    const all = await frames(`/api/sessions/${LONG}/replay?limit=20`)
    expect(all.at(-1)).toEqual({ event: 'end', data: '' })
    const batches = all.slice(0, -1).map(({ data }) => JSON.parse(data) as List)
    expect(batches.length).toBeGreaterThan(5)
    for (const { items } of batches.slice(0, -1)) expect(items).toHaveLength(20)
    const { items } = await get(`/api/events?session_id=${LONG}&limit=1000`)
    expect(batches.flatMap((batch) => batch.items)).toEqual(items)
    const rest = await frames(`/api/sessions/${LONG}/replay?limit=20&cursor=${batches[1]?.next}`)
    expect(JSON.parse(rest[0]?.data ?? '')).toEqual(batches[2])
  })

  test('a turn is streamed alone; an unknown session is not found', async () => {
    const [batch] = await frames(`/api/sessions/${LONG}/replay?turn_id=2`)
    const { items } = await get(`/api/events?session_id=${LONG}&turn_id=2`)
    expect(items.length).toBeGreaterThan(3)
    expect((JSON.parse(batch?.data ?? '') as List).items).toEqual(items)
    expect(await frames('/api/sessions/nobody/replay')).toMatchObject([{ event: 'error' }])
  })
})
