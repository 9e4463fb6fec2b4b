import { limitsInForce } from '../../../src/renderer/lib/limits.ts'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { expect, test } from 'vitest'
import type { OperationInput, OperationName, OperationOutput } from '../../../src/shared/contract/index.ts'
import { statusLine } from '../../../src/main/clients/claude-code/status-line.ts'
import { formatCost, formatShare } from '../../../src/renderer/lib/format.ts'
import { aspyHere } from '../../support/app/aspy-here.ts'
import { startApp, type TestApp } from '../../support/app/start-app.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'
import { recordedRuns } from '../../../src/main/decode/fixtures/recorded-runs.ts'
import { copyOfStore, HASH_KEY, openTestStore, readStore } from '../../support/store/folder.ts'
import { liveDrafts, storeOf, transcriptDrafts } from '../../support/store/recorded-stores.ts'
import { importInto } from '../../support/transcripts/import-folder.ts'
import { createTimedExchanges } from '../../support/recorder/timed-exchanges.ts'
import { bodyOf, continueConversation, newConversation } from '../../support/upstream/planted-misses.ts'
import { seeded, usageFact, usageOf } from '../../support/store/history.ts'
import { reading } from '../../support/store/reading.ts'
import { analytics } from '../../../src/main/operations/reader/stats.ts'
import { readSummary } from '../../../src/main/store/read/rollups.ts'

/** A figure that several surfaces show is the same on all of them. */

/** The cost and tokens of each day of a zone, from those who are asked for a day and those who list days. */
async function figuresOfDays({ ask, cli }: Doors, tz: string): Promise<Figures> {
  const { by_day: listed } = await ask('receipt', { tz })
  const days = await Promise.all(
    listed.map(async ({ day, cost_usd, calls, ...line }) => {
      const span = { since: day, until: day, tz }
      const [summary, own, series, breakdown, analytics, rows] = await Promise.all([
        ask('stats.summary', span),
        ask('receipt', span),
        ask('costs.series', span),
        ask('costs.breakdown', { ...span, limit: 200 }),
        cli<{ total: { cost_usd: number; calls: number } }>('receipt', '--since', day, '--until', day, '--tz', tz),
        ask('receipt.calls', { day, tz, limit: 100 }),
      ])
      const usd = {
        listed: cost_usd,
        summary: summary.total_cost_usd,
        receipt: own.total.cost_usd,
        series: sum(series.items, (row) => row.cost_usd),
        breakdown: sum(breakdown.by_project, (row) => row.cost_usd),
        'aspy receipt': analytics.total.cost_usd,
        'receipt.calls': rows.cost_usd,
      }
      const counts = {
        listed: calls,
        receipt: own.total.calls,
        summary: sum(summary.by_model, (row) => row.calls),
        series: sum(series.items, (row) => row.calls),
        'receipt.calls': rows.calls,
      }
      const tokens = {
        listed: line.input_tokens + line.output_tokens + line.cache_read_tokens + line.cache_write_tokens,
        summary: summary.total_tokens,
        breakdown: sum(breakdown.by_project, (row) => row.tokens),
      }
      return [
        [`cost of ${day} in ${tz}`, usd],
        [`calls of ${day} in ${tz}`, counts],
        [`tokens of ${day} in ${tz}`, tokens],
      ] as const
    }),
  )
  return Object.fromEntries(days.flat())
}

/** Whom to ask, all of the same store. */
interface Doors {
  ask<Name extends OperationName>(name: Name, input?: OperationInput<Name>): Promise<OperationOutput<Name>>
  http<T>(path: string): Promise<T>
  cli<T>(...args: string[]): Promise<T>
  said(...args: string[]): Promise<string>
  mcp<T>(tool: string): Promise<T>
  sql(query: string): number
  line(session: string): Promise<string>
}

const ALL = '2000-01-01T00:00:00.000Z'
const sum = <Row>(rows: readonly Row[], of: (row: Row) => number | null | undefined): number =>
  rows.reduce((total, row) => total + (of(row) ?? 0), 0)

/** Every page of a list. */
async function pages<Item>(next: (cursor?: string) => Promise<{ items: readonly Item[]; next: string | null }>) {
  const all: Item[] = []
  for (let cursor: string | undefined; ;) {
    const page = await next(cursor)
    all.push(...page.items)
    if (page.next === null) return all
    cursor = page.next
  }
}

