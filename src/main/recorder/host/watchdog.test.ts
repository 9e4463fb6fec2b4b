import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { startWatchdog } from './watchdog.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A watchdog that looks every 10 ms at a thread that beats while `isAlive` returns true. */
function watched(isAlive: () => boolean, patienceMs: () => number) {
  let [beats, hangs] = [0, 0]
  const stop = startWatchdog({
    vitalSigns: { beats: () => (isAlive() ? (beats += 1) : beats) },
    hangMs: 40,
    patienceMs,
    onHang: () => void (hangs += 1),
  })
  return { hangs: () => hangs, stop }
}

test('a thread whose heartbeat stops is reported, one that beats never is', () => {
  let isAlive = true
  const thread = watched(
    () => isAlive,
    () => 40,
  )
  vi.advanceTimersByTime(1000)
  expect(thread.hangs()).toBe(0)
  isAlive = false
  vi.advanceTimersByTime(30)
  expect(thread.hangs()).toBe(0)
  vi.advanceTimersByTime(10)
  expect(thread.hangs()).toBe(1)
})

test('an announced absence extends the timeout, and the watch continues afterwards', () => {
  let patienceMs = 200
  const thread = watched(
    () => false,
    () => patienceMs,
  )
  vi.advanceTimersByTime(100)
  patienceMs = 120
  vi.advanceTimersByTime(10)
  expect(thread.hangs()).toBe(0)
  vi.advanceTimersByTime(10)
  expect(thread.hangs()).toBe(1)
  thread.stop()
  vi.advanceTimersByTime(1000)
  expect(thread.hangs()).toBe(1)
})
