import { DAY_MS, HOUR_MS, MINUTE_MS } from './time-units.ts'
import { offsetOf, toInstant, toWall, ZONE } from './wall-time.ts'

/** A stretch of time in milliseconds since 1970: `from` is included, `to` is not. */
export interface TimeSpan {
  readonly from: number
  readonly to: number
}

const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ')
const MONTH = String.raw`(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?`
const DAYS = 'sun mon tue wed thu fri sat'.split(' ')
const DAY_NAME = String.raw`(sun(?:day)?|mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday)?|thu(?:rs(?:day)?)?|fri(?:day)?|sat(?:urday)?)`
const DAY = String.raw`(\d{1,2})(?:st|nd|rd|th)?`
const UNIT = String.raw`(months?|mo|minutes?|mins?|hours?|days?|weeks?|years?|[mhdwy])`
const NUMBERS: { readonly [word: string]: number } = {
  a: 1,
  an: 1,
  one: 1,
  two: 2,
  three: 3,
  few: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  eight: 8,
  nine: 9,
  ten: 10,
}
const NUMBER = String.raw`(\d{1,5}|an?\s+few|${Object.keys(NUMBERS).join('|')})`
const YEARS_BETWEEN_LEAP_DAYS = 9
const UNIT_MS: { readonly [unit: string]: number } = {
  m: MINUTE_MS,
  min: MINUTE_MS,
  minute: MINUTE_MS,
  h: HOUR_MS,
  hour: HOUR_MS,
  d: DAY_MS,
  day: DAY_MS,
  w: 7 * DAY_MS,
  week: 7 * DAY_MS,
  mo: 30 * DAY_MS,
  month: 30 * DAY_MS,
  y: 365 * DAY_MS,
  year: 365 * DAY_MS,
}

/** A span of wall-clock time, as if the zone were UTC; `isInstant`: of moments that are the same in every zone. */
interface WallSpan extends TimeSpan {
  readonly isInstant?: true
}

/** `now` is a wall-clock time, `time` the moment. */
type Read = (found: RegExpExecArray, now: Date, time: number) => WallSpan | null
type Form = readonly [form: RegExp, read: Read]

/** `Date.UTC` takes years below 100 for years of the last century. */
const dateOf = (year: number, month: number, day = 1): Date => new Date(new Date(0).setUTCFullYear(year, month, day))

/** Returns a day, or null if the calendar has no such day. */
function dayOf(year: number, month: number, day: number): TimeSpan | null {
  const start = dateOf(year, month, day)
  if (start.getUTCMonth() !== month || start.getUTCDate() !== day) return null
  return { from: start.getTime(), to: dateOf(year, month, day + 1).getTime() }
}

/** Returns the day of a moment in a time zone. */
export const dayAround = (time: number, zone?: string): TimeSpan =>
  instants(daysAgo(new Date(toWall(time, zone)), 0), zone)

const instants = ({ from, to, isInstant }: WallSpan, zone: string | undefined): TimeSpan =>
  isInstant === true ? { from, to } : { from: toInstant(from, zone), to: toInstant(to, zone) }

/** Returns the day of a month that a text names without a year: the last one that is not in the future. */
function lastSuch(month: number, day: number, now: Date): TimeSpan | null {
  for (let year = now.getUTCFullYear(); year > now.getUTCFullYear() - YEARS_BETWEEN_LEAP_DAYS; year -= 1) {
    const found = dayOf(year, month, day)
    if (found !== null && found.from <= now.getTime()) return found
  }
  return null
}

/** Returns a week as ISO 8601 counts them, from Monday: the first one has 4 January. Null if the year has no such week. */
function weekOf(year: number, week: number): TimeSpan | null {
  const first = dateOf(year, 0, 4)
  const monday = (more: number) => dateOf(year, 0, 4 - weekday(first) + 7 * (week - 1 + more)).getTime()
  const isInYear = week > 0 && dateOf(year, 0, 7 - weekday(first) + 7 * (week - 1)).getUTCFullYear() === year
  return isInYear ? { from: monday(0), to: monday(1) } : null
}

function lastWeek(week: number, now: Date): TimeSpan | null {
  const thisYear = weekOf(now.getUTCFullYear(), week)
  return thisYear !== null && thisYear.from <= now.getTime() ? thisYear : weekOf(now.getUTCFullYear() - 1, week)
}

