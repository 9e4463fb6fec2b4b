import { describe, expect, test } from 'vitest'
import { naturalKey, type AnyDraft } from '../../../src/main/decode/draft.ts'
import { readerHandlers } from '../../../src/main/operations/reader/reader-handlers.ts'
import type { Reader } from '../../../src/main/store/read/reader.ts'
import type { ParsedInput } from '../../../src/shared/contract/index.ts'
import { reading } from '../../support/store/reading.ts'
import { openTestStore } from '../../support/store/folder.ts'
import { createTimedExchanges, type TimedExchange } from '../../support/recorder/timed-exchanges.ts'
import { promptFact, usageFact, usageOf } from '../../support/store/history.ts'

/** Reads a store that holds these drafts. */
function readingOf<T>(drafts: readonly AnyDraft[], read: (reader: Reader) => T): T {
  const { store, dbPath } = openTestStore()
  store.ingest.append(drafts)
  store.close()
  return reading(dbPath, read)
}

const ask = (input: Partial<ParsedInput<'receipt'>> = {}) => ({ format: 'json' as const, time_zone: 'UTC', ...input })
const prompt = promptFact('s', 'p', 'What does it cost?', 0).reports

function call(message: string, atMs: number, usage: Parameters<typeof usageOf>[0], model = 'claude-opus-5-5') {
  const [wire, line] = usageFact('s', message, naturalKey.promptId('p'), atMs, usageOf(usage), model).reports
  if (!wire || !line) throw new Error('a usage has two reports')
  return { wire, line }
}

test('every section of a receipt adds up to its total, and the kinds of tokens to its cost', () => {
  const usage = {
    input_tokens: 1_000,
    output_tokens: 2_000,
    cache_read_input_tokens: 30_000,
    cache_creation_input_tokens: 4_000,
    cache_creation_1h_input_tokens: 1_500,
    web_search_requests: 3,
  }
  const drafts = [
    ...prompt,
    call('m1', 1000, usage).wire,
    call('m2', 90_000_000, { ...usage, service_tier: 'batch' }, 'claude-sonnet-4-5').wire,
    call('m3', 3000, usage, 'claude-nobody-knows-1').wire,
  ]
  const made = readingOf(drafts, (reader) => readerHandlers.receipt(reader, ask()))
  expect(made.total).toMatchObject({ calls: 3, input_tokens: 3_000, unpriced_calls: 1 })
  for (const rows of [made.by_model, made.by_day, made.by_session, made.by_agent, made.by_tier]) {
    expect(rows.reduce((sum, { calls }) => sum + calls, 0)).toBe(3)
    expect(rows.reduce((sum, { cost_usd: cost }) => sum + cost, 0)).toBeCloseTo(made.total.cost_usd, 9)
  }
  expect(made.by_class.reduce((sum, { cost_usd: cost }) => sum + cost, 0)).toBeCloseTo(made.total.cost_usd, 9)
  expect(made.by_class.map(({ class: name, units }) => [name, units])).toEqual([
    ['input', 3_000],
    ['cache_read', 90_000],
    ['cache_write_5m', 7_500],
    ['cache_write_1h', 4_500],
    ['output', 6_000],
    ['web_search', 9],
  ])
  expect(made.by_day).toHaveLength(2)
  expect(made.by_server_tool).toMatchObject([{ tool: 'web_search', uses: 9 }])
  // $10 a thousand searches; the searches of the model without a price have no cost.
  expect(made.by_server_tool[0]?.cost_usd).toBeCloseTo(0.06, 9)
  expect(made.covered.priced_tokens_share).toBeCloseTo(2 / 3, 9)
  expect(made.gaps.join(' ')).toContain('claude-nobody-knows-1')
})

test('sessions that only hooks tell of are counted, since what they cost is unknown', () => {
  const blind = promptFact('blind', 'q', 'And this?', 0).reports
  const drafts = [...prompt, ...blind, call('m1', 1000, { input_tokens: 1, output_tokens: 2 }).wire]
  const gaps = (input: Partial<ParsedInput<'receipt'>>) =>
    readingOf(drafts, (reader) => readerHandlers.receipt(reader, ask(input)).gaps.join(' '))
  expect(gaps({})).toContain('1 session with prompts but no usage')
  expect(gaps({ session_id: 'blind' })).toContain('1 session with prompts')
  for (const input of [{ session_id: 's' }, { since: '2099-01-01T00:00:00.000Z' }])
    expect(gaps(input)).not.toContain('with prompts')
})

