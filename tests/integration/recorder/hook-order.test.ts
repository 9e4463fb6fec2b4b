import { afterAll, beforeAll, expect, test } from 'vitest'
import { hookBytes, look, pass, rows, startRecorder, type RecorderUnderTest } from '../../support/recorder/harness.ts'
import { makeTempFolder, type TempFolder } from '../../support/runner/temp-folder.ts'

let folder: TempFolder
let under: RecorderUnderTest
beforeAll(async () => {
  folder = makeTempFolder()
  under = await startRecorder(folder.path)
})
afterAll(async () => {
  await under.stop()
  folder.remove()
})

const stop = (session: string, text: string) =>
  under.recorder.hook(hookBytes({ session_id: session, hook_event_name: 'Stop', last_assistant_message: text }))
const of = (session: string) =>
  rows(under.dataDir)
    .filter(({ session_id }) => session_id === session)
    .toSorted((a, b) => a.seq - b.seq)

test('the first prompt after the app’s start stays behind the turn that only its request shows', async () => {
  const hook = { session_id: 'resumed', hook_event_name: 'UserPromptSubmit', prompt: 'Paint the sill' }
  under.recorder.hook(hookBytes(hook))
  await pass(under.tap, {
    session: 'resumed',
    messages: [
      { role: 'user', content: 'Paint the roof' },
      { role: 'assistant', content: [{ type: 'text', text: 'It is red.' }] },
      { role: 'user', content: 'Paint the sill' },
    ],
  })
  await under.settled()
  const turns = of('resumed').map(({ turn_id, kind }) => `${turn_id} ${kind}`)
  expect(turns.filter((at) => /prompt|model_request|usage/.test(at)).toSorted()).toEqual([
    '1 user_prompt',
    '2 api_usage',
    '2 model_request',
    '2 user_prompt',
  ])
})

test('a Stop hook that overtakes the answer’s last bytes stays behind the answer and ends it once', async () => {
  let pieces = 0
  await pass(under.tap, {
    session: 'overtaken',
    prompt: 'Paint the door',
    answer: { steps: [{ thinking: 'Blue.' }, { text: 'The door is painted.' }] },
    async between() {
      pieces += 1
      if (pieces === 5) {
        stop('overtaken', 'The door is painted.')
        // No timer of the proxy has run before or runs now, as on a busy machine.
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 150)
      }
      if (pieces >= 5) await new Promise((resolve) => setImmediate(resolve))
    },
  })
  expect(pieces).toBeGreaterThan(5)
  await under.settled()
  const events = of('overtaken')
  const kinds = events.map(({ kind }) => kind)
  expect(kinds.filter((kind) => kind === 'turn_ended')).toHaveLength(1)
  expect(kinds.indexOf('turn_ended')).toBeGreaterThan(kinds.indexOf('assistant_text'))
  const ended = events.find(({ kind }) => kind === 'turn_ended')
  expect(ended?.parent_uuid).toBe(events.find(({ kind }) => kind === 'assistant_text')?.uuid)
})

test('a hook without an open answer is recorded; one that waits keeps the later ones behind it', async () => {
  stop('alone', 'Nobody heard this.')
  await under.settled()
  expect(of('alone').map(({ kind }) => kind)).toEqual(['turn_ended'])

  await pass(under.tap, {
    session: 'queued',
    prompt: 'Paint the till',
    answer: { steps: [{ text: 'The till is painted.' }] },
    pieceBytes: 100_000,
    async between() {
      await Promise.resolve()
    },
  })
  stop('queued', 'The till is painted.')
  under.recorder.hook(hookBytes({ session_id: 'queued', hook_event_name: 'SessionEnd', reason: 'exit' }))
  await under.settled()
  const kinds = of('queued').map(({ kind }) => kind)
  const order = ['assistant_text', 'turn_ended', 'session_ended'].map((kind) => kinds.indexOf(kind as never))
  expect(order.toSorted((a, b) => a - b)).toEqual(order)
})

