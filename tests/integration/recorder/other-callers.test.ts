import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeTempFolder, type TempFolder } from '../../support/runner/temp-folder.ts'
import { look, rows, startRecorder, type RecorderUnderTest } from '../../support/recorder/harness.ts'
import { messageOf, passSdk, type SdkExchange } from '../../support/recorder/sdk-exchange.ts'

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

const user = (content: string) => ({ role: 'user', content })
const assistant = (text: string) => ({ role: 'assistant', content: [{ type: 'text', text }] })

async function pass(sent: SdkExchange): Promise<void> {
  passSdk(under.tap, sent)
  await under.settled()
}

const ask = (id: string, answer: string, messages: readonly object[], more: object = {}) =>
  pass({
    body: { model: 'claude-sonnet-5-5', max_tokens: 100, messages, ...more },
    answer: messageOf(id, answer),
  })

interface Usage {
  readonly session_id: string
  readonly turn_id: number
  readonly cost_usd: number | null
}

/** Prompts and answers by session, in order. */
function talk(): string[][] {
  const bySession = Map.groupBy(
    rows(folder.path).filter(({ kind }) => kind === 'user_prompt' || kind === 'assistant_text'),
    ({ session_id }) => session_id,
  )
  return [...bySession.values()].map((events) => events.map(({ payload }) => wordsOf(payload)))
}

/** A short text is part of its payload. */
const wordsOf = (payload: string) => String((JSON.parse(payload) as { text: unknown }).text)

const usages = () =>
  look(folder.path, (db) =>
    db.prepare<[], Usage>('SELECT session_id, turn_id, cost_usd FROM api_usage ORDER BY id').all(),
  )

test('two conversations of one caller, interleaved, with the same first words, are two sessions', async () => {
  await ask('m1', 'Four.', [user('Roll.')])
  await ask('m2', 'Six.', [user('Roll.')])
  await ask('m3', 'Five.', [user('Roll.'), assistant('Four.'), user('Again.')])
  await ask('m4', 'One.', [user('Roll.'), assistant('Six.'), user('More.')])
  expect(talk()).toEqual([
    ['Roll.', 'Four.', 'Again.', 'Five.'],
    ['Roll.', 'Six.', 'More.', 'One.'],
  ])
})

test('a conversation goes on in its session after the recorder restarts; a single question never does', async () => {
  await ask('m1', 'Hello.', [user('Hi.')])
  await under.stop()
  under = await startRecorder(folder.path)
  await ask('m2', 'Fine.', [user('Hi.'), assistant('Hello.'), user('How?')])
  await ask('m3', 'Hey.', [user('Hi.')])
  expect(talk()).toEqual([
    ['Hi.', 'Hello.', 'How?', 'Fine.'],
    ['Hi.', 'Hey.'],
  ])
})

test('key, user, program and system prompt each tell callers apart', async () => {
  const body = { model: 'claude-sonnet-5-5', max_tokens: 9, messages: [user('Hi.')] }
  await pass({ body, answer: messageOf('m1', 'a') })
  await pass({ body, answer: messageOf('m2', 'b'), key: 'sk-ant-api03-two' })
  await pass({ body, answer: messageOf('m3', 'c'), userAgent: 'Anthropic/Python 0.60.0' })
  await pass({ body: { ...body, metadata: { user_id: 'u2' } }, answer: messageOf('m4', 'd') })
  await pass({ body: { ...body, system: 'Be brief.' }, answer: messageOf('m5', 'e') })
  expect(talk()).toEqual(['a', 'b', 'c', 'd', 'e'].map((text) => ['Hi.', text]))
})

test('counted tokens belong to the request that follows; files and models are calls without words', async () => {
  const body = { model: 'claude-sonnet-5-5', messages: [user('Long.')] }
  await pass({ path: '/v1/messages/count_tokens?beta=true', body, answer: { input_tokens: 7 } })
  await ask('m1', 'Read.', [user('Long.')])
  await pass({ method: 'GET', path: '/v1/models?limit=5', answer: { data: [] } })
  await pass({ path: '/v1/files?beta=true', body: { name: 'a' }, answer: { id: 'file_1', type: 'file' } })
  await pass({ method: 'DELETE', path: '/v1/unheard-of/1', status: 404, answer: { type: 'error' } })
  const requests = look(folder.path, (db) =>
    db
      .prepare<[], { session_id: string; payload: string }>(
        "SELECT session_id, payload FROM events WHERE kind = 'model_request' ORDER BY id",
      )
      .all(),
  )
  const paths = requests.map(({ payload }) => (JSON.parse(payload) as { path: string }).path)
  expect(paths).toEqual([
    '/v1/messages/count_tokens?beta=true',
    '/v1/messages',
    '/v1/models?limit=5',
    '/v1/files?beta=true',
    '/v1/unheard-of/1',
  ])
  const sessions = requests.map(({ session_id }) => session_id)
  expect(sessions[1]).toBe(sessions[0])
  expect(new Set(sessions.slice(2)).size).toBe(1)
  expect(sessions[2]).not.toBe(sessions[0])
  expect(talk()).toEqual([['Long.', 'Read.']])
})

test('requests of a batch are recorded with their words; results read later, twice, elsewhere are theirs once', async () => {
  const params = (text: string) => ({ model: 'claude-sonnet-5-5', max_tokens: 9, messages: [user(text)] })
  const requests = ['One?', 'Two?', 'Two?', 'Bad?'].map((text, at) => ({
    custom_id: `ask-${at}`,
    params: params(text),
  }))
  await pass({
    path: '/v1/messages/batches?beta=true',
    body: { requests },
    answer: { id: 'msgbatch_1', type: 'message_batch', processing_status: 'in_progress' },
  })
  await under.stop()
  under = await startRecorder(folder.path)
  const succeeded = (at: number, text: string) => ({
    custom_id: `ask-${at}`,
    result: { type: 'succeeded', message: messageOf(`msg_${at}`, text) },
  })
  const failed = { custom_id: 'ask-3', result: { type: 'errored', error: { error: { type: 'x', message: 'no' } } } }
  // Results come in any order.
  const results = [succeeded(2, 'Two again.'), failed, succeeded(0, 'One.'), succeeded(1, 'Two.')]
  for (const key of ['sk-ant-api03-one', 'sk-ant-api03-two'])
    await pass({
      method: 'GET',
      path: '/v1/messages/batches/msgbatch_1/results',
      key,
      answer: results.map((line) => `${JSON.stringify(line)}\n`).join(''),
    })
  const events = rows(folder.path).filter(({ session_id }) => session_id === 'batch-msgbatch_1')
  const ofTurn = (turn: number) =>
    events
      .filter(({ turn_id, kind }) => turn_id === turn && kind !== 'turn_ended')
      .map(({ kind, payload }) => (kind.endsWith('t') && kind !== 'model_request' ? wordsOf(payload) : kind))
  expect([1, 2, 3, 4].map(ofTurn)).toEqual([
    ['One?', 'model_request', 'One.', 'api_usage'],
    ['Two?', 'model_request', 'Two.', 'api_usage'],
    ['Two?', 'model_request', 'Two again.', 'api_usage'],
    ['Bad?', 'model_request', 'error'],
  ])
  // 1000 input tokens at $2 and 100 output tokens at $10 per million, half of it for a batch.
  expect(usages().map(({ session_id, cost_usd }) => [session_id, cost_usd?.toFixed(6)])).toEqual(
    Array.from({ length: 3 }, () => ['batch-msgbatch_1', '0.001500']),
  )
})
