import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import {
  formatBytes,
  formatCents,
  formatClock,
  formatCost,
  formatCount,
  formatDay,
  formatDuration,
  formatMoment,
  formatShare,
  formatSpan,
  projectName,
} from './format.ts'
import { modelName } from '../../shared/vendors.ts'

beforeEach(() => void vi.stubGlobal('navigator', { language: 'en-GB' }))
afterEach(() => vi.unstubAllGlobals())

test('a cost that grows is written in cents from the start', () => {
  expect([null, 0, 0.0042, 0.0058, 0.33, 12.345].map(formatCents)).toEqual([
    '–',
    '$0',
    '< $0.01',
    '$0.01',
    '$0.33',
    '$12.35',
  ])
})

test('costs keep their significant digits', () => {
  expect([0, 1e-7, 0.00015, 0.0042, 0.125, 3.456, 12_345.6, null].map(formatCost)).toEqual([
    '$0',
    '< $0.000001',
    '$0.00015',
    '$0.0042',
    '$0.13',
    '$3.46',
    '$12,346',
    '–',
  ])
})

test('counts are shortened and never read 1000k', () => {
  expect([0, 9_999, 12_345, 123_456, 999_400, 999_960, 4_500_000, 2_000_000_000].map(formatCount)).toEqual([
    '0',
    '9,999',
    '12.3k',
    '123k',
    '999k',
    '1M',
    '4.5M',
    '2B',
  ])
})

test('durations never read 60 s or 60 m', () => {
  expect(
    [999, 3_240, 59_960, 119_700, 3_599_700, 3_600_000, 7_500_000, 86_400_000, 273_600_000].map(formatDuration),
  ).toEqual(['999 ms', '3.2 s', '1 m', '2 m', '1 h', '1 h', '2 h 5 m', '1 d', '3 d 4 h'])
})

test('bytes and shares never round up to a whole', () => {
  expect([512, 1023, 1024, 1_048_575, 67_108_864].map(formatBytes)).toEqual([
    '512 B',
    '1023 B',
    '1 KB',
    '1 MB',
    '64 MB',
  ])
  expect([0, 0.0001, 0.5, 0.9999, 1, null].map(formatShare)).toEqual(['0%', '0.1%', '50%', '99.9%', '100%', '–'])
})

test('moments count calendar days, not periods of 24 hours', () => {
  const now = new Date(2026, 10, 21, 0, 30).getTime()
  expect(formatMoment(new Date(2026, 10, 21, 0, 10).toISOString(), now)).toBe('00:10')
  expect(formatMoment(new Date(2026, 10, 20, 23, 50).toISOString(), now)).toBe('yesterday 23:50')
  expect(formatMoment(new Date(2026, 10, 16, 9, 5).toISOString(), now)).toBe('Mon 09:05')
  expect(formatMoment(new Date(2026, 10, 15, 9, 5).toISOString(), now)).toBe('Sun 09:05')
  expect(formatMoment(new Date(2026, 10, 14, 9, 5).toISOString(), now)).toBe('14 Nov 09:05')
  expect(formatMoment(new Date(2026, 1, 3, 9, 5).toISOString(), now)).toBe('3 Feb 09:05')
  expect(formatMoment(new Date(2025, 1, 3, 9, 5).toISOString(), now)).toBe('3 Feb 2025')
})

test('a span of whole days names its days, any other its moments', () => {
  const now = new Date(2026, 10, 21, 14, 3).getTime()
  const at = (...parts: [number, number, number?]) => new Date(2026, parts[0], parts[1], parts[2] ?? 0).toISOString()
  expect(formatSpan(at(10, 20), at(10, 21), now)).toBe(formatDay(new Date(2026, 10, 20)))
  expect(formatSpan(at(10, 12), at(10, 15), now)).toBe(
    `${formatDay(new Date(2026, 10, 12))} to ${formatDay(new Date(2026, 10, 14))}`,
  )
  expect(formatSpan(at(10, 20, 9), at(10, 21), now)).toMatch(/^yesterday 0?9:00.* to .*00/)
  expect(formatSpan(at(10, 20), undefined, now)).toMatch(/ to now$/)
})

test('project and model names are shortened', () => {
  expect(projectName('/home/ada/code/engine/')).toBe('engine')
  expect(projectName('C:\\code\\engine')).toBe('engine')
  expect(projectName('/home/ada/engine/2')).toBe('engine/2')
  expect(projectName('/home/ada/engine/.worktrees/ada/fix-a')).toBe('engine/fix-a')
  expect(projectName('/home/ada/engine/.claude/worktrees/calm-owl')).toBe('engine/calm-owl')
  expect(projectName('/home/ada/worktrees')).toBe('worktrees')
  for (const home of ['/home/ada', '/Users/ada', 'C:\\Users\\ada', '/mnt/c/Users/ada', '/root']) {
    expect(projectName(`${home}/worktrees/shop`)).toBe('shop')
    expect(projectName(`${home}/.claude/worktrees/shop`)).toBe('shop')
    expect(projectName(`${home}/worktrees/shop/fix-a`)).toBe('shop/fix-a')
    expect(projectName(`${home}/2`)).toBe('2')
    expect(projectName(`${home}/code/shop/worktrees/fix-a`)).toBe('shop/fix-a')
  }
  expect(projectName('/42')).toBe('42')
  expect(projectName(null)).toBe('no project')
  expect(projectName('/home/ada/a\u202eb')).toBe('a[U+202E]b')
  expect(modelName('claude-haiku-4-5-20251001')).toBe('haiku-4-5')
})

test.each([
  ['en-US', '12,346', '1.3 s', '2:05:09 PM', 'Feb 3 2:05 PM'],
  ['de-DE', '12.346', '1,3 s', '14:05:09', '3 Feb 14:05'],
  ['fr', '12 346', '1,3 s', '14:05:09', '3 Feb 14:05'],
  ['ar-EG', '12,346', '1.3 s', '2:05:09 PM', '3 Feb 2:05 PM'],
])('numbers, dates and hours are those of the viewer: %s', (language, number, seconds, clock, moment) => {
  vi.stubGlobal('navigator', { language })
  const at = new Date(2026, 1, 3, 14, 5, 9)
  const plain = (text: string) => text.replaceAll(/[\u00a0\u202f]/g, ' ').replaceAll(/[\u061c\u200f]/g, '')
  expect(plain(formatCost(12_345.6))).toBe(`$${number}`)
  expect(plain(formatDuration(1_250))).toBe(seconds)
  expect(plain(formatClock(at.toISOString())).toUpperCase()).toBe(clock)
  expect(plain(formatMoment(at.toISOString(), new Date(2026, 5, 1).getTime())).toUpperCase()).toBe(moment.toUpperCase())
})