test('a prompt’s hook waits for its request, which shows the commands before it and what a fork copied', async () => {
  const block = (text: string) => ({ type: 'text', text })
  const [asked, said] = ['Paint the long fence', 'The long fence is painted.']
  const ran = (command: string) => [
    block(
      `<command-name>${command}</command-name>\n<command-message>x</command-message>\n<command-args></command-args>\n`,
    ),
    block(`<local-command-stdout>${command} is done</local-command-stdout>\n`),
  ]
  const goOn = async (session: string, command: string, prompt: string) => {
    under.recorder.hook(hookBytes({ session_id: session, hook_event_name: 'UserPromptSubmit', prompt, prompt_id: 'p' }))
    await pass(under.tap, {
      session,
      messages: [
        { role: 'user', content: [block(asked)] },
        { role: 'assistant', content: [block(said)] },
        ...(command === '/fork'
          ? [
              { role: 'user' as const, content: ran(command) },
              { role: 'assistant' as const, content: [block('No response requested.')] },
              { role: 'user' as const, content: [block(prompt)] },
            ]
          : [{ role: 'user' as const, content: [...ran(command), block(prompt)] }]),
      ],
    })
    await under.settled()
  }
  const prompts = (session: string) =>
    of(session)
      .filter(({ kind }) => kind === 'user_prompt')
      .map(({ turn_id, payload }) => [turn_id, (JSON.parse(payload) as { text: string }).text])
  await pass(under.tap, { session: 'original', prompt: asked, answer: { steps: [{ text: said }] } })
  await under.settled()
  await goOn('copy', '/fork', 'Go left')
  expect(prompts('copy')).toEqual([[1, 'Go left']])
  await goOn('original', '/model', 'Go on')
  expect(prompts('original')).toEqual([
    [1, asked],
    [2, '/fork'],
    [3, '/model'],
    [4, 'Go on'],
  ])
})

test('an interruption is dated by the answer that it cut, not by the request that shows it', async () => {
  const block = (text: string) => ({ type: 'text', text })
  await pass(under.tap, { session: 'cut', prompt: 'Tell a long story', outcome: 'client_aborted' })
  await under.settled()
  await new Promise((resolve) => setTimeout(resolve, 20))
  const messages = [
    {
      role: 'user' as const,
      content: [block('Tell a long story\n'), block('[Request interrupted by user]\n'), block('A short one')],
    },
  ]
  await pass(under.tap, { session: 'cut', messages })
  await under.settled()
  const at = look(under.dataDir, (db) =>
    db
      .prepare<[], { kind: string; turn: number; at: number }>(
        `SELECT kind, turn_id AS turn, unixepoch(ts_wall, 'subsec') * 1000 AS at FROM events WHERE session_id = 'cut' ORDER BY id`,
      )
      .all(),
  )
  const end = at.find(({ kind }) => kind === 'model_response')?.at
  const mark = at.find(({ kind }) => kind === 'state_change')
  expect(mark?.turn).toBe(1)
  expect(mark?.at).toBe(end)
})

test('a call that was cut ends when the client was last heard, before the next prompt', async () => {
  const call = { type: 'tool_use', id: 'toolu_cut', name: 'Bash', input: { command: 'sleep 60' } }
  await pass(under.tap, { session: 'refused', prompt: 'Wait a minute' })
  await under.settled()
  const asked = { session_id: 'refused', tool_name: 'Bash', tool_input: call.input, tool_use_id: call.id }
  await new Promise((resolve) => setTimeout(resolve, 20))
  under.recorder.hook(hookBytes({ hook_event_name: 'PermissionRequest', ...asked }))
  await new Promise((resolve) => setTimeout(resolve, 20))
  const result = { type: 'tool_result', tool_use_id: call.id, content: 'rejected', is_error: true }
  const mark = { type: 'text', text: '[Request interrupted by user for tool use]' }
  const messages = [
    { role: 'user' as const, content: [{ type: 'text', text: 'Wait a minute' }] },
    { role: 'assistant' as const, content: [call] },
    { role: 'user' as const, content: [result, mark, { type: 'text', text: 'Go on' }] },
  ]
  await pass(under.tap, { session: 'refused', messages })
  await under.settled()
  const times = look(under.dataDir, (db) =>
    db
      .prepare<[], { name: string; ts_wall: string }>(
        `SELECT coalesce(payload ->> 'name', kind) AS name, ts_wall FROM events WHERE session_id = 'refused'
         AND (kind IN ('state_change', 'tool_result') OR (kind = 'user_prompt' AND turn_id = 2)) ORDER BY ts_wall, id`,
      )
      .all(),
  )
  expect(times.map(({ name }) => name)).toEqual(['permission_asked', 'tool_result', 'interrupted', 'user_prompt'])
  expect(new Set(times.map(({ ts_wall }) => ts_wall)).size).toBe(2)
})
