import type { Session } from '../../../../shared/contract/sessions.ts'
import { startOfDay } from '../../../lib/time-range.ts'
import { viewerDate } from '../../../lib/viewer-locale.ts'

/** A row of the list: a session, or the day above those that follow. */
export type ListRow =
  | { readonly kind: 'day'; readonly key: string; readonly name: string }
  | { readonly kind: 'session'; readonly key: string; readonly session: Session; readonly index: number }

/** Puts a heading above the sessions of each day of the viewer. `null` if the order is not by time: no headings. */
export function withDays(
  sessions: readonly Session[],
  timeOf: ((session: Session) => string) | null,
  now: number,
  zone: string,
): ListRow[] {
  const rows: ListRow[] = []
  let newest: number | null = null
  for (const [index, session] of sessions.entries()) {
    if (timeOf !== null) {
      const day = startOfDay(Date.parse(timeOf(session)), zone)
      if (day !== newest) rows.push({ kind: 'day', key: `day ${day}`, name: dayName(day, now, zone) })
      newest = day
    }
    rows.push({ kind: 'session', key: session.id, session, index })
  }
  return rows
}

function dayName(day: number, now: number, zone: string): string {
  if (day === startOfDay(now, zone)) return 'Today'
  if (day === startOfDay(now, zone, 1)) return 'Yesterday'
  const isThisYear = new Date(day).getFullYear() === new Date(now).getFullYear()
  return viewerDate(day, {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    ...(isThisYear ? {} : { year: 'numeric' }),
    timeZone: zone,
  })
}
