import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { KNOWN_CODEX } from '../../src/main/clients/codex/known-version.ts'
import type { OperationOutput } from '../../src/shared/contract/index.ts'
import { findCodex, runCodex, type CodexRun } from '../support/client/codex-client.ts'
import { recordedEvents, settled, type RecordedEvent } from '../support/app/recorded-session.ts'
import { startApp, type TestApp } from '../support/app/start-app.ts'
import { makeTempFolder, type TempFolder } from '../support/runner/temp-folder.ts'
import {
  call,
  compaction,
  lastUserText,
  message,
  patch,
  reasoning,
  startResponsesUpstream,
  USAGE,
  type ResponsesAnswer,
  type ResponsesUpstream,
  type ResponsesUpstreamOptions,
  type SeenCall,
} from '../support/upstream/responses-upstream.ts'
import { lacks } from '../support/runner/lacks.ts'
import { few } from '../support/runner/heavy.ts'

const NO_CODEX = lacks(findCodex() !== null)

const PROMPT = 'Which theme suits the eyes?\nTwo lines, “quoted”, 中文.'
const PATCH = '*** Begin Patch\n*** Add File: theme.txt\n+solarized\n+light\n*** End Patch\n'

const PLAN = {
  plan: [
    { step: 'Pick the colours', status: 'completed' },
    { step: 'Paint the page', status: 'in_progress' },
  ],
}

/** The model's answer to a prompt, by the earlier calls. */
function script({ body }: SeenCall): ResponsesAnswer {
  const input = body?.input ?? []
  if (input.at(-1)?.['type'] === 'compaction_trigger') return { output: [compaction()] }
  const last = input.at(-1)?.['type'] ?? ''
  const text = lastUserText(body)
  if (!String(last).endsWith('_output')) {
    if (text.includes('theme')) {
      const output = [reasoning('Weighing contrast.', 'Then warmth.'), call('exec_command', { cmd: 'echo solarized' })]
      return { output: [...output, patch(PATCH)] }
    }
    if (text.includes('plan')) return { output: [call('update_plan', PLAN)] }
    if (text.includes('fail')) return { output: [call('exec_command', { cmd: 'exit 3' })] }
  }
  return { output: [message('Take solarized.')] }
}

const TRANSPORTS: readonly ResponsesUpstreamOptions['websocket'][] = ['refuse', 'plain', 'permessage-deflate']

