import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { type Arbitrary, array, boolean, constantFrom, integer, record, sample } from 'fast-check'
import { expect, test } from 'vitest'
import { naturalKey, type AnyDraft } from '../../../src/main/decode/draft.ts'
import { aspy } from '../../support/app/aspy-command.ts'
import { startApp } from '../../support/app/start-app.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'
import { readStore } from '../../support/store/folder.ts'
import { usageOf } from '../../support/store/history.ts'
import { draftOf, fillStore } from '../../support/store/seeded-store.ts'

/** What was spent is one figure, whoever is asked and however it is split. */

const START = Date.UTC(2026, 9, 28, 22, 7)
const count = integer({ min: 0, max: 90_000 })
const call = record({
  session: constantFrom('s1', 's2', 's3'),
  agent: constantFrom(null, null, 'a1'),
  model: constantFrom('claude-opus-5-5', 'claude-sonnet-4-5', 'claude-haiku-4-5', 'nobody-knows-1'),
  minutes: integer({ min: 0, max: 12_000 }),
  input: count,
  output: count,
  read: count,
  written: count,
  searches: integer({ min: 0, max: 2 }),
  isCut: boolean(),
})
type Call = typeof call extends Arbitrary<infer T> ? T : never

const PROJECTS: { readonly [session: string]: string } = { s1: '/work/app', s2: '/work/app/web', s3: '/work/other' }

function draftsOf(calls: readonly Call[]): AnyDraft[] {
  const sorted = calls.toSorted((a, b) => a.minutes - b.minutes)
  return sorted.flatMap(({ session, agent, model, minutes, input, output, read, written, searches, isCut }, at) => {
    const when = (second: number) => new Date(START + minutes * 60_000 + second * 1000).toISOString()
    const own = { session_id: session, project: PROJECTS[session] ?? null, agent_id: agent }
    const usage = usageOf({
      input_tokens: input,
      output_tokens: output,
      cache_read_input_tokens: read,
      cache_creation_input_tokens: written,
      cache_creation_1h_input_tokens: Math.floor(written / 2),
      web_search_requests: searches,
    })
    const draft = (size: number, basis: 'measured' | 'lower_bound', second: number) => {
      const counted = { ...usage, output_tokens: Math.floor(output * size) }
      return draftOf(
        'api_usage',
        { message_id: `m${at}`, model, usage: counted, request_kind: 'prompt', basis, ttft_ms: null },
        { ...own, at: when(second), keys: [naturalKey.usage(`m${at}`)], sighting: { usage: counted, basis, model } },
      )
    }
    const prompt = draftOf('user_prompt', { text: `prompt ${at}` }, { ...own, at: when(0), keys: [`p${at}`] })
    // Half of the answers are reported twice: as far as they had come, and whole.
    return [
      ...(agent === null ? [prompt] : []),
      ...(isCut ? [draft(0.5, 'lower_bound', 5)] : []),
      draft(1, 'measured', 9),
    ]
  })
}

interface Line {
  readonly cost_usd?: number | null
  readonly total_cost_usd?: number
}
const sum = (lines: readonly Line[]) =>
  lines.reduce((total, line) => total + (line.cost_usd ?? line.total_cost_usd ?? 0), 0)

