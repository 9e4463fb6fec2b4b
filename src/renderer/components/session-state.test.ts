import { expect, test } from 'vitest'
import { sessionState } from './session-state.tsx'

test('a session without an end is active, then idle, then only past', () => {
  const at = (minutes: number, ended: string | null = null) =>
    sessionState({ ended_at: ended, last_event_at: new Date(0).toISOString() }, minutes * 60_000)
  expect([1, 14, 59.9, 60, 23 * 60, 24 * 60].map((minutes) => at(minutes))).toEqual([
    'active',
    'idle 14 min',
    'idle 59 min',
    'idle 1 h',
    'idle 23 h',
    null,
  ])
  expect(at(1, new Date(0).toISOString())).toBeNull()
})
