import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findClaude, runClaude, type ClaudeRun } from '../support/client/claude-client.ts'
import { startMessagesUpstream, type MessagesUpstream } from '../support/upstream/messages-upstream.ts'
import { startApp, type TestApp } from '../support/app/start-app.ts'
import { makeTempFolder, type TempFolder } from '../support/runner/temp-folder.ts'
import { until } from '../support/runner/until.ts'
import { lacks } from '../support/runner/lacks.ts'

interface Event {
  readonly uuid: string
  readonly kind: string
  readonly source: string
  readonly turn_id: number
  readonly agent_id: string | null
  readonly payload: { readonly [key: string]: unknown }
}
interface List<Item> {
  readonly items: readonly Item[]
}

const PROMPT = 'Say "solarized" with echo, then tell me über 🌍 what you saw.'
const THOUGHT = 'The palette is solarized; a heliotrope would tire the eyes.'

// The whole job once: the real client, through the proxy, into the store, and out again.
describe.skipIf(lacks(findClaude() !== null))('a run of the real client through the app', () => {
  let home: TempFolder
  // Takes the client's hooks, so that the test can post them when it likes.
  const hooks: { readonly [field: string]: unknown }[] = []
  const hookTaker = createServer(async (request, response) => {
    hooks.push((await json(request)) as (typeof hooks)[number])
    response.writeHead(204).end()
  })
  let upstream: MessagesUpstream
  let app: TestApp
  let run: ClaudeRun

  beforeAll(async () => {
    home = makeTempFolder('aspy-client-')
    upstream = await startMessagesUpstream((_request, n) =>
      n === 0
        ? {
            steps: [
              { thinking: THOUGHT },
              { text: 'I will say it.' },
              { tool: 'Bash', input: { command: 'echo solarized', description: 'say it' }, id: 'toolu_echo' },
            ],
            messageId: 'msg_first',
            encoding: 'zstd',
            usage: {
              input_tokens: 1003,
              output_tokens: 217,
              cache_read_input_tokens: 5011,
              cache_creation_5m: 301,
              cache_creation_1h: 709,
              thinking_tokens: 41,
            },
          }
        : {
            steps: [{ thinking: 'It came out as it should.' }, { text: 'I saw: solarized, grüße.' }],
            messageId: 'msg_second',
            encoding: 'gzip',
            writeBytes: 7,
            usage: { input_tokens: 13, output_tokens: 29, cache_read_input_tokens: 7001 },
          },
    )
    app = await startApp({ upstream: upstream.url })
    await once(hookTaker.listen(0, '127.0.0.1'), 'listening')
    const url = `http://127.0.0.1:${(hookTaker.address() as AddressInfo).port}/`
    const settings = { hooks: { UserPromptSubmit: [{ hooks: [{ type: 'http', url }] }] } }
    run = await runClaude({ baseUrl: app.proxy, prompt: PROMPT, home: home.path, settings })
    // The end of the turn is written once no further request can belong to it.
    await until('both responses and the end of the turn are recorded', async () => {
      const kinds = (await events()).map(({ kind }) => kind)
      return kinds.filter((kind) => kind === 'rate_limit').length === 2 && kinds.includes('turn_ended')
    })
  })
  afterAll(async () => {
    await app?.close()
    await upstream?.close()
    hookTaker.closeAllConnections()
    hookTaker.close()
    home?.remove()
  })

  const events = async (kind?: string) =>
    (await app.call<List<Event>>('events.list', { limit: 1000, ...(kind ? { kind } : {}) })).items
  const totals = async () => {
    const database = new Database(join(app.data, 'lifestats.db'), { readonly: true })
    try {
      return database
        .prepare('SELECT (SELECT count(*) FROM events) AS events, (SELECT count(*) FROM sightings) AS sightings')
        .get() as { events: number; sightings: number }
    } finally {
      database.close()
    }
  }

  test('the client got its answer, and one session has its exact prompt', async () => {
    expect(run).toMatchObject({ exitCode: 0, result: { is_error: false, result: 'I saw: solarized, grüße.' } })
    const sessions = (await app.call<List<{ id: string }>>('sessions.list')).items
    expect(sessions.map(({ id }) => id)).toEqual([run.result?.session_id])
    expect((await events('user_prompt')).map(({ payload }) => payload['text'])).toEqual([PROMPT])
  })

  test('each thinking block, text, call and result is recorded once', async () => {
    const texts = async (kind: string) => (await events(kind)).map(({ payload }) => payload['text'])
    expect(await texts('thinking')).toEqual([THOUGHT, 'It came out as it should.'])
    expect(await texts('assistant_text')).toEqual(['I will say it.', 'I saw: solarized, grüße.'])
    expect((await events('tool_call')).map(({ payload }) => payload)).toMatchObject([
      { call_id: 'toolu_echo', tool_name: 'Bash', input: { command: 'echo solarized' } },
    ])
    const [result, ...others] = await events('tool_result')
    expect(others).toEqual([])
    expect(result?.payload).toMatchObject({ call_id: 'toolu_echo', is_error: false })
    expect(JSON.stringify(result?.payload['output'])).toContain('solarized')
    expect(await events('unknown')).toEqual([])
    expect(await events('error')).toEqual([])
  })

  test('each response has one usage, and the cost matches the client', async () => {
    const usages = (await events('api_usage')).map(({ payload }) => payload)
    expect(usages).toMatchObject([
      { message_id: 'msg_first', basis: 'measured', usage: { output_tokens: 217, thinking_tokens: 41 } },
      { message_id: 'msg_second', basis: 'measured', usage: { output_tokens: 29 } },
    ])
    const { total_cost_usd: cost, unpriced_calls: unpriced } = await app.call<{
      total_cost_usd: number
      unpriced_calls: number
    }>('stats.summary')
    expect(unpriced).toBe(0)
    expect(run.result?.total_cost_usd).toBeGreaterThan(0)
    expect(Math.abs(cost - (run.result?.total_cost_usd ?? 0))).toBeLessThan(1e-9)
  })

  test('recall finds thinking by one of its words', async () => {
    const found = await app.call<List<{ match_type: string; content: string }>>('recall.search', {
      query: 'heliotrope',
    })
    expect(found.items[0]).toMatchObject({ match_type: 'thinking' })
    expect(found.items[0]?.content).toContain('<mark>heliotrope</mark>')
  })

  test('every chain starts at the prompt', async () => {
    const inTurn = (await events()).filter((event) => event.turn_id > 0)
    expect(inTurn.length).toBeGreaterThan(10)
    for (const { uuid, kind } of inTurn) {
      const chain = await app.call<List<Event> & { gap: boolean; cycle: boolean }>('events.chain', { uuid })
      expect(chain, kind).toMatchObject({ gap: false, cycle: false })
      expect(chain.items[0]?.kind, kind).toBe('user_prompt')
    }
  })

  test("the run's hook and transcript add sightings but no duplicate events", async () => {
    const before = await totals()
    expect(hooks).toMatchObject([{ hook_event_name: 'UserPromptSubmit', prompt: PROMPT }])
    await app.call('hooks.post', hooks[0])
    await until('the hook is a sighting', async () => (await totals()).sightings > before.sightings)
    expect((await totals()).events).toBe(before.events)

    const middle = await totals()
    await app.run('transcripts.import', { paths: run.transcripts })
    const after = await totals()
    expect(after.sightings).toBeGreaterThan(middle.sightings + 4)
    expect((await events()).filter((event) => event.source === 'transcript')).toEqual([])
    expect(after.events).toBe(before.events)
    // The client's own cost is reported next to ours.
    const reconciled = await app.call<{ client: { cost_usd: number } }>('sessions.reconcile', {
      session_id: run.result?.session_id,
    })
    expect(reconciled.client.cost_usd).toBe(run.result?.total_cost_usd)
  })
})
