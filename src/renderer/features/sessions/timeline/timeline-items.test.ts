import { expect, test } from 'vitest'
import type { AnyEvent, EventKind } from '../../../../shared/event.ts'
import { timelineItems } from './timeline-items.ts'

let lastId = 0
function event(kind: EventKind, second: number, payload: object, change: Partial<AnyEvent> = {}): AnyEvent {
  lastId += 1
  return {
    id: lastId,
    uuid: `u${lastId}`,
    kind,
    agent_id: null,
    project: null,
    ts_wall: new Date(second * 1000).toISOString(),
    duration_ms: null,
    success: null,
    payload,
    ...change,
  } as unknown as AnyEvent
}

test('a call and its result share a bar, in the order of their starts', () => {
  const items = timelineItems([
    event('tool_call', 16, { call_id: 'c2', tool_name: 'Grep', input: { pattern: 'x' } }),
    event('user_prompt', 1, { text: 'why?' }),
    event('tool_call', 2, { call_id: 'c1', tool_name: 'Bash', input: { command: 'npm test' } }),
    event(
      'tool_result',
      10,
      { call_id: 'c1', tool_name: 'Bash', is_error: true, rejected: false },
      { duration_ms: 3000 },
    ),
  ])
  expect(items.map(({ label, callId, start, end, failed }) => [label, callId, start, end, failed])).toEqual([
    ['why?', null, 1000, 1000, false],
    ['Bash npm test', 'c1', 7000, 10_000, true],
    // A call without a result is a mark at its start.
    ['Grep x', 'c2', 16_000, 16_000, false],
  ])
})

test('a result without a duration spans the time since its call', () => {
  const items = timelineItems([
    event('tool_call', 2, { call_id: 'c1', tool_name: 'Read', input: {} }),
    event('tool_result', 5, { call_id: 'c1', tool_name: 'Read', is_error: false, rejected: false }),
    event('model_response', 9, { model: 'm', status: 529, stop_reason: null }, { duration_ms: 2000 }),
  ])
  expect(items).toMatchObject([
    { start: 2000, end: 5000 },
    { start: 7000, end: 9000, failed: true, label: 'm 529' },
  ])
})

test('a prompt that is only a picture has a name', () => {
  expect(timelineItems([event('user_prompt', 1, { text: '' })])[0]?.label).toBe('An image or a file')
})

test('a response is below its prompt, though its duration is finer than the times of both', () => {
  const items = timelineItems([
    event('user_prompt', 1, { text: 'why?' }),
    event('model_request', 1, { exchange_id: 'e', request_kind: 'prompt' }),
    event('model_response', 2, { exchange_id: 'e', model: 'm', status: 200 }, { duration_ms: 1000.4 }),
  ])
  expect(items.map(({ kind }) => kind)).toEqual(['user_prompt', 'model_response'])
})

test('a response that another clock dates before its request takes no time', () => {
  const items = timelineItems([
    event('model_request', 3, { exchange_id: 'e', request_kind: 'prompt' }),
    event('model_response', 2, { exchange_id: 'e', model: 'm', status: 200 }, { duration_ms: 500 }),
  ])
  expect(items).toMatchObject([{ start: 2000, end: 2000 }])
})

test('a compaction lasts as long as the response with its summary; one by command is not part of the turn', () => {
  const asked = (exchange: string, second: number, kind: string) =>
    event('model_request', second, { exchange_id: exchange, request_kind: kind })
  const answered = (exchange: string, second: number) =>
    event('model_response', second, { exchange_id: exchange, model: 'm', status: 200 }, { duration_ms: 3000 })
  const items = timelineItems([
    asked('e1', 1, 'prompt'),
    answered('e1', 4),
    asked('e2', 5, 'compaction'),
    event('compaction', 7, { trigger: 'auto', summary: 'one' }),
    answered('e2', 8),
    asked('e3', 60, 'compaction'),
    answered('e3', 63),
    event('compaction', 64, { trigger: 'manual', summary: 'two' }),
    event('compaction', 90, { trigger: 'auto', summary: 'of a transcript' }),
  ])
  expect(items.map(({ kind, start, end, isAside }) => [kind, start / 1000, end / 1000, isAside])).toEqual([
    ['model_response', 1, 4, false],
    ['compaction', 5, 8, false],
    ['compaction', 60, 63, true],
    ['compaction', 90, 90, false],
  ])
})
