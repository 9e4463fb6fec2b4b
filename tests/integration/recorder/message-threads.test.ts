import { expect, test } from 'vitest'
import { startMessagesUpstream } from '../../support/upstream/messages-upstream.ts'
import { startApp } from '../../support/app/start-app.ts'
import { until } from '../../support/runner/until.ts'

const SESSION = 'a-threaded-session'

async function send(proxy: string, body: object): Promise<void> {
  const response = await fetch(`${proxy}/v1/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': 'sk-ant-x', 'x-claude-code-session-id': SESSION },
    body: JSON.stringify({
      model: 'claude-opus-5-5',
      max_tokens: 100,
      stream: true,
      tools: [{ name: 'Bash' }],
      ...body,
    }),
  })
  await response.arrayBuffer()
}

test('a thread whose requests carry only new messages is restored as a whole conversation', async () => {
  await using upstream = await startMessagesUpstream((_, n) => ({
    messageId: `msg_thread_${n}`,
    steps:
      n === 0
        ? [{ text: 'First answer.' }, { tool: 'Bash', input: { command: 'ls' }, id: 'toolu_t' }]
        : [{ text: `Answer ${n}.` }],
  }))
  await using app = await startApp({ upstream: upstream.url })
  const result = { type: 'tool_result', tool_use_id: 'toolu_t', content: 'a.txt' }
  await send(app.proxy, { messages: [{ role: 'user', content: 'First question.' }] })
  await send(app.proxy, {
    thread: { type: 'continue', previous_message_id: 'msg_thread_0' },
    messages: [{ role: 'user', content: [result] }],
  })
  await send(app.proxy, {
    thread: { type: 'continue', previous_message_id: 'msg_thread_1' },
    messages: [{ role: 'user', content: 'Second question.' }],
  })
  type Listed = { items: readonly { uuid: string; payload: { [name: string]: unknown } }[] }
  const list = (kind: string) => app.call<Listed>('events.list', { session_id: SESSION, kind })
  await until('all answers are recorded', async () => (await list('model_response')).items.length === 3)

  const prompts = (await list('user_prompt')).items.map(({ payload }) => payload['text'])
  expect(prompts).toEqual(['First question.', 'Second question.'])
  const last = (await list('model_request')).items.at(-1)
  const thread = await app.call<{ messages: { role: string; content: unknown }[]; complete: boolean }>(
    'requests.thread',
    { uuid: last?.uuid },
  )
  expect(thread.complete).toBe(true)
  expect(thread.messages.map(({ role, content }) => [role, content])).toEqual([
    ['user', 'First question.'],
    [
      'assistant',
      [
        { type: 'text', text: 'First answer.' },
        { type: 'tool_use', id: 'toolu_t', name: 'Bash', input: { command: 'ls' } },
      ],
    ],
    ['user', [result]],
    ['assistant', [{ type: 'text', text: 'Answer 1.' }]],
    ['user', 'Second question.'],
  ])
})
