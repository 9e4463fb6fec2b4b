import { statSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createGrowingBodies } from '../../../src/main/decode/wire/growing-body.ts'
import { readerHandlers } from '../../../src/main/operations/reader/reader-handlers.ts'
import { UnnamedAgents } from '../../../src/main/recorder/thread/capture/unnamed-agents.ts'
import { createAgentCalls } from '../../../src/main/recorder/thread/capture/agent-calls.ts'
import { ContinuedRequests } from '../../../src/main/recorder/thread/capture/continued-requests.ts'
import { createConversations } from '../../../src/main/recorder/thread/capture/conversation.ts'
import { SocketConnections } from '../../../src/main/decode/wire/websocket/socket-connections.ts'
import { UnnamedSessions } from '../../../src/main/recorder/thread/capture/unnamed-sessions.ts'
import { ExchangeDecoder } from '../../../src/main/recorder/thread/capture/exchange-decoder.ts'
import { createRedactor } from '../../../src/main/redaction/create-redactor.ts'
import type { JsonObject } from '../../../src/shared/event.ts'
import { reading } from '../../support/store/reading.ts'
import { HASH_KEY, openTestStore } from '../../support/store/folder.ts'
import { runs } from '../../support/runner/heavy.ts'
import { seeded } from '../../support/store/history.ts'

const REQUESTS = runs(300, 2000)
const ASKED_FOR = Math.floor(REQUESTS * 0.7)
/** Requests of one turn: a prompt, then calls and their results. */
const LOOP = 20
/** From one request with a picture to the next. */
const PICTURED = 200
const SESSION = 'a-long-session'
const KEY = `sk-ant-api03-${'Ab1'.repeat(31)}AA`
const PICTURE = Buffer.alloc(5000, 9).toString('base64')

const headers: readonly (readonly [string, string])[] = [
  ['content-type', 'application/json'],
  ['x-claude-code-session-id', SESSION],
]

/** Text as programs and people write it: words of a language, common ones often, and now and then a new one. */
function writer(seed: number): (words: number) => string {
  const random = seeded(seed)
  const newWord = () => Math.floor(random() * 36 ** 6).toString(36)
  const vocabulary = Array.from({ length: 4000 }, newWord)
  const word = () => (random() < 0.02 ? newWord() : (vocabulary[Math.floor(4000 * random() ** 3)] ?? ''))
  return (words) => Array.from({ length: words }, word).join(' ')
}

const sse = (data: { readonly type: string; readonly [field: string]: unknown }): string =>
  `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`

interface Call {
  readonly id: string
  readonly name: string
  readonly input: JsonObject
}

/** A few characters a delta, as the API writes. */
const pieces = (text: string): readonly string[] => text.match(/.{1,12}/gs) ?? []

/** An answer as the API streams it: some words, and a call where the loop goes on. */
function answerOf(n: number, text: string, call: Call | null): Buffer {
  const usage = { input_tokens: 10, output_tokens: 1, cache_read_input_tokens: n }
  const message = { id: `msg_${n}`, role: 'assistant', model: 'claude-opus-5-5', content: [], usage }
  const said = pieces(text).map((piece) => ({ type: 'text_delta', text: piece }))
  const input = pieces(JSON.stringify(call?.input ?? {})).map((piece) => ({
    type: 'input_json_delta',
    partial_json: piece,
  }))
  const called =
    call === null
      ? ''
      : sse({ type: 'content_block_start', index: 1, content_block: { type: 'tool_use', ...call, input: {} } }) +
        input.map((delta) => sse({ type: 'content_block_delta', index: 1, delta })).join('') +
        sse({ type: 'content_block_stop', index: 1 })
  const ending = { stop_reason: call === null ? 'end_turn' : 'tool_use' }
  return Buffer.from(
    sse({ type: 'message_start', message }) +
      sse({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }) +
      said.map((delta) => sse({ type: 'content_block_delta', index: 0, delta })).join('') +
      sse({ type: 'content_block_stop', index: 0 }) +
      called +
      sse({ type: 'message_delta', delta: ending, usage: { output_tokens: 99 } }) +
      sse({ type: 'message_stop' }),
  )
}

/** A prompt; some hold a picture, one a key. */
function promptOf(n: number, write: (words: number) => string): JsonObject {
  const text = { type: 'text', text: `Question ${n}: ${write(60)}${n === 40 ? ` with ${KEY}` : ''}` }
  const source = { type: 'base64', media_type: 'image/png', data: PICTURE }
  return { role: 'user', content: n % PICTURED === 0 ? [{ type: 'image', source }, text] : [text] }
}

const resultOf = (n: number, write: (words: number) => string): JsonObject => ({
  role: 'user',
  content: [{ type: 'tool_result', tool_use_id: `toolu_${n}`, content: `${n}: ${write(400)}` }],
})

const bytesOf = (text: string) => new TextEncoder().encode(text)