test('each row of a receipt leads to its calls', () => {
  const usage = { input_tokens: 1_000, output_tokens: 2_000, cache_read_input_tokens: 3_000, web_search_requests: 2 }
  const drafts = [
    ...prompt,
    call('m1', 1000, usage).wire,
    call('m2', 90_000_000, { ...usage, web_search_requests: 0, service_tier: 'batch' }, 'claude-sonnet-4-5').wire,
    call('m3', 3000, { input_tokens: 1, output_tokens: 1 }, 'claude-nobody-knows-1').wire,
  ]
  readingOf(drafts, (reader) => {
    const made = readerHandlers.receipt(reader, ask())
    const callsOf = (row: Partial<ParsedInput<'receipt.calls'>>) =>
      readerHandlers['receipt.calls'](reader, { time_zone: 'UTC', limit: 50, ...row })
    const rows = [
      ...made.by_model.map((sum) => [sum, callsOf({ model: sum.model })] as const),
      ...made.by_day.map((sum) => [sum, callsOf({ day: sum.day })] as const),
      ...made.by_session.map((sum) => [sum, callsOf({ session_id: sum.session_id })] as const),
      ...made.by_agent.map((sum) => [sum, callsOf({ agent: sum.agent_id ?? 'main' })] as const),
      ...made.by_tier.map(
        (sum) => [sum, callsOf({ service_tier: sum.service_tier ?? 'none', speed: sum.speed ?? 'none' })] as const,
      ),
    ]
    expect(rows).toHaveLength(3 + 2 + 1 + 1 + 2)
    for (const [sum, found] of rows) {
      expect(found).toMatchObject({ calls: sum.calls, unpriced_calls: sum.unpriced_calls })
      expect(found.items).toHaveLength(sum.calls)
      expect(found.cost_usd).toBeCloseTo(sum.cost_usd, 9)
    }
    expect(
      callsOf({ class: 'cache_read' })
        .items.map(({ model }) => model)
        .toSorted(),
    ).toEqual(['claude-opus-5-5', 'claude-sonnet-4-5'])
    expect(callsOf({ server_tool: 'web_search', class: 'output' })).toMatchObject({ calls: 1 })
    expect(callsOf({ day: '2020-01-01' })).toMatchObject({ calls: 0, items: [] })
    const [first, ...more] = callsOf({ limit: 1 }).items
    expect(more).toEqual([])
    expect(first).toMatchObject({ model: 'claude-opus-5-5', session_id: 's', exchange: null, web_searches: 2 })
    expect(() => callsOf({ session_id: 'nowhere' })).toThrow('nowhere')
    expect(() => callsOf({ time_zone: 'Mars/Olympus' })).toThrow('time_zone')
  })
})

test('answers without usage are a gap, whether they name none or a figure of nothing', async () => {
  const { store, dbPath } = openTestStore()
  const record = createTimedExchanges(store)
  const usage = { input_tokens: 10, output_tokens: 5 }
  const body = { model: 'claude-opus-5-5', max_tokens: 9, messages: [{ role: 'user', content: 'Begin.' }] }
  const answer = { type: 'message', role: 'assistant', model: body.model, content: [], stop_reason: 'end_turn' }
  const send = (session: string, minute: number, more: Partial<TimedExchange>) =>
    record({ wall: Date.parse('2026-11-20T08:00:00Z') + minute * 60_000, session, body, answer, ...more })
  await send('s', 1, { answer: { ...answer, id: 'm1', usage } })
  await send('s', 2, { answer: { ...answer, id: 'm2' } })
  await send('s', 3, { answer: { ...answer, id: 'm3', usage: { input_tokens: 0, output_tokens: 0 } } })
  await send('other', 4, { answer: { ...answer, id: 'm4', usage: null } })
  const noId = { ...answer, usage }
  await send('other', 5, { answer: noId })
  await send('other', 6, { path: '/v1/messages/count_tokens', answer: { input_tokens: 10 } })
  await send('other', 7, { status: 400, answer: { type: 'error', error: { type: 'invalid_request_error' } } })
  const responses = { object: 'response', status: 'completed', model: 'gpt-5.5', output: [] }
  const codex = { path: '/openai/v1/responses', body: { model: 'gpt-5.5', input: 'Begin.' } }
  await send('other', 8, { ...codex, answer: { ...responses, id: 'resp_1' } })
  await send('other', 9, { ...codex, answer: { ...responses, id: 'resp_2', usage: { ...usage, total_tokens: 15 } } })
  reading(dbPath, (reader) => {
    const gap = (input: Parameters<typeof ask>[0]) =>
      readerHandlers.receipt(reader, ask(input)).gaps.find((text) => text.includes('reported no usage'))
    expect(gap({})).toBe('4 requests reported no usage and cost nothing here.')
    expect(gap({ session_id: 's' })).toBe('2 requests reported no usage and cost nothing here.')
    expect(gap({ since: '2026-11-20T08:04:00.000Z', until: '2026-11-20T08:05:00.000Z' })).toMatch(/^1 request /)
    expect(gap({ since: '2026-11-20T08:05:00.000Z', until: '2026-11-20T08:08:00.000Z' })).toBeUndefined()
  })
  store.close()
})

