import { DAY_MS, HOUR_MS } from '../../shared/time-units.ts'

const WINDOWS = [
  { name: '5h', lengthMs: 5 * HOUR_MS },
  { name: '7d', lengthMs: 7 * DAY_MS },
  { name: '7d_opus', lengthMs: 7 * DAY_MS },
] as const

/**
 * Returns the limits of the demo's account at a moment (ms since 1970), as the API's headers name them. They follow from
 * the time alone, so that sessions that overlap agree.
 */
export function demoLimits(now: number): Record<string, string | number> {
  const limits: Record<string, string | number> = { 'unified-status': 'allowed' }
  WINDOWS.forEach(({ name, lengthMs }, order) => {
    const number = Math.floor(now / lengthMs)
    const passed = (now - number * lengthMs) / lengthMs
    // Each window has its own rate, from 40 % to 95 % at its end.
    const atEnd = 0.4 + 0.55 * fractionOf(number * 3 + order)
    limits[`unified-${name}-utilization`] = Math.floor(passed * atEnd * 100) / 100
    limits[`unified-${name}-reset`] = Math.round(((number + 1) * lengthMs) / 1000)
  })
  return limits
}

/** A fraction from 0 to 1 that seems random, the same for the same number. */
function fractionOf(number: number): number {
  const value = Math.sin(number * 12.9898) * 43_758.5453
  return value - Math.floor(value)
}