/** The bodies of a session as the client writes them; the messages so far are joined once, not with each request. */
function createBodies() {
  const written: Uint8Array<ArrayBuffer>[] = []
  const frame = {
    system: [{ type: 'text', text: 'You are Claude Code.', cache_control: { type: 'ephemeral' } }],
    tools: [{ name: 'Bash', description: 'Runs a command.', input_schema: { type: 'object' } }],
    max_tokens: 32_000,
    stream: true,
  }
  const head = bytesOf('{"model":"claude-opus-5-5","messages":[')
  return {
    /** The request that ends with `message`, in pieces. */
    request(message: JsonObject): readonly Uint8Array<ArrayBuffer>[] {
      const last = bytesOf(`${JSON.stringify(marked(message))}],${JSON.stringify(frame).slice(1)}`)
      return [head, ...written, last]
    },
    push(...messages: readonly JsonObject[]): void {
      const added = bytesOf(messages.map((message) => `${JSON.stringify(message)},`).join(''))
      // Few and large pieces, as a socket gives them.
      const last = written.at(-1)
      if (last && last.length < 1_000_000) written[written.length - 1] = new Uint8Array(Buffer.concat([last, added]))
      else written.push(added)
    },
  }
}

test(`a session of ${REQUESTS} requests takes less than three times its last request and its answers, and each comes back`, async () => {
  const { store, dbPath } = openTestStore()
  const redactor = createRedactor({ hashKey: HASH_KEY, enabled: true })
  const { ingest } = store
  const conversations = createConversations({
    redactor,
    putContent: (text) => ingest.putContent(text),
    lastRequest: (sessionId, agentId) => ingest.lastRequest(sessionId, agentId),
  })
  const agentCalls = createAgentCalls(redactor.hash)
  const shared = {
    conversations,
    agentCalls,
    unnamedAgents: new UnnamedAgents(agentCalls),
    unnamed: new UnnamedSessions(redactor.hash, () => []),
    bodies: createGrowingBodies(),
    continued: new ContinuedRequests(),
    sockets: new SocketConnections(),
    hash: redactor.hash,
  }
  const write = writer(7)
  const sent = createBodies()
  let answerBytes = 0
  let lastBytes = 0
  let asked = ''

  for (let n = 0; n < REQUESTS; n += 1) {
    const message = n % LOOP === 0 ? promptOf(n, write) : resultOf(n - 1, write)
    const body = sent.request(message)
    lastBytes = body.reduce((sum, piece) => sum + piece.length, 0)
    if (n === ASKED_FOR) asked = Buffer.concat(body).toString()

    const of = { exchange: `exchange-${n}`, at: n * 20_000 }
    const wall = 1_790_000_000_000 + of.at
    const decoder = new ExchangeDecoder({
      open: { ...of, type: 'open', wall, method: 'POST', path: '/v1/messages', headers },
      ...shared,
    })
    for (const piece of body) decoder.requestBytes({ ...of, type: 'request_bytes', bytes: piece })
    const { drafts, taken } = decoder.requestEnd()
    const answer = write(60)
    const call = (n + 1) % LOOP === 0 ? null : { id: `toolu_${n}`, name: 'Bash', input: { command: write(30) } }
    const answered = answerOf(n, answer, call)
    answerBytes += answered.length
    decoder.responseHead({
      ...of,
      type: 'response_head',
      status: 200,
      headers: [['content-type', 'text/event-stream']],
    })
    await decoder.responseBytes({ ...of, type: 'response_bytes', bytes: new Uint8Array(answered) })
    const end = await decoder.end({ ...of, type: 'end', outcome: 'complete', error: null })
    store.ingest.append(
      [...drafts, ...end].map((draft) => {
        const clean = redactor.draft(draft)
        const request = taken.get(of.exchange)?.request
        return clean.kind === 'model_request' && request ? { ...clean, payload: { ...clean.payload, request } } : clean
      }),
    )
    const blocks = call === null ? [] : [{ type: 'tool_use', ...call }]
    sent.push(message, { role: 'assistant', content: [{ type: 'text', text: answer }, ...blocks] })
  }
  store.maintenance.checkpoint()
  store.close()

  const uuid = `exchange-${ASKED_FOR}`
  const found = reading(dbPath, (reader) => readerHandlers['requests.get'](reader, { uuid }))
  const mark = /\[redacted:[^\]]+\]/.exec(JSON.stringify(found.body))?.[0] ?? 'nothing was redacted'
  const images = JSON.stringify(found.body).match(/"hash":"[0-9a-f]{32}"/g) ?? []
  expect(images).toHaveLength(Math.floor(ASKED_FOR / PICTURED) + 1)
  expect(withoutPictures(found.body)).toEqual(withoutPictures(JSON.parse(asked.replaceAll(KEY, mark))))
  expect(statSync(dbPath).size).toBeLessThan(3 * (lastBytes + answerBytes))
})

function marked(message: JsonObject): JsonObject {
  const content = Array.isArray(message['content']) ? (message['content'] as readonly JsonObject[]) : []
  return { ...message, content: content.map((block) => ({ ...block, cache_control: { type: 'ephemeral' } })) }
}

/** Images, whole or by reference, as nothing but their place. */
function withoutPictures(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutPictures)
  if (typeof value !== 'object' || value === null) return value
  if ('type' in value && value.type === 'image') return { type: 'image' }
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withoutPictures(item)]))
}
