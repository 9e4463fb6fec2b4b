/** A stretch of time in milliseconds since 1970: `from` is part of it, `to` is not. */
export interface TimeSpan {
  readonly from: number
  readonly to: number
}

const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ')
const MONTH = String.raw`(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?`
const DAYS = 'sun mon tue wed thu fri sat'.split(' ')
const DAY_NAME = String.raw`(sun(?:day)?|mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday)?|thu(?:rs(?:day)?)?|fri(?:day)?|sat(?:urday)?)`
const DAY = String.raw`(\d{1,2})(?:st|nd|rd|th)?`
const HOUR_MS = 3_600_000
const UNIT_MS: { readonly [unit: string]: number } = {
  m: 60_000,
  min: 60_000,
  minute: 60_000,
  h: HOUR_MS,
  hour: HOUR_MS,
  d: 24 * HOUR_MS,
  day: 24 * HOUR_MS,
  w: 168 * HOUR_MS,
  week: 168 * HOUR_MS,
  mo: 30 * 24 * HOUR_MS,
  month: 30 * 24 * HOUR_MS,
  y: 365 * 24 * HOUR_MS,
  year: 365 * 24 * HOUR_MS,
}

type Read = (found: RegExpExecArray, now: Date) => TimeSpan | null
type Form = readonly [form: RegExp, read: Read]

/** Returns a local day, or null if the calendar has no such day. */
function dayOf(year: number, month: number, day: number): TimeSpan | null {
  const start = new Date(year, month, day)
  if (start.getMonth() !== month || start.getDate() !== day) return null
  return { from: start.getTime(), to: new Date(year, month, day + 1).getTime() }
}

/** Returns the day of a month that a text names without a year: the last one that is not in the future. */
function lastSuch(month: number, day: number, now: Date): TimeSpan | null {
  const thisYear = dayOf(now.getFullYear(), month, day)
  return thisYear !== null && thisYear.from <= now.getTime() ? thisYear : dayOf(now.getFullYear() - 1, month, day)
}

const monthsOf = (year: number, month: number, count = 1): TimeSpan => ({
  from: new Date(year, month).getTime(),
  to: new Date(year, month + count).getTime(),
})
const daysAgo = (now: Date, days: number, count = 1): TimeSpan => ({
  from: new Date(now.getFullYear(), now.getMonth(), now.getDate() - days).getTime(),
  to: new Date(now.getFullYear(), now.getMonth(), now.getDate() - days + count).getTime(),
})
const indexOf = (names: readonly string[], word = ''): number => names.indexOf(word.slice(0, 3).toLowerCase())
/** Days since Monday. */
const weekday = (now: Date): number => (now.getDay() + 6) % 7

function moment(text: string): TimeSpan | null {
  const time = Date.parse(text)
  return Number.isFinite(time) ? { from: time, to: time } : null
}

function dayNumbers(year: number, one: number, two: number): TimeSpan | null {
  return dayOf(year, one - 1, two) ?? dayOf(year, two - 1, one)
}

const withYear = (month: number, day: number, year: string | undefined, now: Date): TimeSpan | null =>
  year === undefined ? lastSuch(month, day, now) : dayOf(Number(year), month, day)

/** The forms, longest first, since a text is matched at its beginning. */
const FORMS: readonly Form[] = [
  [/\d{4}-\d{2}-\d{2}T\S+/, ([text]) => moment(text)],
  [
    /(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})/,
    ([, year, month, day]) => dayOf(Number(year), Number(month) - 1, Number(day)),
  ],
  [/(\d{1,2})\.(\d{1,2})\.(\d{4})/, ([, day, month, year]) => dayOf(Number(year), Number(month) - 1, Number(day))],
  [/(\d{1,2})\/(\d{1,2})\/(\d{4})/, ([, one, two, year]) => dayNumbers(Number(year), Number(one), Number(two))],
  [/(\d{1,2})\.(\d{1,2})\./, ([, day, month], now) => lastSuch(Number(month) - 1, Number(day), now)],
  [
    new RegExp(String.raw`${DAY}[\s.]+(?:of\s+)?${MONTH}(?:,?\s+(\d{4}))?`),
    ([, day, month, year], now) => withYear(indexOf(MONTHS, month), Number(day), year, now),
  ],
  [
    new RegExp(String.raw`${MONTH}\s+${DAY}(?:,?\s+(\d{4}))?`),
    ([, month, day, year], now) => withYear(indexOf(MONTHS, month), Number(day), year, now),
  ],
  [new RegExp(String.raw`${MONTH},?\s+(\d{4})`), ([, month, year]) => monthsOf(Number(year), indexOf(MONTHS, month))],
  [/(\d{4})-(\d{2})/, ([, year, month]) => (Number(month) < 13 ? monthsOf(Number(year), Number(month) - 1) : null)],
  [
    /(\d{1,5})\s*(mo|months?|minutes?|mins?|hours?|days?|weeks?|years?|[mhdwy])(?:\s+ago)?/,
    ([, count, unit = ''], now) => {
      const length = UNIT_MS[unit.length > 2 ? unit.replace(/s$/, '') : unit] ?? 0
      const time = now.getTime() - Number(count) * length
      return { from: time, to: time }
    },
  ],
  [/today/, (_, now) => daysAgo(now, 0)],
  [/yesterday/, (_, now) => daysAgo(now, 1)],
  [/tomorrow/, (_, now) => daysAgo(now, -1)],
  [/(?:this|current)\s+week/, (_, now) => daysAgo(now, weekday(now), 7)],
  [/last\s+week/, (_, now) => daysAgo(now, weekday(now) + 7, 7)],
  [/(?:this|current)\s+month/, (_, now) => monthsOf(now.getFullYear(), now.getMonth())],
  [/last\s+month/, (_, now) => monthsOf(now.getFullYear(), now.getMonth() - 1)],
  [/(?:this|current)\s+year/, (_, now) => monthsOf(now.getFullYear(), 0, 12)],
  [/last\s+year/, (_, now) => monthsOf(now.getFullYear() - 1, 0, 12)],
  [
    // The last one before today, as people mean it: on a Tuesday, "Tuesday" is a week ago.
    new RegExp(String.raw`(?:(?:last|on|this)\s+)?${DAY_NAME}`),
    ([, name], now) => daysAgo(now, ((now.getDay() - indexOf(DAYS, name) + 6) % 7) + 1),
  ],
  [
    new RegExp(String.raw`(?:last\s+)?${MONTH}`),
    ([, name], now) => {
      const month = indexOf(MONTHS, name)
      return monthsOf(now.getFullYear() - (month > now.getMonth() ? 1 : 0), month)
    },
  ],
  [/(?:19|20)\d{2}/, ([text]) => monthsOf(Number(text), 0, 12)],
]

const AT_START = FORMS.map(([form, read]) => [new RegExp(`^${form.source}(?![\\w-])`, 'i'), read] as const)

/**
 * Reads a date or time as people write it at the beginning of a text: `2026-03-04`, `4 March`, `04.03.2026`, `7d`,
 * `yesterday`, `last Tuesday`. Days are those of the local time zone; a date without a year is the last such day; a moment
 * or an age has no length.
 */
export function readTypedTime(text: string, now: number): { readonly span: TimeSpan; readonly length: number } | null {
  for (const [form, read] of AT_START) {
    const found = form.exec(text)
    const span = found === null ? null : read(found, new Date(now))
    if (found !== null && span !== null) return { span, length: found[0].length }
  }
  return null
}
