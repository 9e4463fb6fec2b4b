import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ask } from '../../support/app/ask.ts'
import { heavily } from '../../support/runner/heavy.ts'
import { startMessagesUpstream, type MessagesUpstream } from '../../support/upstream/messages-upstream.ts'
import { readPrometheusText, type Family } from '../../support/app/prometheus-text.ts'
import { startApp, type TestApp } from '../../support/app/start-app.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'
import { until } from '../../support/runner/until.ts'

const ROOT = join(import.meta.dirname, '../../..')
let upstream: MessagesUpstream
beforeAll(async () => {
  upstream = await startMessagesUpstream(() => ({
    steps: [{ thinking: 'hm' }, { text: 'an answer' }],
    usage: { input_tokens: 100, output_tokens: 20, cache_read_input_tokens: 7, cache_creation_5m: 3 },
    headers: {
      'anthropic-ratelimit-unified-status': 'allowed',
      'anthropic-ratelimit-unified-5h-utilization': '0.25',
      'anthropic-ratelimit-unified-5h-reset': '1795300000',
      'anthropic-ratelimit-requests-remaining': '3999',
    },
  }))
})
afterAll(() => upstream.close())

const keyOf = (app: TestApp) => readFileSync(join(app.data, 'metrics'), 'utf8').trim()

function get(app: TestApp, key: string | null): Promise<Response> {
  return fetch(`${app.app}/metrics`, { headers: key === null ? {} : { authorization: `Bearer ${key}` } })
}

async function scrape(app: TestApp): Promise<ReadonlyMap<string, Family>> {
  const response = await get(app, keyOf(app))
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  return readPrometheusText(await response.text())
}

const value = (page: ReadonlyMap<string, Family>, name: string, labels: Readonly<Record<string, string>> = {}) =>
  [...page.values()]
    .flatMap(({ samples }) => samples)
    .find((one) => one.name === name && Object.entries(labels).every(([label, said]) => one.labels[label] === said))
    ?.value

/** Sends prompts and waits until the main thread has the recorder's count of their responses. */
async function askAll(app: TestApp, prompts: readonly { prompt: string; model?: string; session?: string }[]) {
  for (const prompt of prompts) await (await ask(app.proxy, prompt)).text()
  await until('all is counted', async () => {
    const responses = (await scrape(app)).get('aspy_responses_total')?.samples ?? []
    return responses.reduce((sum, one) => sum + one.value, 0) >= prompts.length
  })
}

test('a strict parser accepts the page, and traffic is counted by model, kind and type', async () => {
  await using app = await startApp({ upstream: upstream.url })
  await askAll(app, [
    { prompt: 'one', session: 'a' },
    { prompt: 'two', session: 'b' },
    { prompt: 'three', session: 'b', model: 'claude-haiku-5-5' },
  ])
  const page = await scrape(app)
  const model = 'claude-sonnet-5-5'
  expect(value(page, 'aspy_tokens_total', { model, type: 'input' })).toBe(200)
  expect(value(page, 'aspy_tokens_total', { model, type: 'output' })).toBe(40)
  expect(value(page, 'aspy_tokens_total', { model, type: 'cache_read' })).toBe(14)
  expect(value(page, 'aspy_tokens_total', { model, type: 'cache_creation' })).toBe(6)
  expect(value(page, 'aspy_responses_total', { model, status: '200' })).toBe(2)
  expect(value(page, 'aspy_request_duration_seconds_count', { model })).toBe(2)
  expect(value(page, 'aspy_time_to_first_token_seconds_count', { model })).toBe(2)
  expect(value(page, 'aspy_events_total', { kind: 'user_prompt' })).toBe(3)
  expect(value(page, 'aspy_sessions_active')).toBe(2)
  expect(value(page, 'aspy_events_dropped_total', { reason: 'queue_full' })).toBe(0)
  expect(value(page, 'aspy_limit_used_ratio', { limit: '5h' })).toBe(0.25)
  expect(value(page, 'aspy_limit_reset_time_seconds', { limit: '5h' })).toBe(1_795_300_000)
  expect(value(page, 'aspy_limit_remaining', { limit: 'requests' })).toBe(3999)
  expect(page.get('aspy_limit_used_ratio')?.samples[0]?.labels['account']).toMatch(/^[0-9a-f]{8}-[0-9a-f]{8}$/)
  expect(value(page, 'aspy_up')).toBe(1)
  expect(value(page, 'aspy_sink_up', { sink: 'session_log' })).toBe(1)
  const cost = page.get('aspy_cost_usd_total')?.samples.reduce((sum, one) => sum + one.value, 0)
  const { total_cost_usd, total_tokens } = await app.call<Record<string, number>>('stats.summary')
  expect(cost).toBeCloseTo(total_cost_usd ?? 0, 9)
  expect(page.get('aspy_tokens_total')?.samples.reduce((sum, one) => sum + one.value, 0)).toBe(total_tokens)
})

