import { expect, test } from 'vitest'
import { recordedEvents, settled } from '../../support/app/recorded-session.ts'
import { startApp } from '../../support/app/start-app.ts'
import { startMessagesUpstream } from '../../support/upstream/messages-upstream.ts'

const CALL = 'toolu_01AAAAAAAAAAAAAAAAAAAAAA'
const HEADERS = {
  'user-agent': 'claude-cli/2.1.332 (external, cli)',
  'x-claude-code-session-id': '10000000-0000-4000-8000-000000000001',
}

test('words beside a result are a turn of their own, and what a web search answers is not said by the model', async () => {
  let requests = 0
  await using upstream = await startMessagesUpstream(() => {
    requests += 1
    return requests === 1
      ? { steps: [{ tool: 'Bash', input: { command: 'ls' }, id: CALL }] }
      : { steps: [{ text: `Answer ${requests}` }] }
  })
  await using app = await startApp({ upstream: upstream.url, settings: { 'transcripts.follow': false } })
  const send = async (messages: readonly object[], more: object = {}) => {
    const tools = [{ name: 'Bash', input_schema: {} }]
    const common = { model: 'claude-sonnet-4-5', max_tokens: 9, stream: true, system: 'You are Claude Code', tools }
    const body = JSON.stringify({ ...common, messages, ...more })
    const sent = await fetch(`${app.proxy}/v1/messages`, { method: 'POST', headers: HEADERS, body })
    await sent.text()
  }
  const asked = { role: 'user', content: 'List them' }
  await send([asked])
  const called = {
    role: 'assistant',
    content: [{ type: 'tool_use', id: CALL, name: 'Bash', input: { command: 'ls' } }],
  }
  const result = { type: 'tool_result', tool_use_id: CALL, content: 'a' }
  await send([asked, called, { role: 'user', content: [result, { type: 'text', text: 'No, stop' }] }])
  const search = { type: 'web_search_20250305', name: 'web_search', max_uses: 8 }
  await send([{ role: 'user', content: 'Perform a web search for the query: zebras' }], { tools: [search] })
  await settled(app)
  const events = await recordedEvents(app)
  const told = ['user_prompt', 'tool_result', 'assistant_text', 'turn_ended', 'state_change']
  expect(
    events
      .filter(({ kind }) => told.includes(kind))
      .map(({ turn_id, kind, payload }) => [turn_id, kind, payload['text'] ?? payload['last_text'] ?? payload['to']]),
  ).toEqual([
    [1, 'user_prompt', 'List them'],
    [1, 'tool_result', undefined],
    [2, 'user_prompt', 'No, stop'],
    [1, 'turn_ended', undefined],
    [2, 'assistant_text', 'Answer 2'],
    [2, 'turn_ended', 'Answer 2'],
    [2, 'state_change', 'Answer 3'],
  ])
})
