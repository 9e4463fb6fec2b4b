import { expect, test } from 'vitest'
import { recordedRun } from '../../../src/main/decode/fixtures/recorded-runs.ts'
import { readerHandlers } from '../../../src/main/operations/reader/reader-handlers.ts'
import type { Reader } from '../../../src/main/store/read/reader.ts'
import { reading } from '../../support/store/reading.ts'
import { draftOf, fillStore } from '../../support/store/seeded-store.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'
import { liveDrafts, storeOf, transcriptDrafts } from '../../support/store/recorded-stores.ts'

/** A recorded run of the real client, read after both of its sides were recorded. */
function readingRun<T>(name: string, read: (reader: Reader, session: string) => T): T {
  const recorded = { name, run: recordedRun(name) }
  const live = liveDrafts(recorded)
  return reading(storeOf(live, transcriptDrafts(recorded)), (reader) => read(reader, live[0]?.session_id ?? ''))
}

test('each agent names the call that started it, its end and what it used', () => {
  const [agents, usage] = readingRun('agents', (reader, session_id) => [
    readerHandlers['agents.list'](reader, { session_id }),
    readerHandlers['sessions.get'](reader, { session_id }),
  ])
  expect(agents.partial).toBe(false)
  expect(agents.items.length).toBeGreaterThan(1)
  for (const agent of agents.items) {
    expect(agent).toMatchObject({ agent_type: expect.any(String), call_id: expect.any(String), success: true })
    expect(agent.description).toEqual(expect.any(String))
    expect(agent.calls).toBeGreaterThan(0)
    expect(agent.tokens).toBeGreaterThan(0)
    expect(Date.parse(agent.ended_at ?? '')).toBeGreaterThanOrEqual(Date.parse(agent.started_at ?? ''))
  }
  const nested = agents.items.filter(({ parent_agent_id: parent }) => parent !== null)
  expect(nested.length).toBeGreaterThan(0)
  for (const { parent_agent_id: parent } of nested)
    expect(agents.items.map(({ agent_id }) => agent_id)).toContain(parent)
  const spent = agents.items.reduce((sum, { cost_usd }) => sum + (cost_usd ?? 0), 0)
  expect(spent).toBeGreaterThan(0)
  expect(spent).toBeLessThan(usage.total_cost_usd)
})

test('the tasks of a session have their last status', () => {
  const { items } = readingRun('tasks', (reader, session_id) => readerHandlers['tasks.list'](reader, { session_id }))
  expect(items.length).toBeGreaterThan(0)
  expect(items.every(({ agent_id: agent }) => agent === null)).toBe(true)
  expect(items.map(({ task_id, subject, status }) => [task_id, subject, status])).toEqual([
    ['1', 'Write it', 'completed'],
    ['2', 'Write it', 'pending'],
  ])
})

test('an unknown session is not found', () => {
  readingRun('tasks', (reader) => {
    for (const name of ['agents.list', 'tasks.list'] as const)
      expect(() => readerHandlers[name](reader, { session_id: 'nobody' })).toThrow(/nobody/)
  })
})

test('a turn shows what its agents still wait for, how long each stage took, and what was slow', () => {
  const at = (second: number, agent_id: string | null = null) => ({
    at: `2026-11-01T10:00:${String(second).padStart(2, '0')}.000Z`,
    agent_id,
  })
  const call = (call_id: string, tool_name: string, second: number, agent: string | null = null) =>
    draftOf(
      'tool_call',
      { call_id, tool_name, input: {}, message_id: null, index: 0 },
      { ...at(second, agent), keys: [`call:${call_id}`] },
    )
  const result = (call_id: string, second: number, duration_ms: number) =>
    draftOf(
      'tool_result',
      { call_id, tool_name: null, output: 'done', is_error: false, rejected: false },
      { ...at(second), keys: [`result:${call_id}`], duration_ms },
    )
  const agent = { agent_id: 'a1', agent_type: 'Explore', parent_agent_id: null, call_id: 'c1' }
  using folder = makeTempFolder()
  const path = fillStore(folder.path, [
    draftOf('user_prompt', { text: 'look around' }, { ...at(0), keys: ['p1'] }),
    call('c0', 'Read', 2),
    result('c0', 7, 4500),
    call('c1', 'Agent', 10),
    draftOf('agent_started', agent, { ...at(11, 'a1'), keys: ['agent:a1'] }),
    call('c2', 'Grep', 12, 'a1'),
    call('c3', 'Bash', 13, 'a1'),
    result('c3', 14, 900),
  ])
  const [turn, explorer] = reading(path, (reader) => [
    readerHandlers['sessions.turn'](reader, { session_id: 's1', turn: 1 }),
    readerHandlers['agents.list'](reader, { session_id: 's1' }).items[0],
  ])
  expect(turn.pending.map(({ call_id, tool_name, agent_id }) => [call_id, tool_name, agent_id])).toEqual([
    ['c2', 'Grep', 'a1'],
    ['c1', 'Agent', null],
  ])
  expect(turn.slow_calls.map(({ name, duration_ms }) => [name, duration_ms])).toEqual([
    ['Read', 4500],
    ['Bash', 900],
  ])
  const main = turn.stages.filter(({ agent_id }) => agent_id === null)
  expect(main.map(({ kind, duration_ms }) => [kind, duration_ms])).toEqual([
    ['user_prompt', 2000],
    ['tool_call', 5000],
    ['tool_result', 3000],
    ['tool_call', 4000],
    ['tool_result', 0],
  ])
  expect(explorer).toMatchObject({ agent_id: 'a1', ended_at: null, pending: [{ call_id: 'c2', tool_name: 'Grep' }] })
})
