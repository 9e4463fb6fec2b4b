import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findClaude, runClaude } from '../support/client/claude-client.ts'
import type { AnswerUsage } from '../support/upstream/messages-answer.ts'
import { startMessagesUpstream, type MessagesUpstream } from '../support/upstream/messages-upstream.ts'
import { startApp, type TestApp } from '../support/app/start-app.ts'
import { seeded } from '../support/store/history.ts'
import { makeTempFolder } from '../support/runner/temp-folder.ts'
import { until } from '../support/runner/until.ts'
import { lacks } from '../support/runner/lacks.ts'
import { few } from '../support/runner/heavy.ts'

const MODELS = [
  'claude-opus-5-5',
  'claude-sonnet-5-5',
  'claude-haiku-5-5',
  'claude-opus-4-8',
  'claude-sonnet-4-6',
  'claude-haiku-4-5',
  'claude-fable-5-2',
  'claude-opus-4-1',
]
/** They take 200,000 tokens, the others a million. The client sends no more once an answer has filled that. */
const NARROW: ReadonlySet<string> = new Set(['claude-sonnet-4-6', 'claude-haiku-4-5'])
const CALLS = 4
const SEED = Number(process.env['ASPY_TEST_SEED'] ?? 20261121)

/** Small and large prompts, every part with its own price. */
function randomUsage(random: () => number, model: string): AnswerUsage {
  const upTo = (most: number) => Math.floor(random() * most)
  const large = NARROW.has(model) ? 50_000 : 180_000
  return {
    input_tokens: upTo(random() < 0.3 ? large : 4000),
    output_tokens: 1 + upTo(6000),
    cache_read_input_tokens: upTo(90_000),
    cache_creation_5m: upTo(9000),
    cache_creation_1h: random() < 0.5 ? upTo(9000) : 0,
    ...(random() < 0.3 ? { web_search_requests: 1 + upTo(4) } : {}),
    more: {
      ...(random() < 0.3 ? { speed: 'fast' } : {}),
      ...(random() < 0.3 ? { inference_geo: 'us' } : {}),
    },
  }
}

// Two ways to the same figure: ours from what passed, the client's from its own prices.
describe.skipIf(lacks(findClaude() !== null))(`the client's cost over random usage (seed ${SEED})`, () => {
  let upstream: MessagesUpstream
  let app: TestApp
  const random = seeded(SEED)
  const requestsOf = new Map<string, number>()

  beforeAll(async () => {
    upstream = await startMessagesUpstream((request) => {
      const session = request.sessionId ?? ''
      const n = requestsOf.get(session) ?? 0
      requestsOf.set(session, n + 1)
      const usage = randomUsage(random, request.body?.model ?? '')
      if (n >= CALLS - 1) return { steps: [{ text: 'Done.' }], usage }
      return { steps: [{ tool: 'Bash', input: { command: `echo ${n}`, description: 'count' } }], usage }
    })
    app = await startApp({ upstream: upstream.url })
  })
  afterAll(async () => {
    await app?.close()
    await upstream?.close()
  })

  test.each(few(MODELS, 2))('%s', async (model) => {
    using home = makeTempFolder('aspy-client-')
    const run = await runClaude({
      baseUrl: app.proxy,
      prompt: `Count with ${model}.`,
      home: home.path,
      args: ['--model', model],
    })
    expect(run.result?.is_error, run.stderr).toBe(false)
    const session = run.result?.session_id ?? ''
    await until('all calls are recorded', async () => {
      const { items } = await app.call<{ items: readonly unknown[] }>('events.list', {
        session_id: session,
        kind: 'model_response',
      })
      return items.length >= (requestsOf.get(session) ?? CALLS)
    })
    const own = await app.call<{ total_cost_usd: number; unpriced_calls: number }>('sessions.get', {
      session_id: session,
    })
    expect(requestsOf.get(session)).toBe(CALLS)
    expect(own.unpriced_calls).toBe(0)
    expect(run.result?.total_cost_usd).toBeGreaterThan(0)
    expect(Math.abs(own.total_cost_usd - (run.result?.total_cost_usd ?? 0))).toBeLessThan(1e-9)
  })
})
