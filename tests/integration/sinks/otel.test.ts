import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { ask } from '../../support/app/ask.ts'
import { startMessagesUpstream, type MessagesUpstream } from '../../support/upstream/messages-upstream.ts'
import { NONE } from '../../support/runner/none.ts'
import {
  answers,
  hangs,
  startSinkReceiver,
  type Manner,
  type SinkReceiver,
} from '../../support/upstream/sink-receiver.ts'
import { startApp, type TestApp } from '../../support/app/start-app.ts'
import { makeTempFolder, type TempFolder } from '../../support/runner/temp-folder.ts'
import { until } from '../../support/runner/until.ts'
import { few, heavily } from '../../support/runner/heavy.ts'

const AGENT = 'a1b2c3d4e5f60718'
const BASH = { type: 'tool_use', id: 'toolu_bash', name: 'Bash', input: { command: 'ls -l' } }
const EXPLORE = {
  type: 'tool_use',
  id: 'toolu_agent',
  name: 'Agent',
  input: { description: 'look around', prompt: 'find the config', subagent_type: 'Explore' },
}

interface Span {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly status: { readonly code?: number }
  readonly attributes: readonly { readonly key: string; readonly value: Record<string, unknown> }[]
}

let upstream: MessagesUpstream
let receiver: SinkReceiver
let folder: TempFolder
let app: TestApp | null = null

beforeAll(async () => {
  upstream = await startMessagesUpstream(({ body, agentId }) => {
    const last = body?.messages.at(-1)
    const isResult = Array.isArray(last?.content) && last.content.some((block) => block.type === 'tool_result')
    if (agentId !== null) return { steps: [{ text: 'it is in /etc' }] }
    if (isResult) return { steps: [{ text: 'all is well' }] }
    return JSON.stringify(last).includes('use tools')
      ? {
          steps: [BASH, EXPLORE].map(({ name, input, id }) => ({ tool: name, input, id })),
          stopReason: 'tool_use',
        }
      : { steps: [{ text: 'an answer' }] }
  })
})
afterAll(() => upstream.close())
beforeEach(async () => {
  folder = makeTempFolder()
  receiver = await startSinkReceiver(takesTraces)
})
afterEach(async () => {
  await app?.close()
  app = null
  await receiver.vanish()
  folder.remove()
})

const takesTraces: Manner = (_, response) =>
  void response.writeHead(200, { 'content-type': 'application/json' }).end('{"partialSuccess":{}}')

async function start(settings: Readonly<Record<string, unknown>> = {}): Promise<TestApp> {
  app = await startApp({
    upstream: upstream.url,
    dataDir: folder.path,
    settings: { 'otel.endpoint': receiver.url, ...settings },
  })
  await app.recorderRuns()
  return app
}

async function send(messages: readonly object[], agentId?: string): Promise<void> {
  const response = await fetch(`${app?.proxy}/v1/messages?beta=true`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-api-key': 'sk-ant-dummy',
      'x-claude-code-session-id': 'one',
      ...(agentId === undefined ? {} : { 'x-claude-code-agent-id': agentId }),
    },
    body: JSON.stringify({
      model: agentId === undefined ? 'claude-sonnet-5-5' : 'claude-haiku-5-5',
      max_tokens: 1000,
      stream: true,
      tools: [{ name: 'Bash', input_schema: { type: 'object' } }],
      messages,
    }),
  })
  expect(response.status).toBe(200)
  await response.text()
  // Waits until the call is recorded: a real client takes longer to start its subagent.
  const id = response.headers.get('request-id')
  const responses = () => app?.call<{ items: { request_id: string }[] }>('events.list', { kind: 'model_response' })
  await until('it is recorded', async () => (await responses())?.items.some((one) => one.request_id === id) ?? false)
}

/** Sends a turn as the client does: two calls, one of them a subagent, and the final response. */
async function toolTurn(): Promise<void> {
  const prompt = { role: 'user', content: [{ type: 'text', text: 'please use tools' }] }
  await send([prompt])
  await send([{ role: 'user', content: [{ type: 'text', text: EXPLORE.input.prompt }] }], AGENT)
  await send([
    prompt,
    { role: 'assistant', content: [BASH, EXPLORE] },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: BASH.id, content: 'no such folder', is_error: true },
        { type: 'tool_result', tool_use_id: EXPLORE.id, content: 'it is in /etc' },
      ],
    },
  ])
}

