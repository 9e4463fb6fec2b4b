import { setTimeout as pause } from 'node:timers/promises'

/** Time limit in ms of a test that depends on the current day. */
const NEEDED_MS = 150_000
const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

/**
 * For tests that depend on the current day or month: if the day is about to end, here or in UTC, waits until the next one
 * has begun.
 */
export async function farFromMidnight(): Promise<void> {
  for (const offset of [0, new Date().getTimezoneOffset() * MINUTE_MS]) {
    const left = DAY_MS - ((Date.now() - offset) % DAY_MS)
    if (left < NEEDED_MS) await pause(left + 1000)
  }
}
