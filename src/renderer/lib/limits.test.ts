import { expect, test } from 'vitest'
import { exhaustion, followsCost, limitName, limitsInForce, limitUsers } from './limits.ts'

const NOW = Date.parse('2026-11-21T12:00:00.000Z')

test('a limit whose window has ended is not in force; one without an end is', () => {
  const window = (name: string, resets_at: string | null) => ({ name, resets_at })
  const windows = [
    window('ended', '2026-11-21T11:59:59.000Z'),
    window('now', '2026-11-21T12:00:00.000Z'),
    window('later', '2026-11-21T12:00:01.000Z'),
    window('endless', null),
  ]
  const inForce = limitsInForce({ windows } as never, NOW)
  expect(inForce.map(({ name }) => String(name))).toEqual(['later', 'endless'])
  expect(limitsInForce(undefined, NOW)).toEqual([])
})

test('a window is named by its length and what it is for', () => {
  expect(['5h', '7d', '7d_opus_4_5', 'overage'].map(limitName)).toEqual([
    '5 hours',
    '7 days',
    '7 days, opus 4 5',
    'overage',
  ])
})

test('an exhaustion is given by its expected time, or by the earliest one', () => {
  const at = '2026-11-22T10:00:00.000Z'
  const forecast = (exhausted_at: string | null, exhausted_earliest: string | null) =>
    exhaustion({ forecast: { exhausted_at, exhausted_earliest } } as never)
  expect(forecast(at, at)).toEqual([expect.stringMatching(/at this rate\.$/)])
  expect(forecast(null, at)).toEqual([expect.stringMatching(/^If use rises, it could run out from .* on\.$/)])
  expect(forecast(null, null)).toEqual([])
  expect(exhaustion({ forecast: null } as never)).toEqual([])
})

test('shares follow the cost unless a session that cost less used clearly more', () => {
  const of = (...pairs: readonly (readonly [cost: number, used: number])[]) =>
    followsCost(pairs.map(([cost_usd, used]) => ({ cost_usd, used })) as never)
  expect(of([0.19, 0.06], [0.17, 0.01], [0.14, 0.02])).toBe(false)
  expect(of([0.1, 0.3], [0.2, 0.1], [0.3, 0.2])).toBe(false)
  expect(of([0.14, 0.02], [0.19, 0.06], [0.17, 0.03])).toBe(true)
  expect(of([0.19, 0.01], [0.17, 0.013])).toBe(true)
  // A dollar of the third would have used five times what it used in the others.
  expect(of([1.31, 0.13], [1.18, 0.11], [0.19, 0.1])).toBe(false)
  expect(of([1.31, 0.13], [1.18, 0.11], [0.19, 0.04])).toBe(true)
  expect(of([0, 0], [0, 0.004])).toBe(true)
  expect(of()).toBe(true)
})

test('what used a limit adds up: the sessions that used most, all others, and what is not recorded', () => {
  const listOf = (...pairs: readonly (readonly [cost: number, used: number])[]) => {
    const by_session = pairs.map(([cost_usd, used], at) => ({ session_id: `s${at}`, title: `${at}`, cost_usd, used }))
    const attributed = pairs.reduce((sum, [, used]) => sum + used, 0)
    return { by_session, attributed, elsewhere: 0.02 } as never
  }
  const users = (window: never) =>
    limitUsers(window, 2).map(({ title, used, cost_usd: usd }) => [title, Math.round(used * 100), usd])
  expect(users(listOf([3, 0.3], [2, 0.2], [1, 0.1], [0.5, 0.05]))).toEqual([
    ['0', 30, 3],
    ['1', 20, 2],
    ['Other sessions', 15, 1.5],
    ['Not recorded here', 2, null],
  ])
  // The list has not all sessions, so what the others cost is not known.
  const cut = Object.assign(listOf([3, 0.3], [2, 0.2], [1, 0.1]) as object, { attributed: 0.7 }) as never
  expect(users(cut)[2]).toEqual(['Other sessions', 20, null])
  // Shares that contradict the costs are not shown: the costs decide the order.
  expect(users(listOf([0.1, 0.3], [0.2, 0.1], [0.3, 0.2])).map(([title]) => title)).toEqual([
    '2',
    '1',
    'Other sessions',
  ])
})
