import { expect, test } from 'vitest'
import type { LimitWindow } from '../../lib/limits.ts'
import { limitSentences } from './limits-line.ts'

const window = (change: object) =>
  ({ window: '5h', used: 0.4, resets_at: null, forecast: null, by_session: [], ...change }) as unknown as LimitWindow
const said = (...windows: readonly LimitWindow[]) =>
  limitSentences(windows)
    .map(({ text }) => text)
    .join(' ')
const session = (title: string, used: number) => ({ session_id: title, title, used })

test('speaks of the limit nearest to its end, with the session that used most', () => {
  const forecast = { at_reset: 0.9, exhausted_at: null, exhausted_earliest: null }
  const days = window({ window: '7d', used: 0.3, forecast, by_session: [session('A', 0.02), session('CSV', 0.2)] })
  expect(said(window({}), days)).toBe('30% of the 7-day limit is used; 90% expected. “CSV” used 20% of the limit.')
})

test('names no session with a small part, and says nothing of what is not used', () => {
  expect(said(window({ by_session: [session('A', 0.05)] }))).toBe('40% of the 5-hour limit is used.')
  expect(said(window({ account: 'Work' }))).toBe('40% of the 5-hour limit of Work is used.')
  expect(said(window({ used: 0 }))).toBe('')
  expect(limitSentences([])).toEqual([])
})