function spansOf(json: unknown): Span[] {
  const { resourceSpans } = json as {
    resourceSpans: { scopeSpans: { spans: Span[] }[]; resource: { attributes: Span['attributes'] } }[]
  }
  return resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))
}

/** Returns spans as a backend stores them: by trace and span id, the last one wins. */
const spans = () => [
  ...new Map(
    receiver.received.flatMap(({ json }) => spansOf(json)).map((span) => [span.traceId + span.spanId, span]),
  ).values(),
]
const attribute = (span: Span | undefined, key: string): unknown => {
  const value = span?.attributes.find((one) => one.key === key)?.value ?? {}
  return Object.values(value)[0]
}
const named = (name: string) => spans().filter((span) => span.name === name)
const parentOf = (span: Span | undefined) => spans().find(({ spanId }) => spanId === span?.parentSpanId)

async function sink() {
  const { sinks, warnings } = (await app?.running.health()) ?? { sinks: [], warnings: [] }
  return { ...sinks.find(({ name }) => name === 'otel'), warnings: warnings.map(({ code }) => code) }
}

test('a turn is a trace with nested requests, tools and subagents, and without texts by default', async () => {
  const before = Date.now()
  await start()
  await toolTurn()
  await until(
    'the turn arrived',
    async () => named('chat claude-sonnet-5-5').length === 2 && (await sink()).waiting === 0,
  )
  expect(receiver.received[0]).toMatchObject({ path: '/v1/traces', headers: { 'content-type': 'application/json' } })

  const [root] = named('invoke_agent Claude Code')
  expect(new Set(spans().map(({ traceId }) => traceId))).toEqual(new Set([root?.traceId]))
  expect(root?.parentSpanId ?? '').toBe('')
  expect(attribute(root, 'gen_ai.conversation.id')).toBe('one')
  const [first, second] = named('chat claude-sonnet-5-5').toSorted((one, other) =>
    Number(BigInt(one.startTimeUnixNano) - BigInt(other.startTimeUnixNano)),
  )
  for (const request of [first, second]) {
    expect(parentOf(request)).toBe(root)
    expect(request?.kind).toBe(3)
    expect(attribute(request, 'gen_ai.operation.name')).toBe('chat')
    expect(attribute(request, 'gen_ai.provider.name')).toBe('anthropic')
    expect(Number(attribute(request, 'gen_ai.usage.input_tokens'))).toBeGreaterThan(0)
    expect(attribute(request, 'gen_ai.response.id')).toMatch(/^msg_/)
  }
  expect(attribute(first, 'gen_ai.response.finish_reasons')).toEqual({ values: [{ stringValue: 'tool_use' }] })
  const [bash] = named('execute_tool Bash')
  const [call] = named('execute_tool Agent')
  expect([parentOf(bash), parentOf(call)]).toEqual([first, first])
  expect(bash?.status.code).toBe(2)
  expect(attribute(bash, 'gen_ai.tool.call.id')).toBe('toolu_bash')
  const [explore] = named('invoke_agent Explore')
  expect(parentOf(explore)).toBe(call)
  const [inner] = named('chat claude-haiku-5-5')
  expect(parentOf(inner)).toBe(explore)

  for (const span of spans()) {
    const [begin, end] = [BigInt(span.startTimeUnixNano), BigInt(span.endTimeUnixNano)]
    expect(end).toBeGreaterThanOrEqual(begin)
    expect(begin).toBeGreaterThanOrEqual(BigInt(root?.startTimeUnixNano ?? 0))
    expect(end).toBeLessThanOrEqual(BigInt(root?.endTimeUnixNano ?? 0))
  }
  const began = Number(BigInt(root?.startTimeUnixNano ?? 0) / 1_000_000n)
  expect([began >= before, began <= Date.now()]).toEqual([true, true])
  const sent = receiver.received.map(({ body }) => body).join('')
  for (const text of ['please use tools', 'ls -l', 'no such folder', 'find the config', 'all is well', '/etc'])
    expect(sent).not.toContain(text)
  expect(await sink()).toMatchObject({ problem: null, dropped: NONE, warnings: [] })
})

