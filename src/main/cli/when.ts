import { localTime } from '../base/local-time.ts'

/** Formats a time as 2026-11-21 10:15, in the local time zone. */
export const when = (iso: string | null): string => (iso === null ? '-' : localTime(iso))

/** Returns how to format the times of a list: with seconds if neighbours share their minute. */
export function whenIn(times: readonly (string | null)[]): (iso: string | null) => string {
  const minutes = times.map(when)
  return minutes.some((minute, at) => minute !== '-' && minute === minutes[at - 1]) ? toSecond : when
}

/** Formats a time as 2026-11-21 10:15:08, in the local time zone. */
export const toSecond = (iso: string | null): string =>
  iso === null ? '-' : `${when(iso)}:${String(new Date(iso).getSeconds()).padStart(2, '0')}`
