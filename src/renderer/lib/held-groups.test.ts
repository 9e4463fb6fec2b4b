import { expect, test } from 'vitest'
import type { HeldRequest } from '../../shared/contract/guard.ts'
import { heldGroups, proposedLimit } from './held-groups.ts'

const held = (id: string, change: Partial<HeldRequest> = {}, over: Partial<HeldRequest['over']> = {}): HeldRequest => ({
  id,
  session_id: 's',
  agent_id: null,
  project: null,
  spent_usd: 1,
  over: { cap: 'session_usd', scope: 's', limit: 20, used: 19, guess: 2, ...over },
  held_since: '2026-11-20T12:00:00.000Z',
  refused_at: '2026-11-20T12:04:00.000Z',
  ...change,
})

test('requests of one session over one cap are one group; other caps and sessions are others', () => {
  const groups = heldGroups([
    held('a', { agent_id: 'x' }),
    held('b', { agent_id: 'y' }),
    held('c', {}, { cap: 'repeat_calls' }),
    held('d', { session_id: 'other' }),
    held('e', { session_id: null }),
    held('f', { session_id: null }),
  ])
  expect(groups.map(({ ids, agents }) => [ids.join(''), agents])).toEqual([
    ['ab', 2],
    ['c', null],
    ['d', null],
    ['e', null],
    ['f', null],
  ])
})

test('the limit proposed lets the request pass', () => {
  expect(proposedLimit(held('a'))).toBe(40)
  expect(proposedLimit(held('a', {}, { limit: 0.001, used: 0, guess: 0.03217 }))).toBe(0.0322)
  expect(proposedLimit(held('a', {}, { cap: 'repeat_calls', limit: 3, used: 3, guess: 1 }))).toBe(6)
  expect(proposedLimit(held('a', {}, { cap: 'day_tokens', limit: 10, used: 100.5, guess: 7 }))).toBe(108)
})
