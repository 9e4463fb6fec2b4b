/** Formats a time as 2026-11-21 10:15, in the local time zone. */
export function when(iso: string | null): string {
  if (iso === null) return '-'
  const date = new Date(iso)
  const two = (n: number) => String(n).padStart(2, '0')
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}`
}

/** Returns how to format the times of a list: with seconds if neighbours share their minute. */
export function whenIn(times: readonly (string | null)[]): (iso: string | null) => string {
  const minutes = times.map(when)
  return minutes.some((minute, at) => minute !== '-' && minute === minutes[at - 1]) ? toSecond : when
}

/** Formats a time as 2026-11-21 10:15:08, in the local time zone. */
export const toSecond = (iso: string | null): string =>
  iso === null ? '-' : `${when(iso)}:${String(new Date(iso).getSeconds()).padStart(2, '0')}`
