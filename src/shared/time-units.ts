/** Spans in milliseconds. */
export const MINUTE_MS = 60_000
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS
/** Days of a month in figures by month. */
export const MONTH_DAYS = 30
