import { expect, test } from 'vitest'
import { configSchema } from '../../shared/config.ts'
import type { Spent } from './budget-statuses.ts'
import { spendingView } from './spending-view.ts'
import { createRandom } from '../base/fixtures/random.ts'

/** Sums the spending of each span by `perDay`, assuming an even rate within a day. */
function spending(perDay: (day: Date) => number): Spent {
  return async ({ spans }) => ({
    items: spans.map(({ since, until }) => {
      const end = Date.parse(until)
      let usd = 0
      for (let at = Date.parse(since); at < end;) {
        const day = new Date(at)
        const next = new Date(day.getFullYear(), day.getMonth(), day.getDate() + 1).getTime()
        const start = new Date(day.getFullYear(), day.getMonth(), day.getDate()).getTime()
        usd += perDay(new Date(start)) * ((Math.min(next, end) - at) / (next - start))
        at = next
      }
      return { cost_usd: usd, unpriced_calls: 0 }
    }),
  })
}

const config = configSchema.parse({ budgets: { monthly_usd: 200 } })
const view = (spent: Spent, now: Date, period: 'month' | 'week' = 'month') =>
  spendingView(config, spent, { period, until: now.toISOString() })

test('steady spending is forecast exactly, and compared with the same point of the month before', async () => {
  const steady = spending((day) => (day < new Date(2026, 5, 1) ? 0 : day < new Date(2026, 9, 1) ? 5 : 10))
  const found = await view(steady, new Date(2026, 10, 16))
  expect(found.spent_usd).toBeCloseTo(150, 9)
  expect(found.previous.spent_usd).toBeCloseTo(310, 9)
  expect(found.previous.same_point_usd).toBeCloseTo(150, 6)
  expect(found.change_share).toBeCloseTo(0, 6)
  expect(found.limit_usd).toBe(200)
  expect(found.days).toHaveLength(16)
  expect(found.days.at(0)).toEqual({ day: '2026-11-01', usd: 10 })
  const calm = await view(
    spending((day) => (day < new Date(2026, 5, 1) ? 0 : 10)),
    new Date(2026, 10, 16),
  )
  expect(calm.forecast?.usd).toBeCloseTo(300, 6)
  expect(calm.forecast?.low).toBeCloseTo(300, 6)
  expect(calm.forecast?.high).toBeCloseTo(300, 6)
  expect(calm.forecast_checks).toEqual({ checks: 15, hits: 15, typical_error: 0 })
  // 150 USD are spent; the other 50 follow within five days.
  expect(Date.parse(calm.forecast?.limit_reached_at ?? '')).toBeCloseTo(new Date(2026, 10, 21).getTime(), -7)
})

test('weekends have a mean of their own', async () => {
  const working = spending((day) => (day < new Date(2026, 0, 1) || day.getDay() % 6 === 0 ? 0 : 20))
  // Thursday evening: Friday is left, then a free weekend.
  const found = await view(working, new Date(2026, 10, 20), 'week')
  expect(found.spent_usd).toBeCloseTo(80, 6)
  expect(found.forecast?.usd).toBeGreaterThan(95)
  expect(found.forecast?.usd).toBeLessThan(110)
})

test.each([
  ['0001-01-01T00:00:00.000Z', '1970-01-02T00:00:00.000Z'],
  ['0100-01-05T00:00:00.000Z', '1970-01-02T00:00:00.000Z'],
  ['9999-12-31T23:59:59.999Z', '9999-01-02T00:00:00.000Z'],
])('a far moment such as %s is moved to where periods can be counted', async (until, now) => {
  const nothing: Spent = async ({ spans }) => ({ items: spans.map(() => ({ cost_usd: 0, unpriced_calls: 0 })) })
  for (const period of ['month', 'week'] as const) {
    const found = await spendingView(config, nothing, { period, until })
    expect(found.now).toBe(now)
    expect([found.since, found.until, found.previous.since]).toEqual(Array(3).fill(expect.stringMatching(/^\d{4}-/)))
    expect(found.days.length).toBeLessThan(32)
  }
})

test('a history of less than three days has no forecast, and an empty one says so', async () => {
  const now = new Date(2026, 10, 16, 12)
  const young = await view(
    spending((day) => (day < new Date(2026, 10, 15) ? 0 : 8)),
    now,
  )
  expect(young.spent_usd).toBeCloseTo(12, 6)
  expect(young.forecast).toBeNull()
  expect(young.change_share).toBeNull()
  expect(young.gaps.join(' ')).toContain('starts after 3 complete days of history; 1 so far')
  const empty = await view(
    spending(() => 0),
    now,
  )
  expect(empty).toMatchObject({ spent_usd: 0, forecast: null, change_share: null })
  expect(empty.forecast_checks).toEqual({ checks: 0, hits: 0, typical_error: null })
})

test('what is missing is said, and nothing where nothing is', async () => {
  const now = new Date(2026, 10, 16)
  const steady = spending((day) => (day < new Date(2026, 5, 1) ? 0 : 10))
  expect((await view(steady, now)).gaps).toEqual([])
  const unpriced: Spent = async (input) => {
    const { items } = await steady(input)
    return { items: items.map((item) => ({ ...item, unpriced_calls: 3 })) }
  }
  expect(await view(unpriced, now)).toMatchObject({
    unpriced_calls: 3,
    gaps: ['3 requests have no price. Their cost is not in the sums.'],
  })
  const young = spending((day) => (day < new Date(2026, 9, 20) ? 0 : 10))
  expect((await view(young, now)).gaps).toEqual(['The period before was recorded only in part.'])
})

test('the band holds the amount that came 85 to 95 times in 100', { timeout: 120_000 }, async () => {
  let [hits, runs] = [0, 0]
  for (let seed = 0; seed < 400; seed += 1) {
    const random = createRandom(`spending ${seed}`)
    const usual = 5 + random.next() * 50
    const amounts = new Map<number, number>()
    const perDay = (day: Date) => {
      const key = day.getTime()
      if (day < new Date(2026, 0, 1)) return 0
      const own = random.fork(`day ${key}`)
      const isFree = day.getDay() % 6 === 0 && own.chance(0.7)
      if (!amounts.has(key)) amounts.set(key, isFree ? 0 : usual * (0.2 + 0.8 * -Math.log(1 - own.next() * 0.999)))
      return amounts.get(key) ?? 0
    }
    const spent = spending(perDay)
    const now = new Date(2026, 9, 4 + Math.floor(random.next() * 24), 12)
    const found = await view(spent, now)
    const { items } = await spent({ spans: [{ since: found.since, until: found.until }] })
    const amount = items[0]?.cost_usd ?? 0
    if (found.forecast === null) continue
    runs += 1
    if (amount >= found.forecast.low && amount <= found.forecast.high) hits += 1
  }
  expect(runs).toBe(400)
  expect(hits / runs).toBeGreaterThanOrEqual(0.85)
  expect(hits / runs).toBeLessThanOrEqual(0.95)
})
