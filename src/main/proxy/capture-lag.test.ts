import { expect, test } from 'vitest'
import { CaptureLagMeter } from './capture-lag.ts'

function meter() {
  let now = 1000
  const lag = new CaptureLagMeter(() => now)
  return { lag, pass: (ms: number) => void (now += ms) }
}

test('the oldest capture that waits counts, whatever was recorded after it', () => {
  const { lag, pass } = meter()
  expect(lag.read()).toEqual({ oldest_ms: 0, p50_ms: null, p99_ms: null, count: 0, sum_ms: 0 })
  lag.ended('a')
  pass(100)
  lag.ended('b')
  pass(50)
  lag.recorded('b')
  expect(lag.read()).toMatchObject({ oldest_ms: 150, count: 1, sum_ms: 50 })
  lag.recorded('a')
  expect(lag.read()).toEqual({ oldest_ms: 0, p50_ms: 150, p99_ms: 150, count: 2, sum_ms: 200 })
})

test('what is dropped or was never complete is not measured', () => {
  const { lag, pass } = meter()
  lag.ended('a')
  pass(10)
  lag.dropped('a')
  lag.recorded('a')
  lag.recorded('never ended')
  expect(lag.read()).toMatchObject({ oldest_ms: 0, count: 0 })
})

test('percentiles cover the last 1,024 captures of the last five minutes', () => {
  const { lag, pass } = meter()
  const record = (ms: number) => {
    lag.ended('x')
    pass(ms)
    lag.recorded('x')
  }
  for (let count = 0; count < 500; count += 1) record(900)
  for (let count = 0; count < 1000; count += 1) record(10)
  for (let count = 0; count < 20; count += 1) record(40)
  expect(lag.read()).toMatchObject({ p50_ms: 10, p99_ms: 40, count: 1520 })
  pass(5 * 60_000 + 1)
  expect(lag.read()).toMatchObject({ p50_ms: null, p99_ms: null, count: 1520 })
})
