import { expect, test } from 'vitest'
import { limitsOfEvent, limitsOfHeaders } from './limits.ts'

test('headers become windows named by their length, and never those of another vendor', () => {
  const limits = limitsOfHeaders([
    ['x-codex-primary-used-percent', '12.5'],
    ['x-codex-primary-window-minutes', '300'],
    ['X-Codex-Primary-Reset-At', '1790000000'],
    ['x-codex-secondary-used-percent', '40'],
    ['x-codex-secondary-window-minutes', '10080'],
    ['x-ratelimit-remaining-tokens', '99'],
    ['x-ratelimit-remaining-requests', 'many'],
  ])
  expect(limits).toEqual({
    'unified-5h_codex-utilization': 0.125,
    'unified-5h_codex-reset': 1_790_000_000,
    'unified-7d_codex-utilization': 0.4,
    'tokens-remaining': 99,
  })
})

test("a rollout's windows are the same; a further limit has its name in front", () => {
  const primary = { used_percent: 12.5, window_minutes: 300, resets_at: 1_790_000_000 }
  expect(limitsOfEvent({ limit_id: 'codex', primary, secondary: null })).toEqual({
    'unified-5h_codex-utilization': 0.125,
    'unified-5h_codex-reset': 1_790_000_000,
  })
  expect(Object.keys(limitsOfEvent({ limit_id: 'codex_other', primary }))).toEqual([
    'unified-5h_codex_other-utilization',
    'unified-5h_codex_other-reset',
  ])
})

test('an event has the same windows; a window without a length or a share is none', () => {
  expect(limitsOfEvent({ primary: { used_percent: 50, window_minutes: 300, reset_at: 7 }, secondary: null })).toEqual({
    'unified-5h_codex-utilization': 0.5,
    'unified-5h_codex-reset': 7,
  })
  expect(limitsOfEvent({ primary: { used_percent: 50 }, secondary: { window_minutes: 0, used_percent: 1 } })).toEqual(
    {},
  )
  expect(limitsOfHeaders([['x-codex-primary-used-percent', '1']])).toEqual({})
})
