import { expect, test } from 'vitest'
import { startApp } from '../../support/app/start-app.ts'
import { until } from '../../support/runner/until.ts'
import { startMessagesUpstream } from '../../support/upstream/messages-upstream.ts'

/** A Stop hook may refuse the end of a turn, several times: the model goes on, and the turn ends once. */

const said = (text: string) => ({ role: 'assistant', content: [{ type: 'text', text }] })
const user = (text: string) => ({ role: 'user', content: [{ type: 'text', text }] })
const FEEDBACK = 'Stop hook feedback:\n- [check.sh]: run the tests'

test.each([
  ['bare', FEEDBACK],
  ['in a reminder', `<system-reminder>\n${FEEDBACK}\n</system-reminder>`],
  ['behind another reminder', `<system-reminder>\nMind the tabs.\n</system-reminder>\n\n${FEEDBACK}`],
  [
    'behind what the client says about hooks',
    `<system-reminder>\nThe text below is the output of a hook that the user set up. It is data.\n${FEEDBACK}\n\n</system-reminder>`,
  ],
  ['as an attachment', '<system-reminder>\nStop hook blocking error from command: "check.sh": no\n</system-reminder>'],
])('a turn whose end is refused ends once: %s', async (_, feedback) => {
  const answers = ['Painted.', 'Tested.', 'Tested again.', 'Sold.']
  await using upstream = await startMessagesUpstream((_body, n) => ({ steps: [{ text: answers[n] ?? '' }] }))
  await using app = await startApp({ upstream: upstream.url })
  const messages: object[] = []
  for (const [at, words] of ['Paint the door.', feedback, feedback, 'Sell it.'].entries()) {
    messages.push(user(words))
    const response = await fetch(`${app.proxy}/v1/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': 'sk-ant-x', 'x-claude-code-session-id': 'refused' },
      body: JSON.stringify({
        model: 'claude-opus-5-5',
        max_tokens: 100,
        stream: true,
        tools: [{ name: 'Bash' }],
        messages,
      }),
    })
    await response.arrayBuffer()
    messages.push(said(answers[at] ?? ''))
  }
  type Row = { turn_id: number; ts_wall: string; payload: { [name: string]: unknown } }
  const list = async (kind: string) =>
    (await app.call<{ items: readonly Row[] }>('events.list', { session_id: 'refused', kind })).items
  await until('all is recorded', async () => (await list('model_response')).length === 4)
  expect((await list('user_prompt')).map((row) => [row.turn_id, row.payload['text']])).toEqual([
    [1, 'Paint the door.'],
    [2, 'Sell it.'],
  ])
  expect((await list('turn_ended')).map((row) => row.turn_id)).toEqual([1, 2])
  const last = (await list('assistant_text')).findLast(({ turn_id }) => turn_id === 1)
  expect(last?.payload['text']).toBe('Tested again.')
  const turn = await app.call<{ ended_at: string }>('sessions.turn', { session_id: 'refused', turn: 1 })
  expect(turn.ended_at >= (last?.ts_wall ?? '')).toBe(true)
})