describe.skipIf(NO_CODEX).each(few(TRANSPORTS, 2))('the real Codex with WebSockets: %s', (websocket = 'refuse') => {
  let upstream: ResponsesUpstream
  let app: TestApp
  let home: TempFolder
  let first: CodexRun
  let thread = ''
  let events: RecordedEvent[] = []
  const of = (kind: string) => events.filter((event) => event.kind === kind)
  const baseUrl = () => `${app.proxy}/openai/v1`

  beforeAll(async () => {
    upstream = await startResponsesUpstream(script, { websocket })
    const upstreams = { openai: upstream.url, chatgpt: 'http://127.0.0.1:9' }
    app = await startApp({ upstream: 'http://127.0.0.1:9', settings: { 'proxy.upstreams': upstreams } })
    home = makeTempFolder('aspy-codex-')
    first = await runCodex({ baseUrl: baseUrl(), prompt: PROMPT, home: home.path })
    thread = String(first.lines.find(({ type }) => type === 'thread.started')?.['thread_id'])
    await settled(app)
    events = await recordedEvents(app)
  })
  afterAll(async () => {
    await app?.close()
    await upstream?.close()
    home?.remove()
  })

  test('the client ends as without Aspy', () => {
    expect([first.exitCode, first.lines.at(-1)?.type]).toEqual([0, 'turn.completed'])
  })

  test('a session has the client, its version, its project, and an id of its own', async () => {
    const { items } = await app.call<{
      items: { id: string; client: string; client_version: string; project: string }[]
    }>('sessions.list', { client: 'codex' })
    expect(items).toMatchObject([
      {
        id: `codex-${thread}`,
        client: 'codex',
        client_version: KNOWN_CODEX,
        project: expect.stringMatching(/\/work$/),
      },
    ])
  })

  test('the prompt is there word for word, once; nothing that the client wrote is a prompt', () => {
    expect(of('user_prompt').map(({ payload }) => payload['text'])).toEqual([PROMPT])
  })

  test('reasoning, calls and answers are in order, and each result hangs from its call', () => {
    expect(of('thinking').map(({ payload }) => payload['text'])).toEqual(['Weighing contrast.\n\nThen warmth.'])
    expect(of('assistant_text').map(({ payload }) => payload['text'])).toEqual(['Take solarized.'])
    const calls = of('tool_call')
    expect(calls.map(({ payload }) => payload['tool_name'])).toEqual(['exec_command', 'apply_patch'])
    expect(calls[0]?.payload['input']).toEqual({ cmd: 'echo solarized' })
    const results = of('tool_result')
    expect(results.map(({ parent_uuid }) => parent_uuid)).toEqual(calls.map(({ uuid }) => uuid))
    expect(results.map(({ payload }) => payload['is_error'])).toEqual([false, false])
    expect(String(results[0]?.payload['output'])).toContain('solarized')
    expect(results[1]?.payload['detail']).toEqual({
      filePath: 'theme.txt',
      change: 'add',
      structuredPatch: [{ oldStart: null, newStart: null, lines: ['+solarized', '+light'] }],
    })
  })

  test('usage is split by response, and priced', async () => {
    const usages = of('api_usage').filter(({ payload }) => payload['request_kind'] !== 'warmup')
    const answered = upstream.calls.filter(({ body }) => body?.generate !== false)
    expect(usages).toHaveLength(answered.length)
    for (const { payload } of usages) {
      expect(payload).toMatchObject({
        model: 'gpt-5.6-sol',
        usage: {
          input_tokens: 300,
          cache_read_input_tokens: 600,
          cache_creation_input_tokens: 100,
          output_tokens: 50,
          thinking_tokens: 20,
        },
      })
    }
    expect(USAGE.total_tokens).toBe(1050)
    const { total_cost_usd: cost, total_tokens: tokens } = await app.call<{
      total_cost_usd: number
      total_tokens: number
    }>('sessions.get', { session_id: `codex-${thread}` })
    // GPT-5.6 Sol: 300 × $4 + 600 × $0.4 + 100 × $5 + 50 × $20 per million.
    expect(Math.abs(cost - (2 * (1200 + 240 + 500 + 1000)) / 1e6)).toBeLessThan(1e-9)
    expect(tokens).toBe(2 * 1050)
  })

  test('a stored request is whole, also if the client sent only what was new', async () => {
    const requests = of('model_request').filter(({ payload }) =>
      ['prompt', 'loop'].includes(String(payload['request_kind'])),
    )
    const sent = upstream.calls.filter(({ body }) => body?.generate !== false)
    expect(requests).toHaveLength(sent.length)
    const last = requests.at(-1)
    const { body } = await app.call<{ body: { model: string; input: { type: string; role?: string }[] } }>(
      'requests.get',
      { uuid: last?.uuid },
    )
    expect(body.input.length).toBe(last?.payload['message_count'])
    const types = body.input.map(({ type, role }) => (type === 'message' ? role : type))
    expect(types.slice(types.lastIndexOf('user'))).toEqual([
      'user',
      'reasoning',
      'function_call',
      'custom_tool_call',
      'function_call_output',
      'custom_tool_call_output',
    ])
    expect(JSON.stringify(body.input)).toContain(JSON.stringify(PROMPT))
  })

  test('a search finds what was said', async () => {
    const { items } = await app.call<{ items: { session_id: string }[] }>('recall.search', { query: 'warmth' })
    expect(items.map(({ session_id }) => session_id)).toContain(`codex-${thread}`)
  })

  test('a resumed session continues: its second turn is turn 2, and nothing is there twice', async () => {
    const resumed = await runCodex({ baseUrl: baseUrl(), prompt: 'And now fail', home: home.path, resume: thread })
    expect(resumed.exitCode).toBe(0)
    await settled(app)
    events = await recordedEvents(app, `session_id = 'codex-${thread}'`)
    expect(of('user_prompt').map(({ payload, turn_id }) => [payload['text'], turn_id])).toEqual([
      [PROMPT, 1],
      ['And now fail', 2],
    ])
    expect(of('assistant_text')).toHaveLength(2)
    expect(of('thinking')).toHaveLength(1)
    expect(of('tool_call')).toHaveLength(3)
    expect(of('tool_result').map(({ payload }) => payload['is_error'])).toEqual([false, false, true])
    expect(of('turn_ended').map(({ turn_id }) => turn_id)).toEqual([1, 2])
    expect(events.filter(({ kind }) => kind === 'unknown' || kind === 'error')).toEqual([])
  })

  test('the open steps of its plan and the files of its patches are known to a later session', async () => {
    const planned = await runCodex({
      baseUrl: baseUrl(),
      prompt: 'Make a plan',
      home: home.path,
      resume: thread,
      settings: { 'tools.update_plan.enabled': true },
    })
    expect(planned.exitCode).toBe(0)
    await settled(app)
    const where = await app.call<OperationOutput<'sessions.resume'>>('sessions.resume', {
      session_id: `codex-${thread}`,
    })
    expect(where.open_tasks).toEqual(['Paint the page (in_progress)'])
    expect(where.files.map(({ path, added }) => [path, added])).toEqual([['theme.txt', 2]])
    expect(where.errors).toEqual([expect.stringMatching(/^\$ exit 3: /)])
  })
})