/** Reads `7`, `two` or `an`. */
const numberOf = (word = ''): number => (/^\d/.test(word) ? Number(word) : (NUMBERS[word.toLowerCase()] ?? 1))

function ageOf(count: string | undefined, unit: string, now: number): WallSpan {
  const name = unit.toLowerCase()
  const length = UNIT_MS[name.length > 2 ? name.replace(/s$/, '') : name] ?? 0
  return instant(now - numberOf(count) * length)
}

/** Reads `two weeks ago` or `last two weeks`: without one of these words, it is not a time. */
const ageInWords = ([, count, unit = '']: RegExpExecArray, _: Date, time: number): WallSpan =>
  ageOf(count?.split(/\s/).at(-1), unit, time)

/** Two digits are a year of this century. */
const fullYear = (year: string | undefined): number => Number(year) + (year?.length === 2 ? 2000 : 0)

const monthsOf = (year: number, month: number, count = 1): TimeSpan => ({
  from: dateOf(year, month).getTime(),
  to: dateOf(year, month + count).getTime(),
})
const daysAgo = (now: Date, days: number, count = 1): TimeSpan => ({
  from: dateOf(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() - days).getTime(),
  to: dateOf(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() - days + count).getTime(),
})
const indexOf = (names: readonly string[], word = ''): number => names.indexOf(word.slice(0, 3).toLowerCase())
/** Days since Monday. */
const weekday = (now: Date): number => (now.getUTCDay() + 6) % 7

const instant = (time: number): WallSpan => ({ from: time, to: time, isInstant: true })

/** Reads an ISO time; one without an offset is a wall-clock time. Null for a day that its month does not have. */
function moment(text: string): WallSpan | null {
  const [year = 0, month = 0, day = 0] = text.slice(0, 10).split('-').map(Number)
  if (dayOf(year, month - 1, day) === null) return null
  const hasOffset = /(?:Z|[+-]\d{2}(?::?\d{2})?)$/i.test(text)
  const time = Date.parse(hasOffset ? text : `${text}Z`)
  if (!Number.isFinite(time)) return null
  return hasOffset ? instant(time) : { from: time, to: time }
}

const yearFirst = ([, year, month, day]: RegExpExecArray): TimeSpan | null =>
  dayOf(Number(year), Number(month) - 1, Number(day))

const dayNumbers = (year: number, one: number, two: number): TimeSpan | null =>
  dayOf(year, one - 1, two) ?? dayOf(year, two - 1, one)

const withYear = (month: number, day: number, year: string | undefined, now: Date): TimeSpan | null =>
  year === undefined ? lastSuch(month, day, now) : dayOf(Number(year), month, day)

