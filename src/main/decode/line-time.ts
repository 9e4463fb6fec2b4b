import type { JsonObject } from '../../shared/event.ts'
import { stringOf } from '../../shared/json-fields.ts'

/** No client wrote a line before this: an earlier time (1970, year 1) comes from a clock that was never set. */
const EARLIEST = Date.UTC(2020, 0, 1)
const LATEST = Date.UTC(2100, 0, 1)

/** Returns a time in ms since 1970 if it can be that of a line; null if not. */
export const plausibleTime = (time: number): number | null => (time >= EARLIEST && time < LATEST ? time : null)

/** The time that a line carries itself, in ms since 1970; null if there is none, or none that can be true. */
export function timeOf(line: JsonObject): number | null {
  return plausibleTime(Date.parse(stringOf(line['timestamp']) ?? ''))
}
