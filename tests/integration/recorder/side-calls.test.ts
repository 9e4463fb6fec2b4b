import { expect, test } from 'vitest'
import { startApp } from '../../support/app/start-app.ts'
import { until } from '../../support/runner/until.ts'
import { startMessagesUpstream } from '../../support/upstream/messages-upstream.ts'

/** Claude Code repeats the whole conversation to ask something beside it, also while a turn goes on. */

const SESSION = 'side-calls'
const BESIDE =
  '<system-reminder>This is a side question from the user. You must answer this question directly in a single response.</system-reminder>\n\n'
const text = (words: string) => ({ type: 'text', text: words })
const call = (id: string) => ({ role: 'assistant', content: [{ type: 'tool_use', id, name: 'Bash', input: {} }] })
const result = (id: string, ...more: readonly object[]) => ({
  role: 'user',
  content: [{ type: 'tool_result', tool_use_id: id, content: 'ok' }, ...more],
})

test('a side call adds nothing to the turn and does not end it', async () => {
  await using upstream = await startMessagesUpstream((_, n) =>
    n === 0
      ? { steps: [{ tool: 'Bash', input: {}, id: 'call-1' }] }
      : { steps: [{ text: ['', 'No, blue.', 'Painted.', 'run the tests', 'You paint a door.', 'Sold.'][n] ?? '' }] },
  )
  await using app = await startApp({ upstream: upstream.url })
  const first = { role: 'user', content: 'Paint the door.' }
  const painted = { role: 'assistant', content: [text('Painted.')] }
  const turn = [first, call('call-1'), result('call-1')]
  for (const messages of [
    [first],
    [first, call('call-1'), result('call-1', text(BESIDE), text('Is it red?'))],
    turn,
    [...turn, painted, { role: 'user', content: '[SUGGESTION MODE: Suggest what the user might naturally type next]' }],
    [...turn, painted, { role: 'user', content: 'The user stepped away and is coming back. Recap in 40 words.' }],
    [...turn, painted, { role: 'user', content: 'Sell it.' }],
  ]) {
    const response = await fetch(`${app.proxy}/v1/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': 'sk-ant-x', 'x-claude-code-session-id': SESSION },
      body: JSON.stringify({
        model: 'claude-opus-5-5',
        max_tokens: 100,
        stream: true,
        tools: [{ name: 'Bash' }],
        messages,
      }),
    })
    await response.arrayBuffer()
  }
  type Row = { turn_id: number; payload: { [name: string]: unknown } }
  const list = async (kind: string, field: string) =>
    (await app.call<{ items: readonly Row[] }>('events.list', { session_id: SESSION, kind })).items.map((row) => [
      row.turn_id,
      row.payload[field],
    ])
  await until('all is recorded', async () => (await list('model_response', 'status')).length === 6)
  expect(await list('user_prompt', 'text')).toEqual([
    [1, 'Paint the door.'],
    [2, '/btw Is it red?'],
    [3, 'Sell it.'],
  ])
  expect(await list('turn_ended', 'last_text')).toEqual([
    [1, 'Painted.'],
    [2, 'No, blue.'],
    [3, 'Sold.'],
  ])
  const ends = await app.call<{ items: readonly { ts_wall: string }[] }>('events.list', {
    session_id: SESSION,
    kind: 'turn_ended',
  })
  const turn1 = await app.call<{ ended_at: string }>('sessions.turn', { session_id: SESSION, turn: 1 })
  expect(turn1.ended_at).toBe(ends.items[0]?.ts_wall)
  expect(await list('tool_result', 'call_id')).toEqual([[1, 'call-1']])
  expect((await list('assistant_text', 'text')).filter(([at]) => at !== 2)).toEqual([
    [1, 'Painted.'],
    [3, 'Sold.'],
  ])
  expect(await list('model_request', 'request_kind')).toEqual([
    [1, 'prompt'],
    [1, 'loop'],
    [1, 'side_call'],
    [1, 'side_call'],
    [2, 'side_call'],
    [3, 'prompt'],
  ])
})
