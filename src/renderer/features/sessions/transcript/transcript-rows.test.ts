import { expect, test } from 'vitest'
import type { AnyEvent } from '../../../../shared/event.ts'
import { foldRuns } from './tool-runs.ts'
import { inOrder } from './transcript-pages.ts'
import { rowOfEvent, type SessionAgent, transcriptRows, withParents } from './transcript-rows.ts'

const NONE = { open: new Set<string>(), list: [] }

let lastId = 0
function event(kind: AnyEvent['kind'], payload: object, change: Partial<AnyEvent> = {}): AnyEvent {
  lastId += 1
  return {
    id: lastId,
    uuid: `u${lastId}`,
    session_id: 's',
    turn_id: 1,
    seq: lastId,
    agent_id: null,
    parent_uuid: null,
    kind,
    source: 'wire',
    ts_wall: new Date(1_700_000_000_000 + lastId * 10).toISOString(),
    ts_monotonic: null,
    duration_ms: null,
    success: null,
    error_message: null,
    request_id: null,
    user_id: null,
    project: null,
    schema_version: 1,
    payload,
    ...change,
  } as AnyEvent
}

const call = (id: string, agent: string | null = null) =>
  event('tool_call', { call_id: id, tool_name: 'Bash', input: {} }, { agent_id: agent } as Partial<AnyEvent>)
const result = (id: string, agent: string | null = null) =>
  event('tool_result', { call_id: id, output: '', is_error: false }, { agent_id: agent } as Partial<AnyEvent>)

test('results join their calls in any order', () => {
  const events = [event('user_prompt', { text: 'go' }), call('a'), call('b'), result('b'), result('a')]
  const rows = transcriptRows(events, NONE)
  expect(rows.map((row) => row.type)).toEqual(['prompt', 'tool', 'tool'])
  expect(rows.map((row) => (row.type === 'tool' ? row.result?.uuid : null))).toEqual([
    null,
    events[4]?.uuid,
    events[3]?.uuid,
  ])
  expect(rowOfEvent(rows, events[3]?.uuid ?? '')).toBe(2)
})

test('a result whose call is on another page has its own row', () => {
  expect(transcriptRows([result('elsewhere')], NONE).map((row) => row.type)).toEqual(['mark'])
})

test('events of parallel agents are listed under each agent, collapsed by default', () => {
  const started = (agent: string) =>
    event('agent_started', { agent_id: agent, agent_type: `type-${agent}` }, { agent_id: agent } as Partial<AnyEvent>)
  const events = [
    started('x'),
    started('y'),
    call('1', 'x'),
    call('2', 'y'),
    result('1', 'x'),
    result('2', 'y'),
    event('assistant_text', { text: 'done' }),
  ]
  expect(transcriptRows(events, NONE).map((row) => [row.type, row.depth])).toEqual([
    ['agent', 0],
    ['agent', 0],
    ['answer', 0],
  ])
  const open = transcriptRows(events, { open: new Set(['x']), list: [] })
  expect(open.map((row) => [row.type, row.depth])).toEqual([
    ['agent', 0],
    ['tool', 1],
    ['agent', 0],
    ['answer', 0],
  ])
  expect(open[0]).toMatchObject({ name: 'type-x', events: 2, open: true })
})

test('an agent has its row in the place of its call, with its entry in the list of agents', () => {
  const started = event('agent_started', { agent_id: 'x', agent_type: 'Explore', call_id: 'a' }, {
    agent_id: 'x',
  } as Partial<AnyEvent>)
  const ask = call('a')
  const events = [event('user_prompt', { text: 'go' }), ask, call('b'), started, call('1', 'x'), result('1', 'x')]
  const agent = { agent_id: 'x', call_id: 'a', parent_agent_id: 'w', ended_at: 'then' } as SessionAgent
  const closed = transcriptRows(events, { open: new Set(), list: [agent] })
  expect(closed.map((row) => row.type)).toEqual(['prompt', 'agent', 'tool'])
  expect(closed[1]).toMatchObject({ event: ask, call: ask, agent, also: [started.uuid] })
  expect(rowOfEvent(closed, started.uuid)).toBe(1)
  const open = transcriptRows(events, { open: new Set(['x']), list: [agent] })
  expect(open.map((row) => [row.type, row.depth])).toEqual([
    ['prompt', 0],
    ['agent', 0],
    ['tool', 1],
    ['tool', 0],
  ])
  // Its own events may be on pages that are not loaded.
  expect(transcriptRows([ask], { open: new Set(['x']), list: [agent] }).map((row) => row.type)).toEqual(['agent'])
  expect(withParents('x', [agent])).toEqual(['x', 'w'])
})

test('events of overlapping pages appear once, sorted by time and id', () => {
  const one = event('notification', { text: '1' })
  const other = event('notification', { text: '2' }, { ts_wall: one.ts_wall } as Partial<AnyEvent>)
  const early = event('notification', { text: '0' }, { ts_wall: '2020-01-01T00:00:00.000Z' } as Partial<AnyEvent>)
  expect(inOrder([other, one, other, early]).map((found) => found.uuid)).toEqual([early.uuid, one.uuid, other.uuid])
})

test('calls in a row that only read are one row, which a failure ends and the selected call opens', () => {
  const read = (at: number, failed = false) => [
    event('tool_call', { call_id: `r${at}`, tool_name: 'Read', input: { file_path: `/a/${at}.ts` } }),
    event('tool_result', { call_id: `r${at}`, output: '', is_error: failed }),
  ]
  const reads = (from: number, count: number) => Array.from({ length: count }, (_, at) => read(from + at)).flat()
  const first = reads(0, 7)
  const rows = transcriptRows([...first, ...read(7, true), ...reads(8, 5)], NONE)
  const types = (toggled: readonly string[], selected?: string) =>
    foldRuns(rows, new Set(toggled), selected).map(({ type }) => type)
  const few = Array<string>(6).fill('tool')
  expect(types([])).toEqual(['run', ...few])
  expect(types([`run of ${first[0]?.uuid}`])).toEqual(['run', ...Array<string>(7).fill('tool'), ...few])
  const opened = foldRuns(rows, new Set(), first[5]?.uuid)
  expect(opened).toHaveLength(14)
  expect(rowOfEvent(opened, first[0]?.uuid ?? '')).toBe(1)
  expect(rowOfEvent(opened, first[5]?.uuid ?? '')).toBe(3)
  expect(types([], read(1)[0]?.uuid)).toEqual(['run', ...few])
  const [call, result] = first.slice(10)
  const folded = foldRuns(rows, new Set(), undefined)
  expect([call, result].map((one) => rowOfEvent(folded, one?.uuid ?? ''))).toEqual([0, 0])
})