test('the metrics key opens only this page, which requires a key', async () => {
  await using app = await startApp({ upstream: upstream.url })
  const key = (name: string) => readFileSync(join(app.data, name), 'utf8').trim()
  const statuses = await Promise.all(
    [null, 'wrong', key('hooks'), key('mcp')].map(async (one) => (await get(app, one)).status),
  )
  expect(statuses).toEqual([401, 401, 403, 403])
  expect([(await get(app, key('metrics'))).status, (await get(app, key('token'))).status]).toEqual([200, 200])
  const headers = { authorization: `Bearer ${key('metrics')}`, 'content-type': 'application/json' }
  for (const [method, path] of [
    ['GET', '/api/events'],
    ['POST', '/api/sessions.delete'],
    ['POST', '/mcp'],
    ['GET', '/api/openapi.json'],
  ] as const) {
    const body = method === 'POST' ? { body: '{"session_id":"a"}' } : {}
    expect((await fetch(`${app.app}${path}`, { method, headers, ...body })).status).toBe(403)
  }
  await app.call('config.set', { key: 'metrics.enabled', value: false })
  expect((await get(app, key('metrics'))).status).toBe(404)
})

test('names from outside can neither break the page nor make it grow without limit', async () => {
  await using app = await startApp({ upstream: upstream.url })
  const hostile = ['a"} 1\nevil_total 5\n#', '\\', 'x'.repeat(5000), '{}', 'ünïcode', '__proto__', 'constructor', '']
  const many = Array.from({ length: 60 }, (_, at) => `model-${at}`)
  await askAll(
    app,
    [...hostile, ...many].map((model) => ({ prompt: 'hello', model })),
  )
  const page = await scrape(app)
  expect(page.has('evil_total')).toBe(false)
  const models = new Set(page.get('aspy_responses_total')?.samples.map(({ labels }) => labels['model']))
  expect(models.size).toBeLessThanOrEqual(41)
  expect(models).toContain('other')
  const total = page.get('aspy_responses_total')?.samples.reduce((sum, one) => sum + one.value, 0)
  expect(total).toBe(hostile.length + many.length)
})

test('drops are counted by reason', async () => {
  await using app = await startApp({ upstream: upstream.url, settings: { 'filter.drop_kinds': ['thinking'] } })
  await askAll(app, [{ prompt: 'one' }])
  const page = await scrape(app)
  expect(value(page, 'aspy_events_dropped_total', { reason: 'filtered' })).toBe(1)
  expect(page.get('aspy_events_total')?.samples.map(({ labels }) => labels['kind'])).not.toContain('thinking')
})

heavily(test)('counters continue when the recorder is replaced', async () => {
  await using app = await startApp({ upstream: upstream.url })
  await askAll(app, [{ prompt: 'one' }])
  const before = value(await scrape(app), 'aspy_events_total', { kind: 'user_prompt' })
  await app.call('config.set', { key: 'lifestats.max_prompt_size', value: 500_000 })
  await app.recorderRuns()
  await askAll(app, [{ prompt: 'two' }, { prompt: 'three' }])
  expect(before).toBe(1)
  const prompts = async () => value(await scrape(app), 'aspy_events_total', { kind: 'user_prompt' })
  await until('all three are counted', async () => (await prompts()) === 3)
})

test('the dashboard uses only existing metrics, and the docs name all of them', async () => {
  await using app = await startApp({ upstream: upstream.url })
  const page = await scrape(app)
  const names = (text: string) => new Set(text.match(/aspy_[a-z_]+/g)?.map((name) => name.replace(/_bucket$/, '')))
  const dashboard = JSON.parse(readFileSync(join(ROOT, 'resources/grafana/aspy.json'), 'utf8')) as {
    panels: { id: number; targets?: { expr: string }[] }[]
  }
  const asked = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
  expect(asked.length).toBeGreaterThan(25)
  expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length)
  for (const name of names(asked.join(' '))) expect([...page.keys()]).toContain(name)
  const docs = readFileSync(join(ROOT, 'docs/sinks.md'), 'utf8')
  for (const name of names(docs)) expect([...page.keys()]).toContain(name)
})

test('prom-client is not loaded before the first scrape', () => {
  using folder = makeTempFolder()
  const script = join(folder.path, 'look.mjs')
  writeFileSync(
    script,
    `import { registerHooks } from 'node:module'
     const loaded = []
     registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context) } })
     const { createMetrics } = await import(${JSON.stringify(join(ROOT, 'src/main/sinks/host/sinks.ts'))}).then(() =>
       import(${JSON.stringify(join(ROOT, 'src/main/sinks/host/metrics.ts'))}))
     console.log(JSON.stringify([typeof createMetrics, loaded.some((url) => /prom-client|opentelemetry/.test(url))]))`,
  )
  expect(JSON.parse(execFileSync(process.execPath, [script], { encoding: 'utf8' }))).toEqual(['function', false])
})
