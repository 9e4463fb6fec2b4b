import { expect, test } from 'vitest'
import { readerHandlers } from '../../src/main/operations/reader-handlers.ts'
import { openReader } from '../../src/main/store/connection.ts'
import { createBudget } from '../../src/main/store/read/budget.ts'
import { createReader, type Reader } from '../../src/main/store/read/reader.ts'
import { liveDrafts, recordedRuns, storeOf, transcriptDrafts } from '../support/recorded-stores.ts'

/** A recorded run of the real client, read after both of its sides were told. */
function reading<T>(name: string, read: (reader: Reader, session: string) => T): T {
  const recorded = recordedRuns().find((one) => one.name === name)
  if (!recorded) throw new Error(`there is no recorded run ${name}`)
  const live = liveDrafts(recorded)
  const db = openReader(storeOf(live, transcriptDrafts(recorded)))
  try {
    return read(createReader(db, createBudget(new Int32Array(1))), live[0]?.session_id ?? '')
  } finally {
    db.close()
  }
}

test('each agent names the call that started it, its end and what it used', () => {
  const [agents, usage] = reading('agents', (reader, session_id) => [
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

test('the tasks of a session stand as they were left', () => {
  const { items } = reading('tasks', (reader, session_id) => readerHandlers['tasks.list'](reader, { session_id }))
  expect(items.length).toBeGreaterThan(0)
  expect(items.every(({ agent_id: agent }) => agent === null)).toBe(true)
  expect(items.map(({ task_id, subject, status }) => [task_id, subject, status])).toEqual([
    ['1', 'Write it', 'completed'],
    ['2', 'Write it', 'pending'],
  ])
})

test('who asks for a session that is not there is told so', () => {
  reading('tasks', (reader) => {
    for (const name of ['agents.list', 'tasks.list'] as const)
      expect(() => readerHandlers[name](reader, { session_id: 'nobody' })).toThrow(/nobody/)
  })
})