/** The forms, longest first, since a text is matched at its beginning. */
const FORMS: readonly Form[] = [
  [
    // As `date` and `git log` print it, after the name of the day.
    new RegExp(String.raw`${MONTH}\s+${DAY}\s+(\d{2}:\d{2}:\d{2})(?:\s+${ZONE})?\s+(\d{4})(?:\s+${ZONE})?`),
    ([, month, day = '', time, before, year, zone = before]) => {
      const read = moment(`${year}-${`${indexOf(MONTHS, month) + 1}`.padStart(2, '0')}-${day.padStart(2, '0')}T${time}`)
      return read === null || zone === undefined ? read : instant(read.from - offsetOf(zone))
    },
  ],
  [/\d{4}-\d{2}-\d{2}T\S+/, ([text]) => moment(text)],
  [/(\d{4})[-/.年](\d{1,2})[-/.月](\d{1,2})日?/, (found) => yearFirst(found)],
  [/((?:19|20)\d{2})([01]\d)([0-3]\d)/, (found) => yearFirst(found)],
  [
    /(\d{1,2})\.(\d{1,2})\.(\d{4}|\d{2})/,
    ([, day, month, year]) => dayOf(fullYear(year), Number(month) - 1, Number(day)),
  ],
  [/(\d{1,2})\/(\d{1,2})\/(\d{4}|\d{2})/, ([, one, two, year]) => dayNumbers(fullYear(year), Number(one), Number(two))],
  [/(\d{1,2})\.(\d{1,2})\./, ([, day, month], now) => lastSuch(Number(month) - 1, Number(day), now)],
  [
    new RegExp(String.raw`${DAY}[\s.-]+(?:of\s+)?${MONTH}(?:,?[\s-]+(\d{4}))?`),
    ([, day, month, year], now) => withYear(indexOf(MONTHS, month), Number(day), year, now),
  ],
  [
    new RegExp(String.raw`${MONTH}\s+${DAY}(?:,?\s+(\d{4}))?`),
    ([, month, day, year], now) => withYear(indexOf(MONTHS, month), Number(day), year, now),
  ],
  [
    new RegExp(String.raw`${MONTH},?\s+(\d{4}|'\d{2})`),
    ([, month, year]) => monthsOf(fullYear(year?.replace("'", '')), indexOf(MONTHS, month)),
  ],
  [/(\d{4})[- ]?W(\d{1,2})/, ([, year, week]) => weekOf(Number(year), Number(week))],
  [
    /(\d{4})-?W(\d{2})-?([1-7])/,
    ([, year, week, day]) => {
      const monday = weekOf(Number(year), Number(week))?.from
      return monday === undefined ? null : daysAgo(new Date(monday), 1 - Number(day))
    },
  ],
  [/(?:W|week\s*)(\d{1,2})/, ([, week], now) => lastWeek(Number(week), now)],
  [/(\d{4})-(0[1-9]|1[0-2])/, ([, year, month]) => monthsOf(Number(year), Number(month) - 1)],
  [/(0?[1-9]|1[0-2])\/(\d{4})/, ([, month, year]) => monthsOf(Number(year), Number(month) - 1)],
  [/Q([1-4])\s+(\d{4})/, ([, quarter, year]) => monthsOf(Number(year), 3 * Number(quarter) - 3, 3)],
  [/(\d{4})[- ]?Q([1-4])/, ([, year, quarter]) => monthsOf(Number(year), 3 * Number(quarter) - 3, 3)],
  [new RegExp(String.raw`(\d{1,6})\s*${UNIT}(?:\s+ago)?`), ([, count, unit = ''], _, time) => ageOf(count, unit, time)],
  [new RegExp(String.raw`${NUMBER}\s+${UNIT}\s+ago`), ageInWords],
  [new RegExp(String.raw`(?:the\s+)?(?:last|past)\s+${NUMBER}\s+${UNIT}`), ageInWords],
  [/(?:the\s+)?past\s+(hour|day|week|month|year)/, ([, unit = ''], _, time) => ageOf('1', unit, time)],
  [/now/, (_, __, time) => instant(time)],
  [/today|tonight|this(?=\s+(?:morning|afternoon|evening)\b)/, (_, now) => daysAgo(now, 0)],
  [/(?:the\s+)?day\s+before\s+yesterday/, (_, now) => daysAgo(now, 2)],
  [/yesterday|last(?=\s+night\b)/, (_, now) => daysAgo(now, 1)],
  [/tomorrow/, (_, now) => daysAgo(now, -1)],
  [/(?:this|current)\s+week/, (_, now) => daysAgo(now, weekday(now), 7)],
  [/last\s+week/, (_, now) => daysAgo(now, weekday(now) + 7, 7)],
  [/(?:last|the)\s+weekend/, (_, now) => daysAgo(now, weekday(now) + 2, 2)],
  [/(?:this|current)\s+month/, (_, now) => monthsOf(now.getUTCFullYear(), now.getUTCMonth())],
  [/last\s+month/, (_, now) => monthsOf(now.getUTCFullYear(), now.getUTCMonth() - 1)],
  [/(?:this|current)\s+year/, (_, now) => monthsOf(now.getUTCFullYear(), 0, 12)],
  [/last\s+year/, (_, now) => monthsOf(now.getUTCFullYear() - 1, 0, 12)],
  [
    // The last one before today, as people mean it: on a Tuesday, "Tuesday" is a week ago.
    new RegExp(String.raw`(?:(?:last|on|this)\s+)?${DAY_NAME}`),
    ([, name], now) => daysAgo(now, ((now.getUTCDay() - indexOf(DAYS, name) + 6) % 7) + 1),
  ],
  [
    new RegExp(String.raw`(?:(?:last|in)\s+)?${MONTH}`),
    ([, name], now) => {
      const month = indexOf(MONTHS, name)
      return monthsOf(now.getUTCFullYear() - (month > now.getUTCMonth() ? 1 : 0), month)
    },
  ],
  [/(?:19|20)\d{2}/, ([text]) => monthsOf(Number(text), 0, 12)],
]

