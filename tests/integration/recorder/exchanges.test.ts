import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { NONE } from '../../support/runner/none.ts'
import { makeTempFolder, type TempFolder } from '../../support/runner/temp-folder.ts'
import type { Answer } from '../../support/upstream/messages-answer.ts'
import { countKinds, look, pass, rows, startRecorder, until } from '../../support/recorder/harness.ts'
import type { RecorderUnderTest } from '../../support/recorder/harness.ts'

let folder: TempFolder
let under: RecorderUnderTest
beforeEach(async () => {
  folder = makeTempFolder()
  under = await startRecorder(folder.path)
})
afterEach(async () => {
  await under.stop()
  folder.remove()
})

const first: Answer = {
  messageId: 'msg_1',
  steps: [
    { thinking: 'a solarized theme would fit' },
    { text: 'I look.' },
    { tool: 'Bash', id: 'toolu_1', input: { command: 'ls' } },
  ],
  usage: { input_tokens: 100, output_tokens: 50 },
}
const conversation = [
  { role: 'user', content: [{ type: 'text', text: 'make it dark' }] },
  {
    role: 'assistant',
    content: [
      { type: 'thinking', thinking: 'a solarized theme would fit', signature: 'x' },
      { type: 'text', text: 'I look.' },
      { type: 'tool_use', id: 'toolu_1', name: 'Bash', input: { command: 'ls' } },
    ],
  },
  { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'theme.css' }] },
] as const

describe('an agent turn over two requests becomes one session', () => {
  const ways = [
    { name: 'streamed', stream: true },
    { name: 'not streamed', stream: false },
    { name: 'in gzip', stream: true, encoding: 'gzip' },
    { name: 'in br', stream: true, encoding: 'br' },
    { name: 'in deflate', stream: true, encoding: 'deflate' },
    { name: 'in zstd', stream: true, encoding: 'zstd' },
    { name: 'not streamed, in zstd', stream: false, encoding: 'zstd' },
  ] as const

  test.each(ways)('$name', async (way) => {
    await pass(under.tap, { ...way, messages: conversation.slice(0, 1), answer: first })
    await pass(under.tap, {
      ...way,
      messages: conversation,
      answer: { messageId: 'msg_2', steps: [{ text: 'Done.' }] },
    })
    await under.settled()

    expect(countKinds(folder.path)).toEqual({
      user_prompt: 1,
      model_request: 2,
      thinking: 1,
      assistant_text: 2,
      tool_call: 1,
      tool_result: 1,
      api_usage: 2,
      model_response: 2,
      turn_ended: 1,
    })
    const all = rows(folder.path)
    const session = look(folder.path, (db) => db.prepare('SELECT * FROM sessions').all())
    expect(session).toMatchObject([{ id: 'session-1', prompts: 1, tool_calls: 1, project: '/home/me/project' }])
    const byUuid = new Map(all.map((row) => [row.uuid, row]))
    const result = all.find((row) => row.kind === 'tool_result')
    const chain: string[] = []
    for (let row = result; row; row = row.parent_uuid === null ? undefined : byUuid.get(row.parent_uuid)) {
      chain.push(row.kind)
    }
    expect(chain).toEqual(['tool_result', 'tool_call', 'assistant_text', 'thinking', 'user_prompt'])
    expect(under.health()).toMatchObject({ dropped: NONE, unknown: NONE })
  })
})

test('the prompt is stored while the answer is still being written', async () => {
  const exchange = under.tap.open({
    method: 'POST',
    path: '/v1/messages',
    headers: ['x-claude-code-session-id', 's'],
  })
  exchange.requestBytes(
    Buffer.from(
      JSON.stringify({
        model: 'm',
        max_tokens: 10,
        stream: true,
        tools: [{ name: 'Bash' }],
        messages: [{ role: 'user', content: 'early' }],
      }),
    ),
  )
  exchange.requestEnd()
  await until(() => under.events.some((event) => event.kind === 'user_prompt' && event.text === 'early'))
  expect(under.tap.stats().queue_bytes).toBeGreaterThan(0)
  exchange.end('client_aborted')
  await under.settled()
})

test('text arrives as redacted deltas before its event', async () => {
  const key = `sk-ant-api03-${'Ab1'.repeat(31)}AA`
  await pass(under.tap, { answer: { steps: [{ text: `the key is ${key} and that is it` }], deltaLength: 7 } })
  await under.settled()
  await until(() => under.deltas.some((delta) => delta.done))
  const text = under.deltas.map((delta) => delta.text).join('')
  expect(text).toContain('the key is [redacted:')
  expect(text).toContain('and that is it')
  expect(text).not.toContain('Ab1Ab1')
  const stored = rows(folder.path).find((row) => row.kind === 'assistant_text')
  expect(stored?.payload).not.toContain('Ab1Ab1')
})

test('a retry adds no second prompt; two sessions on one key never mix', async () => {
  const failed: Answer = { status: 529, error: { type: 'overloaded_error', message: 'Overloaded' }, steps: [] }
  for (const session of ['a', 'b']) await pass(under.tap, { session, prompt: 'do it', answer: failed })
  for (const session of ['b', 'a']) await pass(under.tap, { session, prompt: 'do it' })
  await under.settled()
  for (const session of ['a', 'b']) {
    expect(countKinds(folder.path, session)).toMatchObject({ user_prompt: 1, model_request: 2, assistant_text: 1 })
  }
})

