import { expect, test } from 'vitest'
import type { Demo, DemoExchange } from '../../../src/main/demo/demo-file.ts'
import { DemoPlayer, ROUND_MARK } from '../../../src/main/demo/demo-player.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'
import { look, startRecorder } from '../../support/recorder/harness.ts'
import { messageEvents } from '../../support/demo/traffic/answer-events.ts'

const SESSION = `5b1c0000-0000-4000-a000-${ROUND_MARK}0001`

function exchange(number: number, at: number, add: DemoExchange['add']): DemoExchange {
  const usage = { input_tokens: 9, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 }
  const { events, tookMs } = messageEvents({
    id: `msg_01${ROUND_MARK}${number}`,
    model: 'claude-sonnet-5-5',
    blocks: [{ text: `This is answer ${number}, and it is long enough to be sent in several pieces.` }],
    stopReason: 'end_turn',
    inputUsage: usage,
    outputTokens: 20,
    thinkingTokens: 0,
    ttftMs: 20,
  })
  return {
    kind: 'exchange',
    session: SESSION,
    at,
    path: '/v1/messages?beta=true',
    headers: [['x-claude-code-session-id', SESSION]],
    conversation: SESSION,
    keep: number === 1 ? 0 : 1,
    add,
    list: 'messages',
    fields: 'shared',
    status: 200,
    answerHeaders: [['request-id', `req_01${number}`]],
    events,
    tookMs,
  }
}

const said = (text: string) => ({ role: 'user', content: [{ type: 'text', text }] })
const STEPS: Demo['history'] = [
  {
    kind: 'hook',
    session: SESSION,
    at: -9000,
    body: { session_id: SESSION, hook_event_name: 'SessionStart', source: 'startup' },
  },
  exchange(1, -8000, [said('first')]),
  {
    kind: 'hook',
    session: SESSION,
    at: -3000,
    body: { session_id: SESSION, hook_event_name: 'PreCompact', trigger: 'auto' },
  },
  exchange(2, -2000, [{ role: 'assistant', content: [{ type: 'text', text: 'This is answer 1' }] }, said('second')]),
]
const fields = new Map([
  [
    'shared',
    {
      model: 'claude-sonnet-5-5',
      max_tokens: 100,
      stream: true,
      system: 'You are Claude Code.',
      tools: [{ name: 'Bash', input_schema: {} }],
    },
  ],
])
interface Stored {
  readonly kind: string
  readonly session_id: string
  readonly ts_wall: string
}
const storedIn = (folder: string): Stored[] =>
  look(folder, (db) => db.prepare<[], Stored>('SELECT kind, session_id, ts_wall FROM events ORDER BY id').all())

const demoOf = (demo: Partial<Demo>): Demo => ({ fields, history: [], live: [], liveMs: 0, ...demo })

test('the history is stored in order, with the times it had', async () => {
  using folder = makeTempFolder()
  const under = await startRecorder(folder.path)
  const until = Date.parse('2026-11-20T12:00:00.000Z')
  try {
    await new DemoPlayer(demoOf({ history: STEPS }), under, new AbortController().signal).write(until)
    const stored = storedIn(folder.path).map(({ kind, ts_wall: at }) => `${kind} ${at.slice(14, 19)}`)
    expect(stored).toEqual([
      'session_started 59:51',
      'user_prompt 59:52',
      'model_request 59:52',
      'assistant_text 59:52',
      'api_usage 59:52',
      'turn_ended 59:52',
      'model_response 59:52',
      'rate_limit 59:52',
      'state_change 59:57',
      'user_prompt 59:58',
      'model_request 59:58',
      'assistant_text 59:58',
      'api_usage 59:58',
      'turn_ended 59:58',
      'model_response 59:58',
      'rate_limit 59:58',
    ])
  } finally {
    await under.stop()
  }
})

test('the live part is streamed as it happens, and each round has sessions of its own', async () => {
  using folder = makeTempFolder()
  const under = await startRecorder(folder.path)
  const ending = new AbortController()
  const begun = Date.now()
  const live = STEPS.map((step) => ({ ...step, at: step.at + 9000 })).filter(({ at }) => at < 2000)
  try {
    const playing = new DemoPlayer(demoOf({ live, liveMs: 0 }), under, ending.signal).live()
    await expect.poll(() => under.events.some(({ kind }) => kind === 'model_response'), { timeout: 20_000 }).toBe(true)
    const texts = under.deltas.map(({ text }) => text)
    expect(texts.join('')).toContain('This is answer 1, and it is long enough')
    ending.abort()
    await expect(playing).rejects.toThrow('aborted')
    await under.settled()
    const stored = storedIn(folder.path)
    expect(Date.parse(stored[0]?.ts_wall ?? '')).toBeGreaterThanOrEqual(begun)
    expect(stored.every(({ session_id: id }) => id.startsWith('5b1c0000') && !id.includes(ROUND_MARK))).toBe(true)
  } finally {
    await under.stop()
  }
})

test('a demo that is stopped while it is written ends', async () => {
  using folder = makeTempFolder()
  const under = await startRecorder(folder.path)
  const ending = new AbortController()
  try {
    const written = new DemoPlayer(demoOf({ history: STEPS }), under, ending.signal).write(Date.now())
    ending.abort()
    await expect(written).rejects.toThrow('aborted')
  } finally {
    await under.stop()
  }
})
