import { expect, test } from 'vitest'
import { of } from '../../fixtures/drafts.ts'
import { copilotSessions } from './sessions.ts'

const ID = '00000000-0000-4000-8000-000000000001'
const line = (id: string, type: string, data: object = {}) =>
  JSON.stringify({ type, data, id, timestamp: '2026-11-20T10:00:00.000Z' })
const CALL = { content: 'Looking.', toolRequests: [{ toolCallId: 't1', name: 'bash', arguments: {} }] }
const RESULT = { toolCallId: 't1', success: true, result: { content: 'a' } }

test.each([
  ['a call', [line('e1', 'assistant.message', CALL)], 'tool use'],
  ['an answer', [line('e1', 'assistant.message', CALL), line('e2', 'tool.execution_complete', RESULT)], 'answer'],
])('Escape during %s is an interruption', (_, before, to) => {
  const decoder = copilotSessions.createDecoder(`/x/session-state/${ID}/events.jsonl`, {} as never, {})
  const lines = [line('e0', 'session.start', { sessionId: ID }), ...before, line('e9', 'abort', { reason: 'user' })]
  const drafts = [...lines.flatMap((each) => decoder.line(each)), ...decoder.end()]
  expect(of(drafts, 'state_change').map(({ payload }) => [payload.name, payload.to])).toEqual([['interrupted', to]])
  expect(of(drafts, 'unknown')).toEqual([])
})
