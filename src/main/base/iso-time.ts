/** Normalizes a time to ISO 8601 in UTC with milliseconds. Unreadable text gives `now` (ms since 1970). */
export function isoTime(text: string, now: () => number): string {
  if (/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(text)) return text
  const time = Date.parse(text)
  return new Date(Number.isNaN(time) ? now() : time).toISOString()
}
