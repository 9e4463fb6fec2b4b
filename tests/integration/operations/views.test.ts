import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { OperationOutput } from '../../../src/shared/contract/index.ts'
import { ask } from '../../support/app/ask.ts'
import { lastUserText, startMessagesUpstream, type MessagesUpstream } from '../../support/upstream/messages-upstream.ts'
import { startApp, type TestApp } from '../../support/app/start-app.ts'
import { until } from '../../support/runner/until.ts'
import { farFromMidnight } from '../../support/runner/far-from-midnight.ts'

/** What the window's views ask of the readers, over a session of two exchanges. */
describe('the numbers and requests of a session', () => {
  let upstream: MessagesUpstream
  let app: TestApp
  const session = 'views-session'
  let begun = ''

  beforeAll(async () => {
    await farFromMidnight()
    begun = new Date().toISOString()
    upstream = await startMessagesUpstream((request) => {
      if (lastUserText(request.body) === 'Call the tools' && request.body?.messages.length === 1)
        return { steps: ['Bash', 'Read', 'Bash'].map((tool, at) => ({ tool, id: `call-${at}`, input: {} })) }
      const second = lastUserText(request.body).includes('second')
      return {
        steps: [{ thinking: 'Solarized, since low contrast tires less.' }, { text: 'Take the theme.' }],
        usage: second
          ? { input_tokens: 10, output_tokens: 100, cache_read_input_tokens: 1_000_000 }
          : { input_tokens: 10, output_tokens: 100, cache_creation_5m: 2000 },
        headers: {
          'anthropic-ratelimit-unified-status': 'allowed',
          'anthropic-ratelimit-unified-5h-utilization': second ? '0.42' : '0.40',
          'anthropic-ratelimit-unified-5h-reset': '1795305600',
        },
      }
    })
    app = await startApp({ upstream: upstream.url })
    const first = [{ type: 'text', text: 'The first question' }]
    await (await ask(app.proxy, { prompt: 'The first question', session })).text()
    await (
      await ask(app.proxy, {
        prompt: 'The second question',
        session,
        history: [
          { role: 'user', content: first },
          { role: 'assistant', content: [{ type: 'text', text: 'Take the theme.' }] },
        ],
      })
    ).text()
    await until(
      'both exchanges are recorded',
      async () => (await app.call<{ items: object[] }>('events.list', { kind: 'model_response' })).items.length === 2,
    )
  })
  afterAll(async () => {
    await app?.close()
    await upstream?.close()
  })

  test('requests are listed newest first, each with its answer, cost and speed', async () => {
    const { items } = await app.call<OperationOutput<'requests.list'>>('requests.list', { session_id: session })
    expect(items).toHaveLength(2)
    expect(items[0]).toMatchObject({ status: 200, stop_reason: 'end_turn', request_kind: 'prompt', message_count: 3 })
    expect(items[0]?.usage).toMatchObject({ cache_read_tokens: 1_000_000, output_tokens: 100 })
    expect(items[0]?.usage?.cost_usd).toBeGreaterThan(0)
    expect(items[0]?.ttft_ms).toBeGreaterThan(0)
    const page = await app.call<OperationOutput<'requests.list'>>('requests.list', { session_id: session, limit: 1 })
    const next = await app.call<OperationOutput<'requests.list'>>('requests.list', {
      session_id: session,
      limit: 1,
      cursor: page.next,
    })
    expect([page.items[0]?.uuid, next.items[0]?.uuid]).toEqual(items.map(({ uuid }) => uuid))
    expect(next.next).toBeNull()
  })

  test('an exchange is the request as it was sent, without its key, and the blocks of its answer', async () => {
    const { items } = await app.call<OperationOutput<'requests.list'>>('requests.list', { session_id: session })
    const exchange = await app.call<OperationOutput<'requests.get'>>('requests.get', { uuid: items[0]?.uuid })
    const sent = upstream.requests.at(-1)?.body
    expect(exchange.body).toEqual({ ...sent, metadata: { user_id: expect.stringContaining('[redacted:') } })
    expect(exchange.blocks.map(({ kind, text }) => [kind, text])).toEqual([
      ['thinking', 'Solarized, since low contrast tires less.'],
      ['assistant_text', 'Take the theme.'],
    ])
    expect(JSON.stringify(exchange.headers)).not.toContain('sk-ant-dummy')
    expect(exchange.headers).toContainEqual(['x-app', 'cli'])
    const spent = exchange.by_class.filter(({ units }) => units > 0)
    expect(spent.map((row) => [row.class, row.units])).toEqual([
      ['input', 10],
      ['cache_read', 1_000_000],
      ['output', 100],
    ])
    expect(spent.reduce((sum, row) => sum + (row.cost_usd ?? 0), 0)).toBeCloseTo(exchange.usage?.cost_usd ?? 0, 9)
    // A link to the response leads to the same exchange.
    const byResponse = await app.call<OperationOutput<'requests.get'>>('requests.get', {
      uuid: exchange.response?.uuid,
    })
    expect(byResponse.uuid).toBe(exchange.uuid)
    await expect(app.call('requests.get', { uuid: 'none' })).rejects.toMatchObject({ code: 'not_found' })
  })

  test('turns cost what their calls cost, and the context grows call by call', async () => {
    const usage = await app.call<OperationOutput<'sessions.usage'>>('sessions.usage', { session_id: session })
    expect(usage.turns.map(({ turn_id, tokens }) => [turn_id, tokens])).toEqual([
      [1, 2110],
      [2, 1_000_110],
    ])
    expect(usage.context.map(({ context_tokens }) => context_tokens)).toEqual([2010, 1_000_010])
    const breakdown = await app.call<OperationOutput<'costs.breakdown'>>('costs.breakdown', { since: '1d' })
    const spent = usage.turns.reduce((sum, { cost_usd }) => sum + (cost_usd ?? 0), 0)
    expect(breakdown.by_session[0]).toMatchObject({ session_id: session, calls: 2 })
    expect(breakdown.by_session[0]?.cost_usd).toBeCloseTo(spent)
    expect(breakdown.by_project[0]?.cost_usd).toBeCloseTo(spent)
    expect(breakdown.by_client).toEqual([{ ...breakdown.by_client[0], sessions: 1, unpriced_calls: 0 }])
    expect(breakdown.by_client[0]?.cost_usd).toBeCloseTo(spent)
    expect(breakdown.cache).toMatchObject({ read_tokens: 1_000_000, written_tokens: 2000, unpriced_models: [] })
    expect(breakdown.cache.saved_usd).toBeGreaterThan(spent)
    const all = await app.call<OperationOutput<'costs.breakdown'>>('costs.breakdown', {})
    expect(all.by_session).toEqual(breakdown.by_session)
  })

  test('the newest report of the API on limits counts', async () => {
    const limits = await app.call<OperationOutput<'limits.latest'>>('limits.latest')
    expect(limits.windows).toEqual([{ name: '5h', utilization: 0.42, resets_at: '2026-11-22T00:00:00.000Z' }])
  })

  test('hits are counted by month', async () => {
    const { items } = await app.call<OperationOutput<'recall.months'>>('recall.months', { query: 'solarized' })
    expect(items).toEqual([{ month: begun.slice(0, 7), hits: 2 }])
  })

  test('a request that sends results names their tools, each once', async () => {
    const called = ['Bash', 'Read', 'Bash'].map((name, at) => ({ type: 'tool_use', id: `call-${at}`, name, input: {} }))
    const prompt = { role: 'user', content: [{ type: 'text', text: 'Call the tools' }] }
    await (await ask(app.proxy, { prompt: prompt.content, session: 'tools' })).text()
    const results = called.map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: 'done' }))
    const history = [prompt, { role: 'assistant', content: called }]
    await (await ask(app.proxy, { prompt: results, history, session: 'tools' })).text()
    const lines = async () =>
      (await app.call<OperationOutput<'requests.list'>>('requests.list', { session_id: 'tools' })).items
    await until('the results are recorded', async () => (await lines())[0]?.status === 200)
    await until('both are recorded', async () => (await lines()).length === 2)
    expect((await lines()).map(({ request_kind: kind, tools }) => [kind, tools])).toEqual([
      ['loop', ['Bash', 'Read']],
      ['prompt', []],
    ])
  })
})

