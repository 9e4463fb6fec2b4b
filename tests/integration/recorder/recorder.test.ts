import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { configSchema } from '../../../src/shared/config.ts'
import { parcelOf } from '../../../src/main/proxy/fixtures/parcel-of.ts'
import type { TapMessage } from '../../../src/main/proxy/protocol/tap-protocol.ts'
import type { FromRecorder, ToRecorder } from '../../../src/main/recorder/protocol.ts'
import { Recorder } from '../../../src/main/recorder/thread/recorder.ts'

const log = () => undefined
let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'aspy-recorder-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** One life of a recorder: takes the messages, commits, ends. */
async function live(...messages: ToRecorder[]): Promise<FromRecorder[]> {
  const sent: FromRecorder[] = []
  const recorder = new Recorder({
    start: {
      dataDir: folder,
      config: configSchema.parse({}),
      appVersion: '0.0.0-test',
      isDemo: false,
      vitalSigns: new SharedArrayBuffer(0),
      timeOrigin: performance.timeOrigin,
    },
    hashKey: Buffer.alloc(32, 1),
    vitalSigns: { workOn: log },
    logger: { debug: log, info: log, warn: log, error: log },
    send: (message) => void sent.push(message),
  })
  for (const message of messages) recorder.receive(message)
  await recorder.stop()
  return sent
}

function stored() {
  const db = new Database(join(folder, 'lifestats.db'), { readonly: true })
  try {
    return db.prepare<[], { kind: string }>('SELECT id, uuid, kind, payload FROM events ORDER BY id').all()
  } finally {
    db.close()
  }
}

const hook = (id: string, fields: object): ToRecorder => ({
  type: 'hook',
  id,
  body: new TextEncoder().encode(JSON.stringify({ session_id: 's', ...fields })),
  wall: Date.UTC(2026, 10, 21, 10),
  at: 1,
})

const hooks = [
  hook('h1', { hook_event_name: 'SessionStart', source: 'startup' }),
  hook('h2', { hook_event_name: 'UserPromptSubmit', prompt: 'go' }),
  hook('h3', { hook_event_name: 'UserPromptSubmit', prompt: 'go' }),
  hook('h4', { hook_event_name: 'Notification', message: 'waiting' }),
  hook('h5', { hook_event_name: 'Stop', last_assistant_message: 'done' }),
  hook('h6', { hook_event_name: 'SomethingNew', field: 1 }),
]

function exchange(id: string, prompts: readonly string[], isCut = false): ToRecorder {
  const messages = prompts.flatMap((content, at) => [
    ...(at > 0 ? [{ role: 'assistant', content: `answer ${at - 1}` }] : []),
    { role: 'user', content },
  ])
  const body = { model: 'm', max_tokens: 9, tools: [{ name: 'Bash' }], messages }
  const answer = {
    id: `msg_${id}`,
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [{ type: 'text', text: `answer ${prompts.length - 1}` }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 1, output_tokens: 1 },
  }
  const wall = Date.UTC(2026, 10, 21, 11, prompts.length)
  const headers = [['x-claude-code-session-id', 'wire']] as const
  const all: TapMessage[] = [
    { type: 'open', exchange: id, at: 1, wall, method: 'POST', path: '/v1/messages', headers },
    { type: 'request_bytes', exchange: id, at: 1, bytes: new TextEncoder().encode(JSON.stringify(body)) },
    { type: 'request_end', exchange: id, at: 2 },
    { type: 'response_head', exchange: id, at: 3, status: 200, headers: [['content-type', 'application/json']] },
    { type: 'response_bytes', exchange: id, at: 4, bytes: new TextEncoder().encode(JSON.stringify(answer)) },
    { type: 'end', exchange: id, at: 5, outcome: 'complete', error: null },
  ]
  return { type: 'tap', parcels: (isCut ? all.slice(0, 3) : all).map(parcelOf) }
}

test('hooks that are delivered again after their commit add nothing; two hooks with the same text are two', async () => {
  const first = await live(...hooks)
  expect(first.filter((message) => message.type === 'hook_recorded')).toHaveLength(6)
  const before = stored()
  expect(before.map((row) => row.kind)).toEqual([
    'session_started',
    'user_prompt',
    'user_prompt',
    'notification',
    'turn_ended',
    'unknown',
  ])
  await live(...hooks)
  expect(stored()).toEqual(before)
})

test.each([
  { what: 'whole', replayed: [exchange('e2', ['a', 'b'])] },
  {
    what: 'all of them',
    replayed: [exchange('e1', ['a']), exchange('e2', ['a', 'b']), exchange('e3', ['a', 'b', 'b'])],
  },
  { what: 'an older one', replayed: [exchange('e1', ['a'])] },
])('exchanges that are delivered again after their commit add nothing: $what', async ({ replayed }) => {
  await live(exchange('e1', ['a']), exchange('e2', ['a', 'b']), exchange('e3', ['a', 'b', 'b']))
  const before = stored()
  expect(before.filter((row) => row.kind === 'user_prompt')).toHaveLength(3)
  const again = await live(...replayed)
  expect(stored()).toEqual(before)
  expect(again.flatMap((message) => (message.type === 'acknowledge' ? message.exchanges : []))).toHaveLength(
    replayed.length,
  )
})

test('an exchange whose request alone was committed is completed by the next recorder', async () => {
  const cut = await live(exchange('e1', ['a'], true))
  expect(cut.some((message) => message.type === 'acknowledge')).toBe(false)
  expect(stored().map((row) => row.kind)).toEqual(['user_prompt', 'model_request'])
  await live(exchange('e1', ['a']))
  const kinds = stored().map((row) => row.kind)
  expect(kinds.filter((kind) => kind === 'user_prompt')).toHaveLength(1)
  expect(kinds).toEqual(expect.arrayContaining(['assistant_text', 'api_usage', 'model_response']))
})

test('a posted event that cannot be stored is refused, and affects neither others nor the counters', async () => {
  const post = (call: number, payload: object): ToRecorder => ({
    type: 'call',
    call,
    name: 'events.post',
    input: { session_id: 's', kind: 'user_prompt', payload },
  })
  const sent = await live(
    ...hooks.slice(0, 2),
    post(1, { nothing: true }),
    post(2, { text: 'kept' }),
    ...hooks.slice(3),
  )
  expect(sent.find((message) => message.type === 'failure')).toMatchObject({ call: 1, error: { code: 'bad_input' } })
  expect(sent.find((message) => message.type === 'result')).toMatchObject({ call: 2 })
  expect(stored().map((row) => row.kind)).toEqual([
    'session_started',
    'user_prompt',
    'user_prompt',
    'notification',
    'turn_ended',
    'unknown',
  ])
  const status = sent.findLast((message) => message.type === 'status')
  // The caller got the error: nothing is lost.
  expect(status).toMatchObject({ status: { dropped: {}, unknown: { 'hook:SomethingNew': 1 } } })
  expect(status).not.toHaveProperty('status.dropped.recorder_failed')
})
