import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ANTHROPIC_SDK } from '../support/client/anthropic-sdk.ts'
import { messageOf } from '../support/recorder/sdk-exchange.ts'
import { startApp, type TestApp } from '../support/app/start-app.ts'
import { until } from '../support/runner/until.ts'
import { lacks } from '../support/runner/lacks.ts'

const SDK = ANTHROPIC_SDK.find()
/** Through the proxy: the API's own address would bypass it. */
let resultsUrl = ''
const BATCH = { id: 'msgbatch_sdk', type: 'message_batch', processing_status: 'ended' }

interface Line {
  readonly kind: string
  readonly session_id: string
  readonly payload: { readonly [field: string]: unknown }
}

/** The part of the API that the programs below use. Each answer repeats the last words that it was sent. */
async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await text(request)
  const address = new URL(request.url ?? '/', 'http://upstream')
  const json = (value: unknown) => response.setHeader('content-type', 'application/json').end(JSON.stringify(value))
  if (address.pathname === '/v1/messages/count_tokens') return void json({ input_tokens: 12 })
  if (address.pathname === '/v1/messages/batches')
    return void json({
      ...BATCH,
      results_url: resultsUrl,
    })
  if (address.pathname === `/v1/messages/batches/${BATCH.id}`)
    return void json({
      ...BATCH,
      results_url: resultsUrl,
    })
  if (address.pathname === `/v1/messages/batches/${BATCH.id}/results`) {
    const lines = ['a', 'b'].map((id) =>
      JSON.stringify({
        custom_id: id,
        result: { type: 'succeeded', message: messageOf(`msg_b_${id}`, `Batch ${id}.`) },
      }),
    )
    return void response.setHeader('content-type', 'application/binary').end(`${lines.join('\n')}\n`)
  }
  if (address.pathname !== '/v1/messages') return void json({ data: [], has_more: false })
  const { messages, stream } = JSON.parse(body) as { messages: { content: string }[]; stream?: boolean }
  const message = messageOf(`msg_${messages.length}_${Math.random()}`, `To ${messages.at(-1)?.content ?? ''}`)
  if (stream !== true) return void json(message)
  const events = [
    { type: 'message_start', message: { ...message, content: [], stop_reason: null } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: message.content[0]?.text } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: message.usage },
    { type: 'message_stop' },
  ]
  response.setHeader('content-type', 'text/event-stream')
  response.end(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(''))
}

const TALK = `
const ask = (messages) => client.messages.create({ model, max_tokens: 9, messages })
const user = (content) => ({ role: 'user', content })
const one = [user('Hi.')], two = [user('Hi.')]
for (const talk of [one, two]) talk.push({ role: 'assistant', content: (await ask(talk)).content })
one.push(user('First.')); two.push(user('Second.'))
await Promise.all([ask(one), client.messages.stream({ model, max_tokens: 9, messages: two }).finalMessage()])
await client.messages.countTokens({ model, messages: [user('Alone.')] })
await client.beta.messages.create({ model, max_tokens: 9, messages: [user('Alone.')] })
await client.models.list()
`
const BATCHED = `
const params = (content) => ({ model, max_tokens: 9, messages: [{ role: 'user', content }] })
await client.messages.batches.create({
  requests: ['a', 'b'].map((id) => ({ custom_id: id, params: params('Ask ' + id) })),
})
`
const READ = `for await (const result of await client.messages.batches.results('${BATCH.id}')) console.log(result.custom_id)`

describe.skipIf(lacks(SDK !== null))('the bare SDK', () => {
  let upstream: Server
  let app: TestApp
  beforeAll(async () => {
    upstream = createServer((request, response) => void serve(request, response))
    upstream.listen(0, '127.0.0.1')
    await once(upstream, 'listening')
    app = await startApp({ upstream: `http://127.0.0.1:${(upstream.address() as AddressInfo).port}` })
    resultsUrl = `${app.proxy}/v1/messages/batches/${BATCH.id}/results`
  })
  afterAll(async () => {
    await app?.close()
    upstream?.close()
  })

  /** Runs a program with the SDK in a separate process. */
  async function run(program: string): Promise<string> {
    const code = `import Anthropic from ${JSON.stringify(pathToFileURL(SDK ?? '').href)}
const client = new Anthropic({ apiKey: 'sk-ant-api03-test', baseURL: ${JSON.stringify(app.proxy)} })
const model = 'claude-sonnet-5-5'
${program}`
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code], {
      timeout: 60_000,
    })
    return stdout
  }

  async function talks(): Promise<string[][]> {
    const { items } = await app.call<{ items: { event: Line }[] }>('events.export', { limit: 1000 })
    const said = items
      .map(({ event }) => event)
      .filter(({ kind }) => kind === 'user_prompt' || kind === 'assistant_text')
    const bySession = Map.groupBy(said, ({ session_id }) => session_id)
    return [...bySession.values()].map((events) => events.map(({ payload }) => String(payload['text'])))
  }

  test('each conversation is a session, streamed or not, side by side', async () => {
    await run(TALK)
    await until('all answers are recorded', async () => (await app.count({ kind: 'assistant_text' })) === 5)
    expect(new Set((await talks()).map((said) => said.join(' ')))).toEqual(
      new Set(['Hi. To Hi. First. To First.', 'Hi. To Hi. Second. To Second.', 'Alone. To Alone.']),
    )
  })

  test('a batch of one process, read twice by others, has its words and its cost once', async () => {
    await run(BATCHED)
    expect(await run(READ)).toBe('a\nb\n')
    await run(READ)
    const session = `batch-${BATCH.id}`
    await until(
      'both answers are recorded',
      async () => (await app.count({ kind: 'api_usage', session_id: session })) === 2,
    )
    await until('both readings are recorded', async () => {
      const { items } = await app.call<{ items: { event: Line }[] }>('events.export', { limit: 1000 })
      const results = items.filter(({ event }) => String(event.payload['path'] ?? '').endsWith('/results'))
      return results.length === 2
    })
    const said = (await talks()).find((texts) => texts.includes('Ask a'))
    expect(said).toEqual(['Ask a', 'Ask b', 'Batch a.', 'Batch b.'])
    // 1000 input tokens at $2 and 100 output tokens at $10 per million, twice, at half the price.
    expect((await app.call('sessions.get', { session_id: session }))['total_cost_usd']).toBeCloseTo(0.003, 9)
  })
})
