import { appendFileSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { clientCostsTable } from '../../../src/shared/columns/costs.ts'
import type { OperationOutput } from '../../../src/shared/contract/index.ts'
import { table } from '../../../src/main/cli/table.ts'
import { recordedEvents, settled } from '../../support/app/recorded-session.ts'
import { startApp, type TestApp } from '../../support/app/start-app.ts'
import { temporaryFolder } from '../../support/store/folder.ts'
import { startMessagesUpstream } from '../../support/upstream/messages-upstream.ts'

const FIXTURES = join(import.meta.dirname, '../../fixtures/other-clients')
const QWEN_CHAT = 'qwen/projects/-home-zoe-work/chats/5fc961bb-f61d-4e9b-8335-fe739eb8e485.jsonl'
const PI_SESSION = 'pi/sessions/--home-zoe-work--/2026-11-28T07-23-12-649Z_01a22109-6188-7367-a80e-896efbf0d13d.jsonl'
/** Of one request, as the scripted model answered it: Qwen Code counts what was written to the cache as input. */
const REQUEST = 101 + 17 + 1003 + 55

interface Session {
  readonly session_id: string
  readonly client: string
  readonly client_version: string | null
  readonly project: string | null
  readonly title: string | null
  readonly prompts: number
  readonly total_tokens: number
  readonly total_cost_usd: number
}

interface Done {
  readonly events_added: number
  readonly lines_bad: number
  readonly files: number
}

const newApp = () => startApp({ upstream: 'http://127.0.0.1:9', settings: { 'transcripts.follow': false } })
const importInto = async (app: TestApp, path: string) =>
  (await app.run<Done>('transcripts.import', { paths: [path] })).at(-1)
const sessionsOf = async (app: TestApp) =>
  (await app.call<{ items: readonly Session[] }>('sessions.list', { limit: 100 })).items

describe('files of other clients', () => {
  test('give sessions with client, project, prompts and usage', async () => {
    await using app = await newApp()
    expect(await importInto(app, FIXTURES)).toMatchObject({ lines_bad: 0 })
    const rows = (await sessionsOf(app))
      .map((session) => [session.client, session.client_version, session.project, session.title, session.prompts])
      .toSorted()
    expect(rows).toEqual([
      ['copilot-cli', '1.0.102', '/home/zoe/work', 'Use an AGENT now', 1],
      ['kimi-code', null, '/home/zoe/work', expect.stringMatching(/^First\. lorem/), 4],
      ['kimi-code', null, '/home/zoe/work', 'Use an AGENT now', 1],
      ['pi', null, '/home/zoe/work', 'BREAK it', 1],
      ['pi', null, '/home/zoe/work', 'Please run echo zebra', 1],
      ['qwen-code', '0.24.4', '/home/zoe/work', 'Please run echo zebra', 1],
      ['qwen-code', '0.24.4', '/home/zoe/work', 'Use an AGENT now', 1],
    ])
    const tokens = (await sessionsOf(app)).map((session) => [
      `${session.client} ${session.title?.slice(0, 5)}`,
      session.total_tokens,
    ])
    expect(Object.fromEntries(tokens)).toEqual({
      'copilot-cli Use a': REQUEST * 3,
      'kimi-code First': REQUEST * 4 + 94_000 - 3,
      'kimi-code Use a': REQUEST * 3,
      'pi BREAK': REQUEST,
      'pi Pleas': REQUEST * 2,
      'qwen-code Pleas': REQUEST * 2,
      'qwen-code Use a': REQUEST * 4,
    })
    expect((await sessionsOf(app)).every(({ total_cost_usd: cost }) => cost > 0)).toBe(true)
  })

  test('give calls with their results, agents with their calls, and how a compaction began', async () => {
    await using app = await newApp()
    await importInto(app, FIXTURES)
    const events = await recordedEvents(app)
    const of = (kind: string) => events.filter((event) => event.kind === kind)
    const results = of('tool_result').map(({ payload }) => payload['call_id'])
    expect(of('tool_call').map(({ payload }) => payload['call_id'])).toEqual(results)
    expect(results).toHaveLength(5)
    expect(of('agent_started').map(({ payload }) => results.includes(payload['call_id']))).toEqual([true, true, true])
    expect(
      of('agent_ended')
        .map(({ payload }) => payload['last_text'])
        .toSorted(),
    ).toEqual([expect.stringContaining('Answer to'), expect.stringContaining('Answer to'), 'Done 7'])
    const started = new Set(of('agent_started').map(({ agent_id }) => agent_id))
    const spoken = events.filter(({ kind, agent_id }) => kind === 'assistant_text' && agent_id !== null)
    expect(spoken.map(({ agent_id, turn_id }) => [started.has(agent_id), turn_id])).toEqual([
      [true, 1],
      [true, 1],
      [true, 1],
    ])
    expect(of('compaction').map(({ payload }) => [payload['trigger'], payload['tokens_before']])).toEqual([
      ['auto', 74_543],
    ])
    expect(of('error').map(({ payload }) => [payload['type'], payload['status']])).toEqual([
      ['overloaded_error', 529],
      ['invalid_request_error', 400],
    ])
    expect(of('unknown')).toEqual([])
  })

  test('say of a session without usage that it is unknown, everywhere', async () => {
    await using app = await newApp()
    const folder = join(temporaryFolder(), 'session-state/11b24445-7985-4dc9-b885-996acc9cea98')
    mkdirSync(folder, { recursive: true })
    const lines = readFileSync(join(FIXTURES, 'copilot', folder.slice(folder.indexOf('session-state')), 'events.jsonl'))
    const kept = lines
      .toString()
      .split('\n')
      .filter((line) => !line.includes('"type":"session.usage_record"'))
    writeFileSync(join(folder, 'events.jsonl'), kept.join('\n'))
    await importInto(app, folder)
    const [session] = await sessionsOf(app)
    expect(session).toMatchObject({ client: 'copilot-cli', prompts: 1, usage_unknown: true })
    const receipt = await app.call<{ gaps: readonly string[] }>('receipt', {})
    expect(receipt.gaps[0]).toBe(
      '1 session with prompts but no usage, known only from hooks or transcripts: costs unknown.',
    )
    const { by_client: clients } = await app.call<OperationOutput<'stats.summary'>>('stats.summary', {})
    expect(table(clients, clientCostsTable)).toMatch(/Copilot CLI +1 +- +- *$/m)

    // Written by a version of before the records: sums of each model at the end, and again after a resume.
    const metrics = (inputTokens: number) => ({
      'claude-sonnet-4.5': {
        requests: { count: 3 },
        usage: { inputTokens, outputTokens: 20, cacheReadTokens: 900, cacheWriteTokens: 0 },
      },
      'claude-haiku-4.5': { requests: { count: 0 }, usage: { inputTokens: 0, outputTokens: 0 } },
    })
    const end = (id: string, inputTokens: number) =>
      JSON.stringify({
        type: 'session.shutdown',
        id,
        timestamp: '2026-11-28T11:00:00.000Z',
        data: { modelMetrics: metrics(inputTokens) },
      })
    writeFileSync(join(folder, 'events.jsonl'), [...kept, end('e1', 1000), end('e2', 2000)].join('\n'))
    await importInto(app, folder)
    const [counted] = await sessionsOf(app)
    expect(counted).not.toHaveProperty('usage_unknown')
    expect(counted).toMatchObject({
      total_tokens: 1020 + 2020,
      total_cost_usd: expect.closeTo(((100 + 1100) * 3 + 40 * 15 + 1800 * 0.3) / 1e6, 9),
    })
  })

  test('are known by what is in them, give back what damage leaves, and count it', async () => {
    await using app = await newApp()
    const folder = temporaryFolder()
    for (const [path, name] of [
      [PI_SESSION, 'a.txt'],
      [QWEN_CHAT, 'b.jsonl'],
    ] as const) {
      const copy = join(folder, name)
      const first = readFileSync(join(FIXTURES, path), 'utf8').split('\n')[0] ?? ''
      copyFileSync(join(FIXTURES, path), copy)
      // A crash cut a record, and the next one was written behind it.
      appendFileSync(copy, `{"type":"message","id":"cut","mess${first}\n\0\0\n`)
      expect(await importInto(app, copy), name).toMatchObject({ lines_bad: 2 })
    }
    const sessions = await sessionsOf(app)
    expect(sessions.map(({ client, prompts }) => [client, prompts]).toSorted()).toEqual([
      ['pi', 1],
      ['qwen-code', 1],
    ])
    const unknown = (await recordedEvents(app)).filter(({ kind }) => kind === 'unknown')
    expect(unknown.map(({ payload }) => payload['what'])).toEqual(['transcript:broken', 'transcript:broken'])
  })

  test('of the first format of pi have the model of the last change, and no ids of lines', async () => {
    await using app = await newApp()
    const at = (second: number) => ({ timestamp: `2026-02-01T10:00:0${second}.000Z` })
    const usage = { input: 3740, output: 152, cacheRead: 0, cacheWrite: 5317 }
    const lines = [
      { type: 'session', id: '01a00000-0000-7000-8000-000000000001', ...at(0), cwd: '/w' },
      { type: 'model_change', ...at(0), provider: 'anthropic', modelId: 'claude-opus-4-6' },
      { type: 'message', ...at(1), message: { role: 'user', content: 'Hi' } },
      { type: 'message', ...at(2), message: { role: 'assistant', content: [{ type: 'text', text: 'Yo' }], usage } },
      { type: 'message', ...at(3), message: { role: 'assistant', content: [{ type: 'text', text: 'So' }], usage } },
    ]
    const path = join(temporaryFolder(), 'old.jsonl')
    writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
    await importInto(app, path)
    const usages = (await recordedEvents(app)).filter(({ kind }) => kind === 'api_usage')
    expect(usages.map(({ payload }) => payload['model'])).toEqual(['claude-opus-4-6', 'claude-opus-4-6'])
  })

  test('are the session of a request that named none', async () => {
    const chat = readFileSync(join(FIXTURES, QWEN_CHAT), 'utf8')
    const ids = [...chat.matchAll(/"response_id":"(msg_\w+)"/g)].map(([, id]) => id)
    await using upstream = await startMessagesUpstream(() => ({
      steps: [
        { text: 'I will run it.' },
        { tool: 'run_shell_command', input: {}, id: 'toolu_01fc30e45119588aced8848d08' },
      ],
      messageId: ids[0] ?? '',
    }))
    await using app = await startApp({ upstream: upstream.url, settings: { 'transcripts.follow': false } })
    const body = {
      model: 'claude-sonnet-4-5',
      max_tokens: 100,
      system: 'You are Qwen Code, an agent.',
      messages: [{ role: 'user', content: 'Please run echo zebra' }],
    }
    const sent = await fetch(`${app.proxy}/v1/messages`, { method: 'POST', body: JSON.stringify(body) })
    await sent.text()
    await settled(app)
    // The client wrote the lines when it was asked.
    const now = new Date().toISOString().slice(0, 19)
    const folder = join(temporaryFolder(), 'chats')
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'chat.jsonl'), chat.replaceAll(/2026-11-28T\d\d:\d\d:\d\d/g, now))
    await importInto(app, folder)
    const sessions = await sessionsOf(app)
    expect(sessions.map(({ client, prompts }) => [client, prompts])).toEqual([['qwen-code', 1]])
  })
})
