import { expect, test } from 'vitest'
import type { GuardAction } from './guard-action.ts'
import { guardActionText } from './guard-action-text.ts'

const said = (action: GuardAction['action'], decided_by: GuardAction['decided_by'], more: Partial<GuardAction> = {}) =>
  guardActionText({
    action,
    decided_by,
    cap: 'request_usd',
    limit: 0.001,
    used: 0,
    guess: 0.013,
    agent_id: null,
    id: 'request',
    ...more,
  })

test('each action of the guard has words for people, which name no key of the config', () => {
  expect([
    said('held', 'rule'),
    said('held', 'rule', { cap: 'agent_tree_tokens', limit: 12_000 }),
    said('held', 'rule', { cap: 'repeat_calls', limit: 10 }),
    said('held', 'rule', { cap: 'unpriced' }),
    said('allowed', 'person'),
    said('allowed', 'rule'),
    said('raised', 'person', { raised_to: 2 }),
    said('refused', 'person'),
    said('refused', 'rule'),
    said('refused', 'timeout'),
    said('ended', 'client'),
  ]).toEqual([
    'Held: would exceed the cap per request ($0.0010)',
    'Held: would exceed the token cap per agent with its subagents (12,000 tokens)',
    'Held: would exceed the cap on repeated calls (10)',
    'Held: could not be priced',
    'Allowed by you',
    'Allowed: the caps have changed',
    'Limit raised by you: cap per request from $0.0010 to $2.00',
    'Stopped by you',
    'Refused: would exceed the cap per request ($0.0010)',
    'Refused: nobody decided in time',
    'Given up by the client',
  ])
})