test('what a summary leaves out comes first, what it covers is only counted', async () => {
  await using upstream = await startMessagesUpstream(() => ({ steps: [{ text: 'ok' }] }))
  await using app = await startApp({ upstream: upstream.url })
  await app.recorderRuns()
  const post = (kind: string, payload: object) =>
    app.call<{ uuid: string }>('events.post', { session_id: 'compacted', kind, payload })
  const block = { message_id: null, index: 0 }
  await post('user_prompt', { text: 'choose the palette tokens' })
  await post('assistant_text', { text: 'Monochrome icons flicker under mercury lamps', ...block })
  await post('assistant_text', { text: 'tokens chosen', ...block })
  await new Promise((resolve) => setTimeout(resolve, 5))
  const { uuid } = await post('compaction', {
    trigger: 'auto',
    summary: 'We choose palette tokens; they are chosen.',
    tokens_before: null,
    tokens_after: null,
  })
  await post('user_prompt', { text: 'something said afterwards' })
  await until('all is recorded', async () => (await app.count()) === 5)
  const dropped = await app.call<OperationOutput<'compactions.dropped'>>('compactions.dropped', { uuid })
  expect(dropped).toMatchObject({ texts: 3, covered: 2, partial: false })
  expect(dropped.items.map(({ content }) => content)).toEqual(['Monochrome icons flicker under mercury lamps'])
  expect(dropped.items[0]?.missing_words).toContain('mercury')
  const asked = (input: object) =>
    app.call<OperationOutput<'compactions.dropped'>>('compactions.dropped', { session_id: 'compacted', ...input })
  expect((await asked({ query: 'flickering icon' })).items).toEqual(dropped.items)
  expect((await asked({ query: 'icons of neon' })).items).toEqual([])
  const { pack } = await asked({ query: 'lamps', budget: 500 })
  expect(pack?.text).toContain('> Monochrome icons flicker under mercury lamps')
  expect(pack?.text).toContain('not in its summary')
  expect(pack?.included).toBe(1)
  await expect(asked({ session_id: 'never-compacted' })).rejects.toMatchObject({ code: 'not_found' })
})

test('the median and 95th percentile of the calls of a tool are by nearest rank', async () => {
  await using upstream = await startMessagesUpstream(() => ({ steps: [{ text: 'ok' }] }))
  await using app = await startApp({ upstream: upstream.url })
  await app.recorderRuns()
  for (let call = 1; call <= 20; call += 1) {
    const id = `call-${call}`
    await app.call('events.post', {
      session_id: 'paced',
      kind: 'tool_call',
      payload: { call_id: id, tool_name: 'Bash', input: { command: 'x' }, message_id: null, index: 0 },
    })
    await app.call('events.post', {
      session_id: 'paced',
      kind: 'tool_result',
      payload: { call_id: id, tool_name: 'Bash', output: 'y', is_error: call === 3, rejected: call === 4 },
      duration_ms: call * 10,
      success: call !== 3 && call !== 4,
    })
  }
  await until('all is recorded', async () => (await app.count()) === 40)
  const { items } = await app.call<OperationOutput<'tools.pace'>>('tools.pace')
  expect(items).toEqual([
    { tool: 'Bash', timed: 20, upper_bounds: 0, p50_ms: 100, p95_ms: 190, failed: 1, rejected: 1 },
  ])
})
