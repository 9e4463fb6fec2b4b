import { expect, test } from 'vitest'
import { exhaustion, followsCost, limitName, limitsInForce, mostFirst } from './limits.ts'

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
  expect(of()).toBe(true)
})

test('sessions without a share are ordered by what they cost', () => {
  const sessions = [0.09, 0.03, 0.17].map((cost_usd, index) => ({ cost_usd, used: 0.3 - index / 10 })) as never
  expect(mostFirst(sessions).map(({ cost_usd: cost }) => cost)).toEqual([0.17, 0.09, 0.03])
})
