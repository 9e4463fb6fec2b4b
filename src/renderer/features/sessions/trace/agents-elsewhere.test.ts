import { expect, test } from 'vitest'
import { agentsElsewhere } from './agents-elsewhere.ts'

test('an agent is listed once: by its call if that is a direct effect, or else by its start', () => {
  const starts = ['a', 'b', null].map((id) => ({ payload: { agent_id: `of ${id}`, call_id: id } }))
  const effects = [
    { kind: 'tool_call', payload: { call_id: 'a' } },
    { kind: 'tool_result', payload: { call_id: 'b' } },
  ]
  expect(agentsElsewhere(starts, effects).map(({ payload }) => payload.call_id)).toEqual(['b', null])
})
