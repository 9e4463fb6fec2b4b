import { expect, test } from 'vitest'
import type { TimelineItem } from './timeline-items.ts'
import { type Agent, onlyPath, timelineRows } from './timeline-rows.ts'

const item = (uuid: string, callId: string | null = null): TimelineItem => ({
  uuid,
  kind: 'tool_result',
  label: uuid,
  callId,
  messageId: null,
  isAside: false,
  start: 0,
  end: 1,
  failed: false,
})
const agent = (id: string, call: string | null, parent: string | null = null) =>
  ({ agent_id: id, call_id: call, parent_agent_id: parent, turn_id: 2 }) as Agent

test('agents are below the call that started them, and only open lanes show what they hold', () => {
  const agents = [agent('a', 'c1'), agent('b', null), agent('nested', 'c9', 'a')]
  const shown = (open: readonly string[]) =>
    timelineRows({
      turns: [1, 2],
      agents,
      open: new Set(open),
      items: new Map([
        ['turn 2', { items: [item('first', 'c1'), item('second')], isCut: true }],
        ['agent a', { items: [item('inner', 'c9')], isCut: false }],
      ]),
    }).map((row) => `${'depth' in row ? '  '.repeat(row.depth) : ''}${row.key}`)
  expect(shown([])).toEqual(['turn 1', 'turn 2'])
  expect(shown(['turn 2'])).toEqual(['turn 1', 'turn 2', 'first', '  agent a', 'second', '  agent b', 'turn 2 cut'])
  expect(shown(['turn 1', 'turn 2', 'agent a'])).toEqual([
    'turn 1',
    'turn 1 loading',
    'turn 2',
    'first',
    '  agent a',
    '  inner',
    '    agent nested',
    'second',
    '  agent b',
    'turn 2 cut',
  ])
})

test('the path alone leaves rows of other turns as they are', () => {
  const rows = timelineRows({
    turns: [1, 2],
    agents: [agent('a', 'c1'), agent('b', null)],
    open: new Set(['turn 1', 'turn 2']),
    items: new Map([
      ['turn 1', { items: [item('other')], isCut: false }],
      ['turn 2', { items: [item('first', 'c1'), item('second')], isCut: true }],
    ]),
  })
  const path = new Map([
    ['first', {}],
    ['agent a', {}],
  ])
  const left = ['turn 1', 'other', 'turn 2', 'first', 'agent a', 'turn 2 cut']
  expect(onlyPath(rows, 2, path).map(({ key }) => key)).toEqual(left)
})