test.each(sample(array(call, { minLength: 12, maxLength: 60 }), 2).map((calls, at) => [at, calls] as const))(
  'of random history %i, every surface and every split tells one cost',
  async (_, calls) => {
    using folder = makeTempFolder()
    const path = fillStore(folder.path, draftsOf(calls))
    const logged = readStore(path, (db) => {
      const figure = (sql: string) => Number(db.prepare(sql).pluck().get())
      return {
        usage: figure('SELECT sum(cost_usd) FROM api_usage'),
        sessions: figure('SELECT sum(total_cost_usd) FROM sessions'),
        turns: figure('SELECT sum(cost_usd) FROM turns'),
      }
    })
    await using app = await startApp({ upstream: 'http://127.0.0.1:9', dataDir: folder.path })
    await app.recorderRuns()
    const ask = <T extends object>(name: string, input: object = {}) => app.call<T>(name, input)
    type Lists = { readonly [field: string]: readonly Line[] }
    const summary = await ask<Lists & { total_cost_usd: number }>('stats.summary')
    const receipt = await ask<Lists & { total: { cost_usd: number } }>('receipt')
    const breakdown = await ask<Lists>('costs.breakdown', { limit: 200 })
    const analytics = await ask<{ totals: { cost_usd: number }; by_model: readonly Line[] }>('stats.analytics')
    const listed = await ask<{ items: readonly (Line & { id: string })[] }>('sessions.list', { limit: 100 })
    const span = { since: '2026-01-01T00:00:00.000Z', until: '2027-01-01T00:00:00.000Z' }
    const spent = await ask<{ items: readonly Line[] }>('costs.spent', { spans: [span] })
    const of = (lists: Lists, ...fields: readonly string[]) =>
      fields.map((field) => [field, sum(lists[field] ?? [])] as const)
    const series = await Promise.all(
      ['hour', 'day', 'week', 'month'].map(async (bucket) => {
        const { items } = await ask<{ items: readonly Line[] }>('costs.series', { bucket, utc_offset_minutes: 330 })
        return [bucket, sum(items)] as const
      }),
    )
    for (const { id, total_cost_usd: total } of listed.items) {
      const own = await ask<Lists & { total: Line }>('receipt', { session_id: id })
      expect(own.total.cost_usd, id).toBeCloseTo(total ?? Number.NaN, 9)
      expect((await ask<Line>('sessions.get', { session_id: id })).total_cost_usd, id).toBeCloseTo(
        total ?? Number.NaN,
        9,
      )
    }

    const key = readFileSync(join(folder.path, 'token'), 'utf8').trim()
    const http = await fetch(`${app.app}/api/lifestats/summary`, { headers: { authorization: `Bearer ${key}` } })
    const overHttp = (await http.json()) as Line
    const said = async (...args: string[]) =>
      JSON.parse((await aspy([...args, '--json', '--data', folder.path])).stdout) as Lists & {
        readonly total: Line
      } & Line
    await using mcp = await connected(app.app, folder.path)
    const tool = await mcp.client.callTool({ name: 'aspy_lifetime_stats', arguments: {} })

    const figures = Object.fromEntries([
      ...Object.entries(logged),
      ['summary', summary.total_cost_usd],
      ...of(summary, 'by_model', 'by_client'),
      ['receipt', receipt.total.cost_usd],
      ...of(receipt, 'by_model', 'by_day', 'by_session', 'by_agent', 'by_class', 'by_tier').map(
        ([name, figure]) => [`receipt ${name}`, figure] as const,
      ),
      ...of(breakdown, 'by_project', 'by_session', 'by_client').map(
        ([name, figure]) => [`breakdown ${name}`, figure] as const,
      ),
      ['analytics', analytics.totals.cost_usd],
      ['analytics by model', sum(analytics.by_model)],
      ['sessions.list', sum(listed.items)],
      ['costs.spent', sum(spent.items)],
      ...series,
      ['HTTP', overHttp.total_cost_usd],
      ['aspy stats', (await said('stats')).total_cost_usd],
      ['aspy receipt', (await said('receipt')).total.cost_usd],
      ['MCP', (tool.structuredContent as Line | undefined)?.total_cost_usd],
    ])
    for (const [name, figure] of Object.entries(figures)) expect(figure, name).toBeCloseTo(logged.usage, 9)
  },
)

async function connected(address: string, dataDir: string) {
  const client = new Client({ name: 'one-cost', version: '1' })
  const bearer = readFileSync(join(dataDir, 'mcp'), 'utf8').trim()
  const headers = { authorization: `Bearer ${bearer}` }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${address}/mcp`), { requestInit: { headers } }))
  return { client, [Symbol.asyncDispose]: () => client.close() }
}
