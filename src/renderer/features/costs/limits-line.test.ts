import { expect, test } from 'vitest'
import type { LimitWindow } from '../../lib/limits.ts'
import { limitSentences } from './limits-line.ts'

const window = (change: object) =>
  ({ window: '5h', used: 0.4, resets_at: null, forecast: null, by_session: [], ...change }) as unknown as LimitWindow
const said = (...windows: readonly LimitWindow[]) =>
  limitSentences(windows)
    .map(({ text }) => text)
    .join(' ')
const session = (title: string, used: number) => ({ session_id: title, title, used, cost_usd: used * 10 })

test('speaks of the limit nearest to its end, with the session that used most', () => {
  const forecast = { at_reset: 0.9, exhausted_at: null, exhausted_earliest: null }
  const days = window({ window: '7d', used: 0.3, forecast, by_session: [session('A', 0.02), session('CSV', 0.2)] })
  expect(said(window({}), days)).toBe(
    '30% of the 7-day limit is used; 90% expected. “CSV” used about 20% of the limit.',
  )
  // A limit without a forecast is not emptier than one that stays half empty.
  const emptier = window({ window: '7d_opus', used: 0.25, forecast: { ...forecast, at_reset: 0.56 } })
  expect(said(window({}), emptier)).toBe('40% of the 5-hour limit is used.')
})

const HOUR = 3_600_000
const NOW = Date.parse('2026-11-28T12:00:00Z')
/** A report of the 7-day limit some weeks ago, `hours` before this hour of the week. */
const report = (weeks: number, used: number, hours = 1, resets = 24, more: object = {}) => {
  const at = NOW - weeks * 168 * HOUR
  return {
    timestamp: new Date(at - hours * HOUR).toISOString(),
    seven_day_used: used,
    seven_day_resets_at: new Date(at + resets * HOUR).toISOString(),
    ...more,
  } as Parameters<typeof limitSentences>[1] extends readonly (infer Report)[] | undefined ? Report : never
}

test.each([
  [
    'compares with the median of three weeks',
    [report(3, 0.2), report(2, 0.9), report(1, 0.3)],
    ', twice your usual 30%',
  ],
  ['not with two', [report(2, 0.9), report(1, 0.3)], ''],
  ['not with a day before', [report(3, 0.2, 30), report(2, 0.9), report(1, 0.3)], ''],
  ['not with a window that had ended', [report(3, 0.2), report(2, 0.9), report(1, 0.3, 2, -1)], ''],
  ['not with another account', [report(3, 0.2), report(2, 0.9), report(1, 0.3, 1, 24, { account: 'Work' })], ''],
] as const)('this hour of other weeks: %s', (_, reports, compared) => {
  const days = window({ window: '7d', used: 0.6 })
  const [first] = limitSentences([days], reports, NOW)
  const at = compared === '' ? '' : ' at this time of the week'
  expect(first?.text).toBe(`60% of the 7-day limit is used${compared}${at}.`)
})

test('names no session with a small part, and says nothing of what is not used', () => {
  expect(said(window({ by_session: [session('A', 0.05)] }))).toBe('40% of the 5-hour limit is used.')
  expect(said(window({ account: 'Work' }))).toBe('40% of the 5-hour limit of Work is used.')
  expect(said(window({ used: 0 }))).toBe('')
  expect(limitSentences([])).toEqual([])
})