heavily(test)('with the content option, redacted texts are included; headers come from their file', async () => {
  writeFileSync(join(folder.path, 'headers'), 'authorization: Bearer of-the-collector\nx-team: ours\n')
  await start({ 'otel.content': true, 'otel.headers_file': 'headers' })
  const secret = `sk-ant-api03-${'Ab1'.repeat(31)}AA`
  await toolTurn()
  await (await ask(app?.proxy ?? '', { prompt: `what is ${secret}?`, session: 'two' })).text()
  await until(
    'both turns came',
    async () => named('invoke_agent Claude Code').length === 2 && (await sink()).waiting === 0,
  )
  expect(receiver.received[0]?.headers).toMatchObject({ authorization: 'Bearer of-the-collector', 'x-team': 'ours' })
  const inputs = named('invoke_agent Claude Code').map((root) => String(attribute(root, 'gen_ai.input.messages')))
  expect(inputs).toEqual(
    expect.arrayContaining([
      '[{"role":"user","parts":[{"type":"text","content":"please use tools"}]}]',
      expect.stringContaining('[redacted:anthropic-key:'),
    ]),
  )
  expect(attribute(named('execute_tool Bash')[0], 'gen_ai.tool.call.arguments')).toBe('{"command":"ls -l"}')
  expect(attribute(named('execute_tool Bash')[0], 'gen_ai.tool.call.result')).toBe('no such folder')
  expect(receiver.received.map(({ body }) => body).join('')).not.toContain(secret)
})

const TROUBLES = [
  ['answers 500', answers(500)],
  ['answers 400', answers(400)],
  ['hangs', hangs],
] as const

test.each(few(TROUBLES, 1))(
  'while the collector %s, clients are served and recorded; later each turn arrives as the same trace',
  async (_, manner) => {
    receiver.behave(manner)
    await start()
    await (await ask(app?.proxy ?? '', { prompt: 'the first', session: 'a' })).text()
    await until('it was tried', async () => receiver.received.length > 0)
    await (await ask(app?.proxy ?? '', { prompt: 'the second', session: 'b' })).text()
    await until('Health reports it', async () => (await sink()).problem !== null)
    await expect.poll(async () => (await sink()).warnings).toContain('otel_failing')
    expect(await app?.running.health()).toMatchObject({ status: 'ok', dropped: NONE, recorder: 'running' })
    const tried = spansOf(receiver.received[0]?.json)
    receiver.behave(takesTraces)
    await until('both arrived', async () => (await sink()).waiting === 0 && (await sink()).problem === null)
    await expect
      .poll(() => new Set(named('invoke_agent Claude Code').map((root) => attribute(root, 'gen_ai.conversation.id'))))
      .toEqual(new Set(['a', 'b']))
    // Failed attempts and the final delivery have the same span and trace ids.
    expect(named('invoke_agent Claude Code')).toHaveLength(2)
    for (const { spanId, traceId } of tried)
      expect(spans()).toContainEqual(expect.objectContaining({ spanId, traceId }))
  },
)

heavily(test)(
  'turns waiting for a missing collector are delivered after a restart; turns over the limit are counted',
  async () => {
    await receiver.vanish()
    await start({ 'otel.max_waiting': 2 })
    for (const session of ['a', 'b', 'c']) await (await ask(app?.proxy ?? '', { prompt: 'hello', session })).text()
    await until('one is dropped', async () => (await sink()).dropped?.['overflow'] === 1)
    await expect.poll(async () => (await sink()).warnings).toContain('otel_overflow')
    await app?.close()
    await receiver.comeBack()
    await start({ 'otel.max_waiting': 2 })
    await until('two arrived', async () => named('invoke_agent Claude Code').length === 2)
    await expect.poll(sink).toMatchObject({ dropped: { overflow: 1 } })
  },
)