test('sessions interleaved piece by piece keep their own events', async () => {
  const sessions = Array.from({ length: 8 }, (_, at) => `parallel-${at}`)
  await Promise.all(
    sessions.map((session) =>
      pass(under.tap, {
        session,
        prompt: `prompt of ${session}`,
        answer: { steps: [{ thinking: `thought of ${session}` }, { text: `answer to ${session}` }] },
        pieceBytes: 100,
        between: () => new Promise((resolve) => setImmediate(resolve)),
      }),
    ),
  )
  await under.settled()
  for (const session of sessions) {
    const own = rows(folder.path).filter((row) => row.session_id === session)
    for (const kind of ['user_prompt', 'thinking', 'assistant_text']) {
      expect(own.filter((row) => row.kind === kind).map((row) => JSON.parse(row.payload).text)).toEqual([
        expect.stringContaining(session),
      ])
    }
  }
})

test('a part that cannot be decoded is reported and affects nothing else', async () => {
  await pass(under.tap, { session: 'broken', body: '{"model": "m", "messages": [', answer: first })
  await pass(under.tap, { session: 'deep', body: `{"messages":${'['.repeat(5000)}${']'.repeat(5000)}}` })
  await pass(under.tap, { session: 'odd', body: { model: 7, messages: { role: 'user' }, tools: 'none' } })
  await pass(under.tap, { session: 'cut', answer: first, outcome: 'upstream_aborted' })
  await pass(under.tap, { session: 'none', outcome: 'upstream_unreachable' })
  await pass(under.tap, { session: 'fine' })
  await under.settled()
  expect(countKinds(folder.path, 'none')).toMatchObject({ user_prompt: 1, error: 1 })
  expect(countKinds(folder.path, 'fine')).toEqual({
    user_prompt: 1,
    model_request: 1,
    assistant_text: 1,
    api_usage: 1,
    model_response: 1,
    turn_ended: 1,
  })
  expect(under.tap.stats().acknowledged).toBe(6)
  expect(under.health().restarts).toBe(0)
})

test('a body in an unknown or broken encoding is an error of capture, and acknowledged', async () => {
  const exchange = under.tap.open({ method: 'POST', path: '/v1/messages', headers: [] })
  exchange.requestBytes(Buffer.from('{}'))
  exchange.requestEnd()
  exchange.responseHead(200, ['content-type', 'text/event-stream', 'content-encoding', 'gzip'])
  exchange.responseBytes(Buffer.from('this is not gzip'))
  exchange.end('complete')
  await under.settled()
  expect(rows(folder.path).some((row) => row.kind === 'error')).toBe(true)
})

test('a posted event has the parent it names', async () => {
  await pass(under.tap, { session: 's' })
  await under.settled()
  const prompt = rows(folder.path).find((row) => row.kind === 'user_prompt')
  const answer = await under.recorder.call('events.post', {
    session_id: 's',
    kind: 'notification',
    parent_uuid: prompt?.uuid,
    payload: { text: 'from outside' },
  })
  expect(rows(folder.path).at(-1)).toMatchObject({
    ...(answer as object),
    kind: 'notification',
    source: 'api',
    parent_uuid: prompt?.uuid,
  })
  await expect(under.recorder.call('events.post', { kind: 'user_prompt' })).rejects.toMatchObject({ code: 'bad_input' })
  await expect(under.recorder.call('nothing.here', {})).rejects.toMatchObject({ code: 'not_found' })
})

test('the session log has every committed event', async () => {
  await pass(under.tap, { session: '../../etc/x', answer: first })
  await under.settled()
  const [name = ''] = readdirSync(join(folder.path, 'logs'))
  const lines = readFileSync(join(folder.path, 'logs', name), 'utf8')
    .trimEnd()
    .split('\n')
  const types = lines.map((line) => (JSON.parse(line) as { type: string }).type)
  expect(types.toSorted()).toEqual(
    rows(folder.path)
      .map((row) => row.kind.replace(/(^|_)([a-z])/g, (_, __, letter: string) => letter.toUpperCase()))
      .toSorted(),
  )
})

test('an advisor is priced by its own model, and the context is that of the last sampling', async () => {
  const sampling = (type: string, input: number, more: object = {}) => ({
    type,
    input_tokens: input,
    output_tokens: 10,
    cache_read_input_tokens: 0,
    cache_creation_input_tokens: 0,
    ...more,
  })
  const iterations = [
    sampling('message', 1000),
    sampling('advisor_message', 1_000_000, { model: 'claude-opus-5', output_tokens: 0 }),
    sampling('message', 1200),
  ]
  const usage = { input_tokens: 2200, output_tokens: 20, more: { iterations } }
  await pass(under.tap, {
    messages: conversation.slice(0, 1),
    answer: { messageId: 'msg_1', steps: [{ text: 'Done.' }], usage },
  })
  await until(() => countKinds(folder.path)['model_response'] === 1)
  const calls = look(folder.path, (db) =>
    db.prepare('SELECT model, request_kind, input_tokens, context_tokens, cost_usd FROM api_usage ORDER BY id').all(),
  )
  expect(calls).toEqual([
    expect.objectContaining({ request_kind: 'prompt', input_tokens: 2200, context_tokens: 1200 }),
    { model: 'claude-opus-5', request_kind: 'side_call', input_tokens: 1_000_000, context_tokens: null, cost_usd: 5 },
  ])
})