test('a comparison explains each difference, and its reasons add up', () => {
  const usage = {
    input_tokens: 100_000,
    output_tokens: 1_000,
    cache_read_input_tokens: 0,
    cache_creation_input_tokens: 0,
  }
  const both = call('m1', 1000, usage)
  const title = call('m2', 2000, usage)
  const hour = call(
    'm3',
    3000,
    {
      input_tokens: 0,
      output_tokens: 40,
      cache_creation_input_tokens: 100_000,
      cache_creation_1h_input_tokens: 100_000,
    },
    'claude-sonnet-4-5',
  )
  const day = both.wire.ts_wall.slice(0, 10)
  const drafts = [...prompt, both.wire, both.line, title.wire, hour.wire, hour.line]
  const row = (modelName: string, cost: number, more: object) => ({
    modelName,
    inputTokens: 0,
    outputTokens: 0,
    cacheReadTokens: 0,
    cacheCreationTokens: 0,
    cost,
    ...more,
  })
  const breakdowns = (opus: number, extra: number) => [
    row('claude-opus-5-5', opus, { inputTokens: 100_000 + extra, outputTokens: 1 }),
    // $3.75 a million: the price of a write for five minutes. The line holds one token of output, at $15 a million.
    row('claude-sonnet-4-5-20250929', 0.375015, { cacheCreationTokens: 100_000, outputTokens: 1 }),
  ]
  const compare = (json: { [name: string]: unknown }) =>
    readingOf(drafts, (reader) => readerHandlers.receipt(reader, ask({ compare: json })).comparison ?? [])
  const price = readingOf(
    drafts,
    (reader) =>
      reader.pricing.price('claude-opus-5-5', usageOf({ ...usage, output_tokens: 1 }), both.wire.ts_wall) ?? 0,
  )
  const versions = [
    { daily: [{ date: day, modelBreakdowns: breakdowns(price, 0) }] },
    { daily: [{ period: day, agent: 'all', modelBreakdowns: breakdowns(price, 0) }] },
    { monthly: [{ month: day.slice(0, 7), modelBreakdowns: breakdowns(price, 0) }] },
    { session: [{ period: 's', modelBreakdowns: breakdowns(price, 0) }] },
  ]
  for (const json of versions) {
    const rows = compare(json)
    const kinds = Object.fromEntries(rows.map(({ model, reasons }) => [model, reasons.map(({ kind }) => kind)]))
    expect(kinds).toEqual({
      'claude-opus-5-5': ['only_wire', 'lower_in_transcript'],
      'claude-sonnet-4-5': ['lower_in_transcript', 'priced_differently'],
    })
    expect(rows.find(({ model }) => model === 'claude-sonnet-4-5')?.reasons[1]?.text).toContain(
      'one-hour cache writes are priced as five-minute ones',
    )
    for (const { reasons, difference_usd: usd, difference_tokens: tokens } of rows) {
      expect(reasons.reduce((sum, reason) => sum + reason.usd, 0)).toBeCloseTo(usd, 9)
      expect(reasons.reduce((sum, reason) => sum + reason.tokens, 0)).toBe(tokens)
    }
  }
  const more = compare({ daily: [{ date: day, modelBreakdowns: breakdowns(price + 1, 50) }] })
  const opus = more.find(({ model }) => model === 'claude-opus-5-5')
  expect(opus?.reasons.map(({ kind }) => kind)).toEqual(['only_wire', 'lower_in_transcript', 'not_recorded'])
  expect(opus?.reasons[2]?.tokens).toBe(50)
  expect(() => compare({})).toThrow('ccusage daily --json')
})

