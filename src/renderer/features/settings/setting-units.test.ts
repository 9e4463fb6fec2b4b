import { expect, test } from 'vitest'
import { settingLabel } from './setting-labels.ts'
import { bestUnit, faultOf, formDescription, unitsOf, zeroWord } from './setting-units.ts'

test('sizes and times are shown in the largest unit in which they are whole', () => {
  const shown = (key: string, value: number) => {
    const unit = bestUnit(value, unitsOf(key))
    return `${value / (unit?.factor ?? 1)} ${unit?.name ?? ''}`.trim()
  }
  expect(shown('proxy.max_queue_bytes', 67_108_864)).toBe('64 MB')
  expect(shown('lifestats.max_prompt_size', 1_000_000)).toBe('1 million bytes')
  expect(shown('webhook.timeout_ms', 10_000)).toBe('10 s')
  expect(shown('redaction.pattern_timeout_ms', 500)).toBe('500 ms')
  expect(shown('budgets.daily_usd', 3)).toBe('3 $')
  expect(shown('notices.long_turn_minutes', 0)).toBe('0 minutes')
  expect(shown('webhook.batch_size', 100)).toBe('100')
})

test('values out of bounds are refused as they are typed', () => {
  expect(faultOf(1.5, { type: 'integer' })).toBe('Enter a whole number.')
  expect(faultOf(-1, { minimum: 0 }, 'days')).toBe('Enter at least 0 days.')
  expect(faultOf(2_000_000, { maximum: 1_000_000 }, '$')).toBe('Enter at most $1000000.')
  expect(faultOf(64, { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER })).toBeNull()
})

test('a setting has a plain name, at worst that of its key', () => {
  expect(settingLabel('proxy.max_queue_bytes')).toBe('Memory for traffic that waits to be recorded')
  expect(settingLabel('new.max_tail_length')).toBe('Max tail length')
})

test('a description says what the form means: empty, and choices in words', () => {
  expect(
    formDescription('When a cap is reached. hold: wait. refuse: end the turn. `a`', 'hold', ['hold', 'refuse']),
  ).toBe('When a cap is reached. a')
  expect(zeroWord('Cap on the cost of a day. 0: no cap.')).toBe('no cap')
  expect(zeroWord('Port of the proxy. 0 picks a free port.')).toBeUndefined()
  const days = 'Delete it after this many days. 0: never.'
  expect(formDescription(days, 30)).toBe('Delete it after this many days. Empty: never.')
  expect(formDescription(days, 0)).toBe('Delete it after this many days.')
  expect(formDescription('Desktop: notify when recording stops.', true)).toBe('Notify when recording stops.')
})
