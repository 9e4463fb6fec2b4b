import { toWall } from '../../shared/wall-time.ts'
import { escaped } from './html-text.ts'

/** A page runs no script, so its times are written in one zone, which the page names. */
export class PageTimes {
  readonly zone: string

  constructor(zone: string) {
    this.zone = zone
  }

  /** Returns an element with the time of day, whose title is the whole time. */
  clock(iso: string): string {
    const at = this.#wall(iso)
    return at === null
      ? ''
      : `<time datetime="${escaped(iso)}" title="${escaped(this.moment(iso))}">${at.toISOString().slice(11, 19)}</time>`
  }

  /** Formats a day: `Monday 16 November 2026`. Empty if the time is unknown. */
  day(iso: string): string {
    const at = this.#wall(iso)
    return at === null ? '' : DAYS.format(at).replaceAll(',', '')
  }

  /** Formats a whole time: `16 November 2026 23:23:18 UTC+1`. */
  moment(iso: string): string {
    const at = this.#wall(iso)
    if (at === null) return ''
    return `${this.day(iso).replace(/^\w+ /, '')} ${at.toISOString().slice(11, 19)} ${this.offset(iso)}`
  }

  /** Returns the zone's distance from UTC at a time: `UTC+5:30`. */
  offset(iso: string): string {
    const minutes = Math.round(((this.#wall(iso)?.getTime() ?? 0) - Date.parse(iso)) / 60_000) || 0
    if (minutes === 0) return 'UTC'
    const rest = Math.abs(minutes) % 60
    const hours = Math.floor(Math.abs(minutes) / 60)
    return `UTC${minutes < 0 ? '−' : '+'}${hours}${rest === 0 ? '' : `:${String(rest).padStart(2, '0')}`}`
  }

  #wall(iso: string): Date | null {
    const wall = new Date(toWall(Date.parse(iso), this.zone))
    return Number.isNaN(wall.getTime()) ? null : wall
  }
}

/** Wall-clock times are those of UTC here. */
const DAYS = new Intl.DateTimeFormat('en-GB', {
  weekday: 'long',
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  timeZone: 'UTC',
})