/** The number in a text that is shown. */
const shownNumber = (text: string | undefined): number => Number(text?.replace(/[^\d.]/g, ''))

/** The figures at the head of a session's page, by name. */
async function pageOf({ ask }: Doors, session_id: string): Promise<(name: string) => number> {
  const { document = '' } = await ask('sessions.page', { session_id, format: 'html' })
  return (name) => Number(new RegExp(`<dt>${name}</dt><dd>([^<]*)`).exec(document)?.[1]?.replace(/[^\d.]/g, ''))
}

type Figures = { readonly [figure: string]: { readonly [surface: string]: number | null | undefined } }

/** Asks every figure of every surface that has it. */
async function figuresOf(doors: Doors): Promise<Figures> {
  const { ask, http, cli, said, mcp, sql, line } = doors
  const summary = await ask('stats.summary')
  const overHttp = await http<typeof summary>('/api/lifestats/summary')
  const printed = await cli<typeof summary>('stats')
  const tool = await mcp<typeof summary>('aspy_lifetime_stats')
  const receipt = await ask('receipt')
  const csv = (await ask('receipt', { format: 'csv' })).document?.split('\n') ?? []
  const analytics = await ask('stats.analytics')
  const series = await ask('costs.series')
  const breakdown = await ask('costs.breakdown', { limit: 200 })
  const sessions = await pages((cursor) => ask('sessions.list', { limit: 100, ...(cursor ? { cursor } : {}) }))
  const exported = await cli<{ items: typeof sessions }>('sessions', '--limit', '100')
  const cache = await ask('cache.summary')
  const misses = await pages((cursor) => ask('cache.list', { limit: 200, ...(cursor ? { cursor } : {}) }))
  const printedCache = await cli<typeof cache>('cache', '--summary')
  const cacheOverHttp = await http<typeof cache>('/api/lifestats/cache/summary')
  const printedReceipt = await cli<{ total: typeof receipt.total }>('receipt')
  const carry = await ask('carry.list')
  const carriedKinds = await ask('carry.list', { by: 'kind', limit: 100 })
  const printedCarry = await cli<typeof carry>('carry')
  const served = await ask('served.list', { since: ALL })
  const servedText = await said('served', '--since', ALL)
  const usage = await Promise.all(sessions.map(({ id }) => ask('sessions.usage', { session_id: id })))
  const calls = await Promise.all(sessions.map(({ id }) => ask('receipt.calls', { session_id: id, limit: 100 })))
  const onPages = sessions.filter(({ total_cost_usd: cost }) => cost >= 0.01).slice(0, 5)
  const shown = await Promise.all(onPages.map(({ id }) => pageOf(doors, id)))
  const latest = await ask('limits.latest')
  const now = await ask('limits.now')
  const limitsOverHttp = await http<typeof now>('/api/lifestats/limits')
  const printedLimits = await cli<typeof now>('limits')
  const [newest] = sessions
  const status = newest === undefined ? '' : await line(newest.id)
  const kinds = ['input', 'output', 'cache_read', 'cache_creation'] as const
  const ofReceipt = { ...receipt.total, cache_creation_tokens: receipt.total.cache_write_tokens }
  const classOf = (...names: readonly string[]) =>
    sum(
      receipt.by_class.filter((row) => names.includes(row.class)),
      (row) => row.units,
    )
  const inSql = (column: string) => sql(`SELECT coalesce(sum(${column}), 0) FROM api_usage`)
  // As the footer has it: a window that has ended is empty.
  const limit = (name: string) => {
    const window = latest.windows.find((one) => one.name === name)
    return (
      limitsInForce({ at: null, windows: window === undefined ? [] : [window] }, Date.now())[0]?.utilization ??
      (window && 0)
    )
  }
  const usedIn = (of: typeof now) => (name: string) => of.windows.find((window) => window.window === name)?.used
  const [card, cardOverHttp, printedCard] = [usedIn(now), usedIn(limitsOverHttp), usedIn(printedLimits)]
  const tokens = Object.fromEntries(
    kinds.map((kind) => [
      `${kind} tokens`,
      {
        SQL: inSql(`${kind}_tokens`),
        'costs.series': sum(series.items, (row) => row[`${kind}_tokens`]),
        'receipt total': ofReceipt[`${kind}_tokens`],
        'receipt by kind': kind === 'cache_creation' ? classOf('cache_write_5m', 'cache_write_1h') : classOf(kind),
        ...(kind === 'cache_read' ? { breakdown: breakdown.cache.read_tokens, 'cache.summary': cache.read } : {}),
        ...(kind === 'cache_creation' ? { breakdown: breakdown.cache.written_tokens } : {}),
      },
    ]),
  )
  return {
    cost: {
      SQL: inSql('cost_usd'),
      'SQL sessions': sql('SELECT total(total_cost_usd) FROM sessions'),
      'SQL turns': sql('SELECT total(cost_usd) FROM turns'),
      summary: summary.total_cost_usd,
      HTTP: overHttp.total_cost_usd,
      'aspy stats': printed.total_cost_usd,
      MCP: tool.total_cost_usd,
      receipt: receipt.total.cost_usd,
      'receipt of sessions': sum(calls, (row) => row.cost_usd),
      analytics: analytics.totals.cost_usd,
      'costs.series': sum(series.items, (row) => row.cost_usd),
      breakdown: sum(breakdown.by_project, (row) => row.cost_usd),
      'breakdown by client': sum(breakdown.by_client, (row) => row.cost_usd),
      sessions: sum(sessions, (row) => row.total_cost_usd),
      'aspy sessions': sum(exported.items, (row) => row.total_cost_usd),
      'turns of sessions': sum(
        usage.flatMap((of) => of.turns),
        (row) => row.cost_usd,
      ),
      'cache.summary': cache.cost_usd,
      'aspy cache': printedCache.cost_usd,
      'cache over HTTP': cacheOverHttp.cost_usd,
      'aspy receipt': printedReceipt.total.cost_usd,
    },
    'carried cost': {
      'carry.list': carry.total.usd,
      'by kind': sum(carriedKinds.items, (row) => row.usd),
      'aspy carry': printedCarry.total.usd,
    },
    tokens: {
      SQL: inSql('input_tokens + output_tokens + cache_read_tokens + cache_creation_tokens'),
      summary: summary.total_tokens,
      HTTP: overHttp.total_tokens,
      'aspy stats': printed.total_tokens,
      MCP: tool.total_tokens,
      analytics: analytics.totals.tokens,
      sessions: sum(sessions, (row) => row.total_tokens),
      'turns of sessions': sum(
        usage.flatMap((of) => of.turns),
        (row) => row.tokens,
      ),
      breakdown: sum(breakdown.by_project, (row) => row.tokens),
      'by client': sum(summary.by_client, (row) => row.tokens),
    },
    ...tokens,
    'carried tokens': {
      SQL: sql('SELECT coalesce(sum(input_tokens + cache_read_tokens + cache_creation_tokens), 0) FROM api_usage'),
      'carry.list': carry.total.tokens,
      'by kind': sum(carriedKinds.items, (row) => row.tokens),
      'aspy carry': printedCarry.total.tokens,
    },
    calls: {
      SQL: sql('SELECT count(*) FROM api_usage'),
      receipt: receipt.total.calls,
      'aspy receipt': printedReceipt.total.calls,
      'receipt of sessions': sum(calls, (row) => row.calls),
      analytics: analytics.totals.calls,
      'by model': sum(summary.by_model, (row) => row.calls),
      'costs.series': sum(series.items, (row) => row.calls),
      breakdown: sum(breakdown.by_project, (row) => row.calls),
      'cache.summary': cache.requests,
      'carry.list': carry.total.requests,
    },
    'unpriced calls': {
      SQL: sql('SELECT count(*) FROM api_usage WHERE cost_usd IS NULL'),
      summary: summary.unpriced_calls,
      receipt: receipt.total.unpriced_calls,
      analytics: analytics.totals.unpriced_calls,
      'costs.series': sum(series.items, (row) => row.unpriced_calls),
      sessions: sum(sessions, (row) => row.unpriced_calls),
    },
    sessions: {
      SQL: sql('SELECT count(*) FROM sessions'),
      summary: summary.total_sessions,
      'aspy stats': printed.total_sessions,
      MCP: tool.total_sessions,
      'sessions.list': sessions.length,
      'by client': sum(summary.by_client, (row) => row.sessions),
    },
    prompts: {
      SQL: sql('SELECT count(*) FROM user_prompts'),
      summary: summary.total_prompts,
      sessions: sum(sessions, (row) => row.prompts),
      'by client': sum(summary.by_client, (row) => row.prompts),
    },
    'tool calls': {
      SQL: sql('SELECT count(*) FROM tool_calls'),
      summary: summary.total_tool_calls,
      sessions: sum(sessions, (row) => row.tool_calls),
      'by tool': sum(summary.by_tool, (row) => row.calls),
      'by client': sum(summary.by_client, (row) => row.tool_calls),
    },
    'failed requests': {
      summary: summary.total_api_errors,
      sessions: sum(sessions, (row) => row.api_errors),
      'by client': sum(summary.by_client, (row) => row.api_errors),
    },
    'failed tools': {
      summary: summary.total_failed_tools,
      sessions: sum(sessions, (row) => row.failed_tools),
      'by tool': sum(summary.by_tool, (row) => row.failed),
    },
    misses: {
      SQL: sql('SELECT count(*) FROM cache_calls WHERE kind IS NOT NULL'),
      'cache.summary': sum(cache.by_cause, (row) => row.requests),
      'by project': sum(cache.by_project, (row) => row.requests),
      'by week': sum(cache.by_week, (row) => row.requests),
      'cache.list': misses.length,
      'aspy cache': sum(printedCache.by_cause, (row) => row.requests),
    },
    waste: {
      SQL: sql('SELECT total(waste_usd) FROM cache_calls'),
      'cache.summary': cache.waste_usd,
      'by cause': sum(cache.by_cause, (row) => row.waste_usd),
      'by week': sum(cache.by_week, (row) => row.waste_usd),
      'cache.list': sum(misses, (row) => row.waste_usd),
      'aspy cache': printedCache.waste_usd,
      HTTP: cacheOverHttp.waste_usd,
    },
    'cost in cents of five sessions': {
      sessions: sum(onPages, (row) => Math.round(row.total_cost_usd * 100)),
      pages: sum(shown, (page) => Math.round(page('Cost at list price') * 100)),
    },
    'tokens of five sessions': {
      sessions: sum(onPages, (row) => row.total_tokens),
      pages: sum(shown, (page) => page('Tokens')),
    },
    'prompts and tools of five sessions': {
      sessions: sum(onPages, (row) => row.prompts + row.tool_calls),
      pages: sum(shown, (page) => page('Prompts?') + page('Tool calls')),
    },
    'limit of 5 hours': {
      card: card('5h'),
      footer: limit('5h'),
      HTTP: cardOverHttp('5h'),
      'aspy limits': printedCard('5h'),
    },
    'limit of 7 days': {
      card: card('7d'),
      footer: limit('7d'),
      HTTP: cardOverHttp('7d'),
      'aspy limits': printedCard('7d'),
    },
    'limit in the status line': {
      card: shownNumber(formatShare(card('5h') ?? 0)),
      line: shownNumber(/5h ([\d.]+)%/.exec(status)?.[1] ?? '0'),
    },
    'served answers': {
      served: served.answers - served.unknown,
      combinations: sum(served.combinations, (row) => row.answers),
      'aspy served': Number(
        /in ([\d,]+) answers/.exec(servedText)?.[1]?.replaceAll(',', '') ?? served.answers - served.unknown,
      ),
    },
    'cost in cents, as shown': {
      window: Math.round(shownNumber(formatCost(summary.total_cost_usd)) * 100),
      receipt: Math.round(shownNumber(formatCost(receipt.total.cost_usd)) * 100),
      'aspy stats': Math.round(shownNumber(/\$[\d.,]+/.exec(await said('stats'))?.[0]) * 100),
    },
    'percent of the limit of 5 hours, as shown': {
      card: shownNumber(formatShare(card('5h') ?? 0)),
      footer: shownNumber(formatShare(limit('5h') ?? 0)),
      'aspy limits': shownNumber(/5h[^%\n]*?([\d.]+) ?%/.exec(await said('limits'))?.[1] ?? '0'),
    },
    csv: { total: receipt.by_model.length, lines: csv.filter((row) => row.startsWith('model,')).length },
  }
}

