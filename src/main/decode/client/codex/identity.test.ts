import { expect, test } from 'vitest'
import { codexKey, codexPlace, turnMetadata } from './identity.ts'
import { requestKindOf } from './request-kind.ts'

const THREAD = '01a205a3-340a-7b30-af57-dd8b115973bf'
const CHILD = '01a205a3-9999-7b30-af57-dd8b115973bf'

test('a thread of its own session is the main agent, any other thread a subagent', () => {
  expect(codexPlace(THREAD, THREAD)).toEqual({ sessionId: `codex-${THREAD}`, agentId: null })
  expect(codexPlace(THREAD, CHILD)).toEqual({ sessionId: `codex-${THREAD}`, agentId: `codex-${CHILD}` })
  expect(codexPlace(null, CHILD)).toEqual({ sessionId: `codex-${CHILD}`, agentId: null })
  expect(codexPlace(null, null)).toBeNull()
})

test('an id that is too short to be unique is a key only within its session', () => {
  expect(codexKey.call('codex-a', 'call_1')).toBe('call:codex-a:call_1')
  expect(codexKey.call('codex-a', 'call_0123456789abcdefghijklmn')).toBe('call:call_0123456789abcdefghijklmn')
})

test('the turn metadata of the body is newer than that of the connection', () => {
  const header = JSON.stringify({ session_id: THREAD, thread_id: THREAD, turn_id: '', request_kind: 'prewarm' })
  const body = {
    client_metadata: { 'x-codex-turn-metadata': JSON.stringify({ turn_id: 't1', request_kind: 'turn' }) },
  }
  expect(turnMetadata([['X-Codex-Turn-Metadata', header]], body)).toEqual({
    sessionId: THREAD,
    threadId: THREAD,
    turnId: 't1',
    parentThreadId: null,
    requestKind: 'turn',
    agentName: null,
    threadSource: null,
  })
})

test('an agent without a path has the name of what it is for', () => {
  const nameOf = (metadata: object) =>
    turnMetadata([['x-codex-turn-metadata', JSON.stringify(metadata)]], null).agentName
  expect(nameOf({ agent_name: '/root', subagent_kind: 'review' })).toBe('review')
  expect(nameOf({ agent_name: '/root/look', subagent_kind: 'thread_spawn' })).toBe('/root/look')
  expect(nameOf({ agent_name: '/root' })).toBe('/root')
})

test('a thread that only names another one is a side call, and no prompt', () => {
  const input = [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Generate a title' }] }]
  const kindOf = (source: string) =>
    requestKindOf(
      [['x-codex-turn-metadata', JSON.stringify({ request_kind: 'turn', thread_source: source })]],
      '/v1/responses',
      { input },
      false,
    )
  expect(['user', 'thread_title', 'my_editor'].map(kindOf)).toEqual(['prompt', 'side_call', 'prompt'])
})

test('metadata that is not JSON, or not text, says nothing', () => {
  for (const value of ['{', '[]', '7', '']) {
    const found = turnMetadata([['x-codex-turn-metadata', value]], { client_metadata: 'x' })
    expect(Object.values(found).every((each) => each === null)).toBe(true)
  }
})
