import { expect, test } from 'vitest'
import type { Client } from '../client.ts'
import { budgetNews, budgetText } from '../guard-caps.ts'
import { guard, statusText } from './guard.ts'

const over = {
  project: '/home/me/shop',
  cap: 'day_usd',
  scope: '2026-11-28',
  limit: 0.01,
  used: 0.2,
  guess: 0.02,
} as const
const held = (id: string) => ({
  id,
  session_id: 's1',
  agent_id: null,
  project: null,
  spent_usd: 0.2,
  over,
  held_since: '2026-11-28T10:00:00.000Z',
  refused_at: '2026-11-28T10:10:00.000Z',
})
const status = (...ids: readonly string[]) => ({
  enabled: true,
  action: 'hold' as const,
  caps: [
    { cap: 'day_usd' as const, limit: 0.01, used: 0.22 },
    { cap: 'session_usd' as const, limit: 5, used: null },
  ],
  project_caps: [
    { project: '/home/me/shop', cap: 'hour_tokens' as const, limit: 4000, used: 999 },
    { project: '/home/me/shop', cap: 'session_usd' as const, limit: 2, used: null },
  ],
  held: ids.map(held),
  since: '2026-11-28T09:00:00.000Z',
  refused_today: 3,
  counts: { checked: 9, unpriced: 1, notified: 0, held: 4, allowed: 1, refused: 2, gave_up: 1 },
  in_flight: 0,
  most_in_flight: 0,
  strict: false,
  lower_bound: { requests: 0, usd: 0, tokens: 0 },
  passed: [],
})
/** A client of a guard at which these requests wait; tells what is decided. */
function clientOf(...ids: readonly string[]) {
  const released: unknown[] = []
  const answers: Readonly<Record<string, (input: object) => object>> = {
    'guard.get': () => status(...ids),
    'budgets.status': () => ({ items: [] }),
    'guard.release': (input) => {
      released.push(input)
      return { released: 1 }
    },
  }
  const call = (name: string, input: object) => Promise.resolve(answers[name]?.(input))
  return { client: { call } as unknown as Client, released }
}

test('it says how full a cap is, also of a project, and each request has one outcome', async () => {
  const { text } = await guard(clientOf('r1').client, {})
  expect(text).toContain('day_usd = 0.01, $0.22 used today (over the cap); session_usd = 5')
  expect(text).toMatch(/\nSince 2026-11-28 \S+: Checked .*\nRefused today: 3\n/)
  expect(text).toContain('Checked 10 requests: 5 passed, 1 waiting, 1 allowed, 2 refused, 1 given up by the client')
  expect(text).toContain('day_usd $0.010 of /home/me/shop')
  expect(text).toContain('\n  /home/me/shop: hour_tokens = 4000, 999 used this hour (25%); session_usd = 2\n')
})

test('a limit needs no id if one request waits', async () => {
  const { client, released } = clientOf('r1')
  await guard(client, { decision: 'raise', to: 5 })
  expect(released).toEqual([{ id: 'r1', decision: 'raise', to: 5 }])
  const asked = guard(clientOf('r1', 'r2').client, { decision: 'raise', to: 5 })
  await expect(asked).rejects.toThrow(/2 wait: name it, as in \S*aspy guard raise r1 --to 5/)
})

const budget = (spent: number, mark: 80 | 100 | null, since = '2026-11-01T00:00:00.000Z') => {
  const [limit_usd, until] = [20, '2026-12-01T00:00:00.000Z']
  return { project: null, period: 'month' as const, limit_usd, spent_usd: spent, unpriced_calls: 0, since, until, mark }
}

test('a budget says that it is spent or nearly so, and a run which one has reached a mark during it', () => {
  expect(budgetText(budget(10, null))).toBe('this month: $20.00, $10.00 (50%) spent')
  expect(budgetText(budget(16, 80))).toBe('this month: $20.00, $16.00 (80%) spent, close to the limit')
  expect(budgetText(budget(20, 100))).toContain('(100%) spent, used up')
  expect(budgetText(budget(21, 100))).toContain('(105%) spent, over budget')
  expect(budgetNews([budget(16, 80)])).toHaveLength(1)
  expect(budgetNews([budget(21, 100)], [budget(16, 80)])).toHaveLength(1)
  expect(budgetNews([budget(22, 100)], [budget(21, 100)])).toEqual([])
  expect(budgetNews([budget(22, 100)], [budget(21, 100, '2026-10-01T00:00:00.000Z')])).toHaveLength(1)
})

test('a guard without a cap suggests a budget only if none is set', () => {
  const off = { ...status(), enabled: false, caps: [], project_caps: [] }
  expect(statusText(off, [], '/x/own data')).toMatch(
    /guard\.day_usd 20 --data '\/x\/own data', or a budget, .*monthly_usd 100 --data '\/x\/own data'\.\n/,
  )
  expect(statusText(off, [budget(1, null)], '/x/own data')).toMatch(/guard\.day_usd 20 --data '\/x\/own data'\.\n/)
})