async function doorsOf(app: TestApp, dataDir: string) {
  const key = (file: string) => ({ authorization: `Bearer ${readFileSync(join(dataDir, file), 'utf8').trim()}` })
  const client = new Client({ name: 'one-figure', version: '1' })
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${app.app}/mcp`), { requestInit: { headers: key('mcp') } }),
  )
  const said = async (...args: string[]) => {
    const { stdout, stderr, code } = await aspyHere([...args, '--data', dataDir])
    expect(code, stderr).toBe(0)
    return stdout
  }
  const doors: Doors = {
    ask: (name, input) => app.call(name, input),
    http: async <T>(path: string) => (await (await fetch(`${app.app}${path}`, { headers: key('token') })).json()) as T,
    cli: async <T>(...args: string[]) => JSON.parse(await said(...args, '--json')) as T,
    said,
    mcp: async <T>(name: string) => (await client.callTool({ name, arguments: {} })).structuredContent as T,
    sql: (query) => readStore(join(dataDir, 'lifestats.db'), (db) => Number(db.prepare(query).pluck().get())),
    line: (session_id) =>
      statusLine({
        body: JSON.stringify({ session_id }),
        dataDir,
        baseUrl: undefined,
        signal: AbortSignal.timeout(9000),
      }),
  }
  return { doors, [Symbol.asyncDispose]: () => client.close() }
}

/** Every figure of a store, each with its surfaces. */
async function expectOne(dataDir: string, zones: readonly string[] = []): Promise<void> {
  await using app = await startApp({ upstream: 'http://127.0.0.1:9', dataDir })
  await app.recorderRuns()
  await using asked = await doorsOf(app, dataDir)
  const days = await Promise.all(zones.map((tz) => figuresOfDays(asked.doors, tz)))
  const different = Object.entries(Object.assign(await figuresOf(asked.doors), ...days) as Figures).flatMap(
    ([figure, surfaces]) => {
      const [, first] = Object.entries(surfaces)[0] ?? []
      const same = Object.values(surfaces).every(
        (value) => Math.abs((value ?? 0) - (first ?? 0)) <= 1e-9 * Math.max(1, Math.abs(first ?? 0)),
      )
      return same ? [] : [{ figure, ...surfaces }]
    },
  )
  expect(different).toEqual([])
}

/** Keeps the key of a test's store: with another one, the app takes its texts for damaged and repairs them meanwhile. */
function withKey(folder: string): string {
  writeFileSync(join(folder, 'hash.key'), HASH_KEY, { mode: 0o600 })
  return folder
}

test('of the demo, every surface tells the same figures', async () => {
  using folder = makeTempFolder()
  await (await startApp({ upstream: 'http://127.0.0.1:9', dataDir: folder.path, isDemo: true })).close()
  await expectOne(folder.path)
})

test('of imported transcripts of several clients, every surface tells the same figures', async () => {
  using folder = makeTempFolder()
  for (const name of ['transcripts', 'rollouts', 'other-clients'])
    await importInto(folder.path, [join(import.meta.dirname, '../../fixtures', name)])
  await expectOne(folder.path)
})

test('of recorded runs of the client, every surface tells the same figures', async () => {
  const runs = recordedRuns()
  const stored = storeOf(...runs.flatMap((run) => [liveDrafts(run), transcriptDrafts(run)]))
  await expectOne(withKey(copyOfStore(stored).folder))
})

/** Two accounts, agents, Codex, and answers that are refused, cut, batched, of unknown models, or with searches. */
async function oddStore(): Promise<string> {
  const { store, folder } = openTestStore()
  const record = createTimedExchanges(store)
  let [wall, id] = [Date.parse('2026-11-20T09:50:00Z'), 0]
  const CODEX = [
    ['user-agent', 'codex_exec/0.169.0 (Linux; x86_64)'],
    ['session-id', '00000000-0000-4000-8000-000000000077'],
    ['thread-id', '00000000-0000-4000-8000-000000000077'],
  ] as const
  for (let at = 0; at < 3; at += 1) {
    const random = seeded(at)
    const conversation = newConversation(random)
    const account = JSON.stringify({
      device_id: 'd',
      account_uuid: `0000000${at % 2}-0000-4000-8000-000000000000`,
      session_id: `s${at}`,
    })
    conversation.parameters = { ...conversation.parameters, metadata: { user_id: account } }
    const send = async (
      more: { usage?: object; model?: string; status?: number; agent?: string; lost?: boolean; again?: boolean } = {},
    ) => {
      id += more.again ? 0 : 1
      wall += 25 * 60_000
      const usage = {
        input_tokens: 300 + id,
        cache_read_input_tokens: 7 * id,
        cache_creation_input_tokens: 1200,
        cache_creation: { ephemeral_5m_input_tokens: 700, ephemeral_1h_input_tokens: 500 },
        output_tokens: 10 + id,
        ...more.usage,
      }
      const model = more.model ?? conversation.model
      const answer =
        more.status === undefined
          ? {
              id: `msg_${id}`,
              type: 'message',
              role: 'assistant',
              model,
              content: [{ type: 'text', text: `a${id}` }],
              stop_reason: 'end_turn',
              usage,
            }
          : { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }
      const sent = {
        wall,
        session: `session-${at}`,
        body: { ...bodyOf(conversation), model },
        betas: conversation.betas,
        answer,
        ...(more.status ? { status: more.status } : {}),
        ...(more.agent ? { agent: more.agent } : {}),
      }
      if (more.lost) await record.start(sent)
      else await record(sent)
      continueConversation(conversation, random)
    }
    await send()
    await send({ status: 529 })
    await send()
    await send({ again: true })
    await send({ lost: true })
    await send({ usage: { server_tool_use: { web_search_requests: 3, web_fetch_requests: 1 } } })
    await send({ usage: { service_tier: 'batch' } })
    await send({ model: 'my-own-model-7' })
    await send({ usage: { speed: 'fast' } })
    await send({ usage: { inference_geo: 'us' } })
    await send({ usage: { output_tokens: null } })
    await send({ agent: `a${at}` })
    await send({ agent: `a${at}`, model: 'claude-haiku-4-5' })
    wall += 60_000
    await record({
      wall,
      session: '00000000-0000-4000-8000-000000000077',
      path: '/openai/v1/responses',
      headers: CODEX,
      body: {
        model: 'gpt-5.6-sol',
        input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: `hello ${at}` }] }],
      },
      answer: {
        id: `resp_${at}`,
        object: 'response',
        status: 'completed',
        model: 'gpt-5.6-sol',
        output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'hi' }] }],
        usage: {
          input_tokens: 3000 + at,
          input_tokens_details: { cached_tokens: 1024 },
          output_tokens: 40,
          output_tokens_details: { reasoning_tokens: 7 },
        },
      },
    })
    wall += 7 * 3_600_000
  }
  store.ingest.settle()
  store.close()
  return withKey(folder)
}

test('of odd traffic, every surface tells the same figures', async () => {
  await expectOne(await oddStore(), ['Pacific/Kiritimati'])
})

test('of more calls than are read for latency, the totals are of all', () => {
  const { store, dbPath } = openTestStore()
  const models = ['claude-opus-5-5', 'claude-nobody-knows-1']
  const usage = usageOf({ input_tokens: 100, output_tokens: 10, cache_read_input_tokens: 1000 })
  for (let batch = 0; batch < 11; batch += 1) {
    const calls = Array.from({ length: 1000 }, (_, at) => batch * 1000 + at)
    const drafts = calls.map((n) => usageFact('s', `m${n}`, 'p', n * 60_000, usage, models[n % 2] ?? '').reports[0])
    store.ingest.append(drafts.filter((draft) => draft !== undefined))
  }
  store.ingest.settle()
  const { of, summary } = reading(dbPath, (reader) => ({
    of: analytics(reader, {}),
    summary: readSummary(reader, {}),
  }))
  const { total_tokens: tokens, total_cost_usd: cost, unpriced_calls: unpriced } = summary
  expect(of.totals).toMatchObject({ calls: 11_000, tokens, unpriced_calls: unpriced })
  expect(of.totals.cost_usd).toBeCloseTo(cost, 9)
  expect(of.by_model).toMatchObject(summary.by_model.map(({ cost_usd: _cost, ...row }) => row))
  expect([of.partial, unpriced]).toEqual([true, 5500])
  store.close()
})
