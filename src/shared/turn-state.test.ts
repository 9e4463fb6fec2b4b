import { expect, test } from 'vitest'
import { createSummaries } from './fixtures/event-summary.ts'
import { GUARD_STOPPED } from './failures.ts'
import { createTurnState, type LiveSession } from './turn-state.ts'

const event = createSummaries()

test('an event yields updates with only the changed fields', () => {
  const turn = createTurnState()
  expect(turn.state).toBeNull()
  const prompt = event('user_prompt', { text: 'why?' })
  expect(turn.apply(prompt).map(({ kind }) => kind)).toEqual(['reset', 'seen', 'activity', 'prompt'])
  expect(turn.apply(event('tool_call', { tool_name: 'Read' })).slice(1)).toEqual([
    { kind: 'activity', payload: { last_kind: 'tool_call', last_tool: 'Read' } },
    { kind: 'tools', payload: { tools: 1 } },
  ])
  const usage = event('api_usage', { tokens: 40_000, cost_usd: 0.25, model: 'opus' })
  expect(turn.apply(usage)).toEqual([
    {
      kind: 'seen',
      payload: { project: '/code/engine', sources: ['wire'], last_event_at: usage.ts_wall, is_print: false },
    },
    { kind: 'usage', payload: { tokens: 40_000, cost_usd: 0.25, unpriced: 0 } },
    { kind: 'context', payload: { model: 'opus', context: 40_000 } },
  ])
  const agent = { agents: [{ agent_id: 'a1', name: 'explorer', ended: false }] }
  expect(turn.apply(event('agent_started', { agent_id: 'a1', text: 'explorer' })).slice(1)).toEqual([
    { kind: 'agents', payload: agent },
  ])
  expect(turn.apply(event('error')).at(-1)).toEqual({ kind: 'errors', payload: { errors: 1 } })
  expect(turn.state).toMatchObject({ prompt: 'why?', tools: 1, tokens: 40_000, context: 40_000, errors: 1, ...agent })
})

test('what a person does in Aspy is not activity of the session', () => {
  const restored = event('state_change', {
    text: 'aspy:file_restored: /w/notes.md',
    ts_wall: '2030-01-01T00:00:00.000Z',
  })
  const turn = createTurnState()
  expect(turn.apply(restored)).toEqual([])
  expect(turn.state).toBeNull()
  turn.apply(event('user_prompt', { text: 'go' }))
  const before = turn.state
  turn.apply(restored)
  expect(turn.state).toBe(before)
  turn.apply({ ...restored, text: 'mode: plan' })
  expect(turn.state?.last_event_at).toBe(restored.ts_wall)
})

test('an agent is named after the task of the call that started it', () => {
  const turn = createTurnState()
  turn.apply(event('user_prompt', { text: 'go' }))
  const call = event('tool_call', { tool_name: 'Agent', text: 'Review the rounding' })
  turn.apply(call)
  turn.apply(event('agent_started', { agent_id: 'a1', text: 'Explore', parent_uuid: call.uuid }))
  turn.apply(event('agent_started', { agent_id: 'a2', text: 'Explore', parent_uuid: 'unknown' }))
  turn.apply(event('agent_ended', { agent_id: 'a1', text: 'Explore' }))
  expect(turn.state?.agents.map(({ agent_id, name }) => [agent_id, name])).toEqual([
    ['a2', 'Explore'],
    ['a1', 'Review the rounding'],
  ])
})

test('the next prompt resets the fields of the turn; late events of the previous turn do not reach it', () => {
  const turn = createTurnState()
  turn.apply(event('user_prompt', { text: 'first' }))
  turn.apply(event('tool_call', { tool_name: 'Read' }))
  turn.apply(event('api_usage', { tokens: 40_000, cost_usd: null, model: 'opus' }))
  const second = event('user_prompt', { text: 'second', turn_id: 2, source: 'hook' })
  expect(turn.apply(second)[0]).toMatchObject({ kind: 'reset', payload: { turn_id: 2, prompt: null, tokens: 0 } })
  expect(turn.apply(event('api_usage', { tokens: 9, cost_usd: 1 })).map(({ kind }) => kind)).toEqual(['seen'])
  expect(turn.state).toMatchObject({
    prompt: 'second',
    turn_started_at: second.ts_wall,
    tools: 0,
    tokens: 0,
    cost_usd: 0,
    unpriced: 0,
    agents: [],
    // Fields of the session, which outlive its turns.
    model: 'opus',
    context: 40_000,
    sources: ['wire', 'hook'],
  })
})

test('it continues from a known state and never changes a state it returned', () => {
  const first = createTurnState()
  first.apply(event('user_prompt', { text: 'why?' }))
  const known = first.state as LiveSession
  const second = createTurnState(known)
  second.apply(event('tool_call'))
  expect([known.tools, first.state?.tools, second.state?.tools]).toEqual([0, 0, 1])
  expect(second.state?.prompt).toBe('why?')
})

test("the guard's refusal ends a turn without an error", () => {
  const turn = createTurnState()
  turn.apply(event('user_prompt', { text: 'go' }))
  turn.apply(event('error', { text: `API Error: 402 ${GUARD_STOPPED}: it would cost $1`, success: false }))
  expect(turn.state).toMatchObject({ last_kind: 'turn_ended', api_errors: 0 })
})
