import { DAY_MS } from '../../shared/time-units.ts'

const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ')
const MONTH = String.raw`(?<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?`
const DAY = String.raw`(?<day>\d{1,2})(?:st|nd|rd|th)?`
const YEAR = String.raw`(?<year>(?:19|20)\d{2})`
/** Most specific first. A bare `may` or `march` is as often a verb, so a month needs a day, a year or a preposition. */
const FORMS: readonly RegExp[] = [
  new RegExp(String.raw`\b${YEAR}-(?<number>\d{2})(?:-(?<day>\d{2}))?\b`, 'i'),
  new RegExp(String.raw`\b${DAY}\s+(?:of\s+)?${MONTH}(?:,?\s+${YEAR})?\b`, 'i'),
  new RegExp(String.raw`\b${MONTH}\s+${DAY}\b(?:,?\s+${YEAR})?`, 'i'),
  new RegExp(String.raw`\b${MONTH},?\s+${YEAR}\b`, 'i'),
  new RegExp(String.raw`\b(?:in|during|since|of|last|this|early|late|mid)[\s-]+${MONTH}(?!\w)`, 'i'),
  new RegExp(String.raw`\b(?:in|during|of)\s+${YEAR}\b`, 'i'),
]
/** People often mention a day some days later. */
const MENTIONED_WITHIN_MS = 3 * DAY_MS
const AGO: readonly (readonly [RegExp, fromDays: number, untilDays: number])[] = [
  [/\btoday\b/i, 1, 0],
  [/\byesterday\b/i, 2, 1],
  [/\b(?:this|past) week\b/i, 7, 0],
  [/\blast week\b/i, 14, 3],
  [/\b(?:this|past) month\b/i, 31, 0],
  [/\blast month\b/i, 62, 15],
  [/\blast year\b/i, 730, 300],
]

/** Returns true if a timestamp (ISO 8601) falls within the time that a query names. */
export type TimeTest = (timestamp: string) => boolean

/** Finds the time that a query names; null if it names none. A hint for ranking, never a filter. */
export function timeNamed(text: string, now: number): TimeTest | null {
  for (const form of FORMS) {
    const found = form.exec(text)?.groups
    if (found !== undefined) return within(found)
  }
  const ago = AGO.find(([words]) => words.test(text))
  if (ago === undefined) return null
  const [, fromDays, untilDays] = ago
  return (timestamp) => {
    const days = (now - Date.parse(timestamp)) / DAY_MS
    return days <= fromDays && days >= untilDays - 1
  }
}

function within(found: { readonly [part: string]: string | undefined }): TimeTest {
  const month = monthOf(found)
  const day = found['day'] === undefined ? null : Number(found['day'])
  const isIn = (time: number, year: number): boolean => {
    if (month === null) return time >= Date.UTC(year, 0) && time < Date.UTC(year + 1, 0)
    const from = Date.UTC(year, month, day ?? 1)
    const to = day === null ? Date.UTC(year, month + 1) : from + DAY_MS
    return time >= from && time < to + MENTIONED_WITHIN_MS
  }
  return (timestamp) => {
    const time = Date.parse(timestamp)
    if (found['year'] !== undefined) return isIn(time, Number(found['year']))
    // A month without a year matches any year; a mention in January may mean last December.
    const year = new Date(time).getUTCFullYear()
    return isIn(time, year) || isIn(time, year - 1)
  }
}

/** Returns the month, counted from 0; null if only a year is named. */
function monthOf(found: { readonly [part: string]: string | undefined }): number | null {
  if (found['number'] !== undefined) return Number(found['number']) - 1
  return found['month'] === undefined ? null : MONTHS.indexOf(found['month'].slice(0, 3).toLowerCase())
}
