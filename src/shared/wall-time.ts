import { DAY_MS, HOUR_MS, MINUTE_MS } from './time-units.ts'

/** Wall-clock times are milliseconds as if the zone were UTC. A zone is an IANA name; the default is the local one. */

const formats = new Map<string, Intl.DateTimeFormat>()

function offsetAt(time: number, zone?: string): number {
  // The local one needs none of the data of zones and languages, which take 8 MB once they are used.
  if (zone === undefined) return -new Date(time).getTimezoneOffset() * MINUTE_MS || 0
  let format = formats.get(zone)
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' })
    formats.set(zone, format)
  }
  const name = Math.abs(time) < LAST_MS ? format.formatToParts(time).find(({ type }) => type === 'timeZoneName') : null
  const [, sign, hours, minutes, seconds = '0'] = /([+-])(\d{2}):(\d{2})(?::(\d{2}))?/.exec(name?.value ?? '') ?? []
  if (sign === undefined) return 0
  return Number(`${sign}1`) * (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000
}

/** The last moment of the calendar of JavaScript. */
const LAST_MS = 8.64e15

/** Returns the name of the local time zone. */
export const localZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone

/** Checks whether a name is that of a time zone. */
export function isZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch (error) {
    if (error instanceof RangeError) return false
    throw error
  }
}

/** Returns the wall-clock time of a moment. */
export const toWall = (time: number, zone?: string): number => time + offsetAt(time, zone)

/**
 * Returns the moment of a wall-clock time: the first of two when clocks go back. A time that clocks skip is as much later:
 * a day without a midnight begins at its first moment.
 */
export function toInstant(wall: number, zone?: string): number {
  const before = offsetAt(wall - DAY_MS, zone)
  const fitting = [before, offsetAt(wall + DAY_MS, zone)]
    .map((offset) => wall - offset)
    .filter((time) => toWall(time, zone) === wall)
  return fitting.length === 0 ? wall - before : Math.min(...fitting)
}

/** Hours that zones are ahead of UTC, by the abbreviations that clients and logs print. */
const ZONES = new Map(
  'Z 0 UTC 0 GMT 0 WET 0 WEST 1 BST 1 CET 1 CEST 2 EET 2 EEST 3 MSK 3 IST 5.5 JST 9 AEST 10 AEDT 11 EST -5 EDT -4 CST -6 CDT -5 MST -7 MDT -6 PST -8 PDT -7'
    .matchAll(/(\w+) (\S+)/g)
    .map(([, name = '', hours]) => [name, Number(hours)] as const),
)
/** Matches a zone that `offsetOf` knows. */
export const ZONE = String.raw`(${[...ZONES.keys()].join('|')}|[+-]\d{2}(?::?\d{2})?)`

/** Returns how far a zone is ahead of UTC: `CET`, `+01:00`. */
export function offsetOf(name: string): number {
  const [, sign, hours, minutes] = /^([+-])(\d{2}):?(\d{2})?$/.exec(name) ?? []
  const ahead =
    sign === undefined
      ? (ZONES.get(name.toUpperCase()) ?? 0)
      : Number(`${sign}1`) * (Number(hours) + Number(minutes ?? 0) / 60)
  return ahead * HOUR_MS
}
