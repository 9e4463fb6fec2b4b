import { expect, test } from 'vitest'
import type { AnyEvent, EventKind } from '../../../../shared/event.ts'
import { timelineLanes } from './timeline-lanes.ts'

let lastId = 0
function event(kind: EventKind, second: number, payload: object, change: Partial<AnyEvent> = {}): AnyEvent {
  lastId += 1
  return {
    id: lastId,
    uuid: `u${lastId}`,
    kind,
    agent_id: null,
    ts_wall: new Date(second * 1000).toISOString(),
    duration_ms: null,
    success: null,
    payload,
    ...change,
  } as unknown as AnyEvent
}

test('a call and its result share a bar, and each agent has a lane, the main agent first', () => {
  const lanes = timelineLanes([
    event('agent_started', 5, { agent_id: 'a1', agent_type: 'Explore' }, { agent_id: 'a1' }),
    event('tool_call', 6, { call_id: 'c2', tool_name: 'Grep', input: { pattern: 'x' } }, { agent_id: 'a1' }),
    event('user_prompt', 1, { text: 'why?' }),
    event('tool_call', 2, { call_id: 'c1', tool_name: 'Bash', input: { command: 'npm test' } }),
    event(
      'tool_result',
      10,
      { call_id: 'c1', tool_name: 'Bash', is_error: true, rejected: false },
      { duration_ms: 3000 },
    ),
  ])
  expect(lanes.map(({ name }) => name)).toEqual(['Main agent', 'Explore'])
  expect(lanes[0]?.items.map(({ label, start, end, failed }) => [label, start, end, failed])).toEqual([
    ['why?', 1000, 1000, false],
    ['Bash npm test', 7000, 10_000, true],
  ])
  // A call without a result is a mark at its start.
  expect(lanes[1]?.items.map(({ label, start, end }) => [label, start, end])).toEqual([['Grep x', 6000, 6000]])
})

test('a result without a duration spans the time since its call', () => {
  const lanes = timelineLanes([
    event('tool_call', 2, { call_id: 'c1', tool_name: 'Read', input: {} }),
    event('tool_result', 5, { call_id: 'c1', tool_name: 'Read', is_error: false, rejected: false }),
    event('model_response', 9, { model: 'm', status: 529, stop_reason: null }, { duration_ms: 2000 }),
  ])
  expect(lanes[0]).toMatchObject({ start: 2000, end: 9000 })
  expect(lanes[0]?.items).toMatchObject([
    { start: 2000, end: 5000 },
    { start: 7000, end: 9000, failed: true, label: 'm 529' },
  ])
})
