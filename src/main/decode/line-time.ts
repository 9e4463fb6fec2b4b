import type { JsonObject } from '../../shared/event.ts'
import { DAY_MS } from '../../shared/time-units.ts'
import { numberOf, stringOf } from '../../shared/json-fields.ts'

/** No client wrote a line before this: an earlier time (1970, year 1) comes from a clock that was never set. */
const EARLIEST = Date.UTC(2020, 0, 1)
const LATEST = Date.UTC(2100, 0, 1)
/** Programs that copy lines write times as numbers: seconds since 1970 are smaller than this, milliseconds larger. */
const LAST_SECOND = LATEST / 1000

/** A line that is as much ahead was written while its clock was not set; one that is less may come from a clock that is right. */
const AHEAD_MS = 400 * DAY_MS

/** Returns a time in ms since 1970 if it can be that of a line; null if not. */
export function plausibleTime(time: number): number | null {
  const now = Date.now()
  const end = now < EARLIEST ? LATEST : Math.min(LATEST, now + AHEAD_MS)
  return time >= EARLIEST && time < end ? time : null
}

/** The time that a line carries itself, in ms since 1970; null if there is none, or none that can be true. */
export function timeOf({ timestamp }: JsonObject): number | null {
  const said = stringOf(timestamp) ?? ''
  const count = /^\d{9,13}(?:\.\d+)?$/.test(said) ? Number(said) : numberOf(timestamp)
  if (count === null) return plausibleTime(Date.parse(said))
  return plausibleTime(Math.round(count < LAST_SECOND ? count * 1000 : count))
}