/** What no date or time goes on with: `2026/11` is not the year 2026. */
const END = String.raw`(?![\w/+–—-]|[.,:]\d)`
const AT_START = FORMS.map(([form, read]) => [new RegExp(`^(?:${form.source})${END}`, 'i'), read] as const)
/** The name of a day before its date: `Mon, 2 March`. */
const DAY_BEFORE = new RegExp(String.raw`^${DAY_NAME},?\s+(?=\d|${MONTH})`, 'i')
/** A part of a day, which counts as all of it. */
const DAY_PART = new RegExp(String.raw`^\s+(?:in\s+the\s+)?(?:morning|afternoon|evening|night)${END}`, 'i')
/** A time of the day after its date: `yesterday at 14:05`, `Monday 9am`, `10:15 CET`. */
const CLOCK = new RegExp(
  String.raw`^,?\s+(?:at\s+)?(?:(0?[1-9]|1[0-2])(?::([0-5]\d))?\s?([ap])\.?m\b\.?|([01]?\d|2[0-3]|24(?=:00)):([0-5]\d)(?::([0-5]\d(?:\.\d+)?))?|(noon|midnight))(?:\s?${ZONE}(?![\w:]))?${END}`,
  'i',
)

/** Checks whether an age names a day, at which a time may follow: `3 days ago at 14:00`. */
const isDaysAgo = (text: string): boolean => /\s(?:days?|weeks?|months?|years?)\s+ago$/i.test(text)

/**
 * Reads a date or time as people write it at the beginning of a text: `2026-03-04`, `4 March`, `04.03.2026`, `2026-W10`,
 * `7d`, `yesterday at 14:00`, `last Tuesday`. Days are those of `zone`, an IANA name, else of the local time zone; a date
 * without a year is the last such day; a moment or an age has no length.
 */
export function readTypedTime(
  text: string,
  now: number,
  zone?: string,
): { readonly span: TimeSpan; readonly length: number } | null {
  const name = DAY_BEFORE.exec(text)?.[0].length ?? 0
  const dated = name === 0 ? null : readDate(text.slice(name), now, zone)
  const found = dated === null ? readDate(text, now, zone) : { ...dated, length: name + dated.length }
  if (found === null) return null
  const { from, to } = isDaysAgo(text.slice(0, found.length))
    ? daysAgo(new Date(toWall(found.span.from, zone)), 0)
    : found.span
  const isDay = to - from === DAY_MS
  const length = found.length + (isDay ? (DAY_PART.exec(text.slice(found.length))?.[0].length ?? 0) : 0)
  const clock = isDay ? CLOCK.exec(text.slice(length)) : null
  if (clock === null) return { span: instants(found.span, zone), length }
  const [whole, of12, past = '0', half, of24 = '0', minutes = past, seconds = '0', word, named] = clock
  const hours =
    word === 'noon'
      ? 12
      : of12 === undefined
        ? Number(of24)
        : (Number(of12) % 12) + (half?.toLowerCase() === 'p' ? 12 : 0)
  const wall = new Date(from).setUTCHours(hours, Number(minutes), 0) + Math.trunc(Number(seconds) * 1000)
  const time = named === undefined ? toInstant(wall, zone) : wall - offsetOf(named)
  return { span: { from: time, to: time }, length: length + whole.length }
}

function readDate(text: string, now: number, zone: string | undefined) {
  for (const [form, read] of AT_START) {
    const found = form.exec(text)
    const span = found === null ? null : read(found, new Date(toWall(now, zone)), now)
    if (found !== null && span !== null) return { span, length: found[0].length }
  }
  return null
}

/** Reads a text that is only a date or time; null for any other text. `10:15` is that time today. */
export function readWholeTime(text: string, now: number, zone?: string): TimeSpan | null {
  const forms = [text.trim(), `today ${text.trim()}`]
  for (const form of forms) {
    const read = readTypedTime(form, now, zone)
    if (read?.length === form.length) return read.span
  }
  return null
}
