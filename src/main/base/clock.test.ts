import { expect, test } from 'vitest'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../shared/time-units.ts'
import { SteadyClock } from './clock.ts'

const NOON = Date.parse('2026-11-29T12:00:00.000Z')

/** A clock of a computer that has been on for a day; `set` sets the computer's. */
function clockAt(begin: number) {
  let [now, up] = [begin, DAY_MS]
  const pass = (ms: number) => {
    now += ms
    up += ms
  }
  const clock = new SteadyClock({ now: () => now, up: () => up, run: () => up - DAY_MS })
  return { clock, pass, set: (time: number) => (now = time) }
}

test.each([
  ['a year ahead', 365 * DAY_MS],
  ['two days back', -2 * DAY_MS],
  ['to 1999', Date.parse('1999-01-01') - NOON],
  ['to 2047', Date.parse('2047-01-01') - NOON],
])('a clock that jumps %s and returns does not count meanwhile', (_, jump) => {
  const { clock, pass, set } = clockAt(NOON)
  expect(clock.wall()).toBe(NOON)
  set(NOON + jump)
  pass(MINUTE_MS)
  expect([clock.wall(), clock.isWrong()]).toEqual([NOON + MINUTE_MS, true])
  set(NOON + 2 * MINUTE_MS)
  expect([clock.wall(), clock.isWrong()]).toEqual([NOON + MINUTE_MS * 2, false])
})

test('a sleep of eight hours or of three days, and steps below a day, count at once', () => {
  const { clock, pass, set } = clockAt(NOON)
  clock.wall()
  pass(8 * HOUR_MS)
  expect(clock.wall()).toBe(NOON + 8 * HOUR_MS)
  pass(3 * DAY_MS)
  expect(clock.wall()).toBe(NOON + 8 * HOUR_MS + 3 * DAY_MS)
  set(NOON + 3 * DAY_MS)
  expect(clock.wall()).toBe(NOON + 3 * DAY_MS)
})

test('a jump counts after an hour, unless another clock contradicts it, and at once if one agrees', () => {
  const jumped = NOON + 30 * DAY_MS
  const { clock, pass, set } = clockAt(NOON)
  clock.wall()
  set(jumped)
  expect(clock.wall()).toBe(NOON)
  pass(50 * MINUTE_MS)
  clock.heard(NOON + 50 * MINUTE_MS)
  pass(50 * MINUTE_MS)
  expect(clock.wall()).toBe(NOON + 100 * MINUTE_MS)
  pass(10 * MINUTE_MS)
  expect(clock.wall()).toBe(jumped + 110 * MINUTE_MS)
  set(NOON + 2 * HOUR_MS)
  expect(clock.wall()).toBe(NOON + 2 * HOUR_MS)
  set(NOON - 100 * DAY_MS)
  clock.heard(Number.NaN)
  expect(clock.wall()).toBe(NOON + 2 * HOUR_MS)
  clock.heard(NOON - 100 * DAY_MS)
  expect(clock.wall()).toBe(NOON - 100 * DAY_MS)
})

test('a clock a year ahead at the start counts as soon as it shows what another clock has said', () => {
  const { clock, pass, set } = clockAt(NOON + 365 * DAY_MS)
  clock.wall()
  clock.heard(NOON)
  expect([clock.wall(), clock.isWrong()]).toEqual([NOON + 365 * DAY_MS, false])
  pass(MINUTE_MS)
  set(NOON + MINUTE_MS)
  expect([clock.wall(), clock.isWrong()]).toEqual([NOON + MINUTE_MS, false])
})

test('a clock of 1970 at the start runs from the first day, until another clock is heard or it is set', () => {
  const { clock, pass, set } = clockAt(0)
  pass(MINUTE_MS)
  expect(clock.wall()).toBe(Date.parse('2026-01-01T00:01:00.000Z'))
  clock.heard(NOON)
  pass(MINUTE_MS)
  expect([clock.wall(), clock.isWrong()]).toEqual([NOON + MINUTE_MS, true])
  const unheard = clockAt(0)
  unheard.clock.wall()
  unheard.set(NOON)
  expect([unheard.clock.wall(), unheard.clock.isWrong()]).toEqual([NOON, false])
  set(NOON + HOUR_MS)
  expect([clock.wall(), clock.isWrong()]).toEqual([NOON + HOUR_MS, false])
})
