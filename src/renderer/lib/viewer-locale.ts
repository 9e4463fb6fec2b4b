/**
 * Numbers and dates as the viewer writes them. Numbers follow the viewer's language. Dates keep the window's English
 * words, in the order and with the hours of the viewer's region.
 */

const numbers = new Map<string, Intl.NumberFormat>()
const dates = new Map<string, Intl.DateTimeFormat>()

/** Formats a number for the viewer, with Latin digits. */
export function viewerNumber(value: number, options: Intl.NumberFormatOptions = {}): string {
  const language = viewerLanguage()
  const key = `${language} ${JSON.stringify(options)}`
  const format = numbers.get(key) ?? new Intl.NumberFormat(language, { ...options, numberingSystem: 'latn' })
  numbers.set(key, format)
  return format.format(value)
}

/** Formats a number with a fixed number of decimals. */
export const viewerFixed = (value: number, decimals: number): string =>
  viewerNumber(value, { minimumFractionDigits: decimals, maximumFractionDigits: decimals })

/** Formats a moment for the viewer, in the viewer's zone if the options name no other. */
export function viewerDate(time: Date | number, options: Intl.DateTimeFormatOptions): string {
  const language = viewerLanguage()
  const key = `${language} ${JSON.stringify(options)}`
  const format = dates.get(key) ?? new Intl.DateTimeFormat(...dateLocale(language, options))
  dates.set(key, format)
  return format.format(time)
}

function viewerLanguage(): string {
  return navigator.language === '' ? 'en-US' : navigator.language
}

function dateLocale(language: string, options: Intl.DateTimeFormatOptions): [string, Intl.DateTimeFormatOptions] {
  const { region = 'US' } = new Intl.Locale(language).maximize()
  const regional = `en-${region}`
  const isKnown = new Intl.DateTimeFormat(regional).resolvedOptions().locale === regional
  const { hourCycle } = new Intl.DateTimeFormat(language, { hour: 'numeric' }).resolvedOptions()
  const hasHours = options.hour !== undefined || options.timeStyle !== undefined
  return [
    isKnown ? regional : 'en-001',
    { ...options, numberingSystem: 'latn', ...(hasHours && hourCycle !== undefined ? { hourCycle } : {}) },
  ]
}