test.each([
  ['no transcript is imported', 'all'],
  ['the transcript of an agent is not imported', 'agent'],
] as const)('a comparison calls nothing unrecorded that the wire has: %s', (_, missing) => {
  const usage = { input_tokens: 100_000, output_tokens: 1_000 }
  const [main, other, title] = [call('m1', 1000, usage), call('m2', 2000, usage), call('m3', 3000, usage)]
  const ofAgent = <Draft extends object>(draft: Draft) => ({ ...draft, agent_id: 'a1' })
  const drafts =
    missing === 'all'
      ? [...prompt, main.wire, other.wire, title.wire]
      : [...prompt, main.wire, main.line, ofAgent(other.wire), ofAgent(title.wire)]
  const day = main.wire.ts_wall.slice(0, 10)
  // The first call's line has one token of output. The third has none: it asked for a title.
  const counts = { inputTokens: 200_000, outputTokens: missing === 'all' ? 2000 : 1001, cacheReadTokens: 0 }
  const modelBreakdowns = [{ modelName: 'claude-opus-5-5', ...counts, cacheCreationTokens: 0, cost: 0.84 }]
  const [row] = readingOf(drafts, (reader) => {
    const json = { daily: [{ date: day, modelBreakdowns }] }
    return readerHandlers.receipt(reader, ask({ compare: json })).comparison ?? []
  })
  expect(row?.reasons.map(({ kind }) => kind)).toEqual(
    missing === 'all' ? ['only_wire'] : ['lower_in_transcript', 'only_wire'],
  )
  expect(row?.reasons.at(-1)).toMatchObject({ tokens: -101_000, text: expect.stringContaining('not imported') })
  expect(row?.reasons.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(row?.difference_tokens)
})

describe('the shapes of ccusage', () => {
  // As versions 18.0.11 and 20.0.24 print them.
  const own = { inputTokens: 100_000, outputTokens: 1, cacheReadTokens: 0, cacheCreationTokens: 0, cost: 0.5 }
  const models = { modelBreakdowns: [{ modelName: 'claude-opus-4-5-20251101', ...own }] }
  const counts = { inputTokens: 100_000, outputTokens: 1, cacheReadInputTokens: 0, cacheCreationInputTokens: 0 }
  const usage = { input_tokens: 100_000, output_tokens: 1 }
  const { wire, line } = call('m1', 1000, usage, 'claude-opus-4-5-20251101')
  const sent = { ...wire, ts_wall: '2026-11-18T10:00:01.000Z', project: '/home/ada/orbit.ts' }
  const drafts = [...prompt.map((draft) => ({ ...draft, project: '/home/ada/orbit.ts' })), sent, line]
  const block = { startTime: '2026-11-18T10:00:00.000Z', endTime: '2026-11-18T15:00:00.000Z', costUSD: 0.5 }
  const compare = (json: { [name: string]: unknown }) =>
    readingOf(drafts, (reader) => readerHandlers.receipt(reader, ask({ compare: json })).comparison ?? [])

  test.each([
    ['a week that begins on Sunday', { weekly: [{ week: '2026-11-15', ...models }] }, '2026-11-15'],
    ['a week that begins on Monday', { weekly: [{ period: '2026-11-16', ...models }] }, '2026-11-16'],
    ['the sessions of a folder', { sessions: [{ sessionId: '-home-ada-orbit-ts', ...models }] }, '-home-ada-orbit-ts'],
    [
      'the days of a project',
      { projects: { '-home-ada-orbit-ts': [{ date: '2026-11-18', ...models }] } },
      '2026-11-18 in -home-ada-orbit-ts',
    ],
    ['a session', { session: [{ period: 's', agent: 'claude', ...models }] }, 's'],
    ['a block', { blocks: [{ ...block, isGap: false, tokenCounts: counts }] }, block.startTime],
  ])('%s is compared with its calls', (_name, json, period) => {
    const rows = compare(json)
    expect(rows.map((row) => [row.period, row.difference_tokens])).toEqual([[period, 0]])
    // $5 a million tokens, and $25 for output.
    expect(rows[0]?.ours.cost_usd).toBeCloseTo(0.500025, 9)
    expect(rows[0]?.reasons.map(({ kind }) => kind)).toEqual(['priced_differently'])
  })

  test('sums of doubles in another order are no difference', () => {
    const modelBreakdowns = models.modelBreakdowns.map((row) => ({ ...row, cost: 0.500025 + 3e-13 }))
    expect(compare({ daily: [{ date: '2026-11-18', modelBreakdowns }] })).toMatchObject([
      { difference_usd: 0, difference_tokens: 0, reasons: [] },
    ])
  })

  test('calls outside of all blocks are a row, and a gap is none', () => {
    const gap = { ...block, startTime: '2026-11-01T10:00:00Z', endTime: '2026-11-01T15:00:00Z', isGap: true }
    expect(compare({ blocks: [{ ...gap, tokenCounts: counts }] }).map(({ period }) => period)).toEqual([
      'outside of all blocks',
    ])
  })

  test('what ccusage does not print is refused, with its place', () => {
    const refused: readonly (readonly [{ [name: string]: unknown }, RegExp])[] = [
      [{ daily: [{ date: '2026-11-20' }] }, /daily\[0\]\.modelBreakdowns/],
      [{ daily: [7] }, /daily\[0\]/],
      [{ daily: [{ date: 20, modelBreakdowns: [] }] }, /daily\[0\]: no date or period/],
      [{ daily: [{ date: 'x', modelBreakdowns: [{ modelName: 'm', ...own, cost: -1 }] }] }, /modelBreakdowns\.0\.cost/],
      [{ monthly: [{ month: 'x', modelBreakdowns: [{ ...own }] }] }, /modelName/],
      [{ weekly: [{ week: 'soon', ...models }] }, /"soon" is not a date/],
      [{ blocks: [{ ...block, endTime: 'later', tokenCounts: counts }] }, /blocks\[0\]\.endTime/],
      [{ blocks: Array.from({ length: 20_001 }, () => ({})) }, /20001 rows/],
      [{ daily: null }, /ccusage daily --json/],
      [{ projects: { '-home-ada': { date: '2026-11-18' } } }, /projects\.-home-ada: not a list/],
      [{ projects: { '-home-ada': [{ date: '2026-11-18' }] } }, /projects\.-home-ada\[0\]\.modelBreakdowns/],
      [{ projects: [] }, /ccusage daily --json/],
    ]
    readingOf(drafts, (reader) => {
      for (const [json, message] of refused)
        expect(() => readerHandlers.receipt(reader, ask({ compare: json }))).toThrow(message)
    })
  })
})

test.each(['=', '+', '-', '@', '\t'])('a name that begins with %j is not a formula in CSV', (sign) => {
  const drafts = [...prompt, call('m1', 1000, { input_tokens: 5 }, `${sign}1+1`).wire]
  readingOf(drafts, (reader) => {
    const csv = readerHandlers.receipt(reader, ask({ format: 'csv' })).document ?? ''
    expect(csv).toContain(`\r\nmodel,'${sign}1+1,`)
    expect(csv).not.toContain(`,${sign}1+1,`)
  })
})

test('CSV and the printable page are safe to open, whatever a model is called', () => {
  const evil = '=cmd|"<script>alert(1)</script>'
  const drafts = [...prompt, call('m1', 1000, { input_tokens: 5 }, evil).wire]
  readingOf(drafts, (reader) => {
    const csv = readerHandlers.receipt(reader, ask({ format: 'csv' })).document ?? ''
    expect(csv.split('\r\n')[0]).toBe(
      'section,name,detail,calls,input_tokens,cache_read_tokens,cache_write_tokens,output_tokens,cost_usd,unpriced_calls',
    )
    expect(csv).toContain(`"'=cmd|""<script>alert(1)</script>"`)
    const page = readerHandlers.receipt(reader, ask({ format: 'html' })).document ?? ''
    expect(page).toContain('&lt;script&gt;alert(1)')
    expect(page).not.toContain('<script')
  })
})

test('an empty history has an empty receipt, and an unknown time zone is refused', () => {
  const made = readingOf([], (reader) => readerHandlers.receipt(reader, ask()))
  expect(made.total.calls).toBe(0)
  expect(made.covered).toEqual({ priced_tokens_share: null, measured_usd_share: null, transcript_only_calls: 0 })
  expect(() => readingOf([], (reader) => readerHandlers.receipt(reader, ask({ time_zone: 'Mars/Olympus' })))).toThrow(
    'time_zone',
  )
})
