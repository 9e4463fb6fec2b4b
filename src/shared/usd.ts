/** The smallest amount that is written as such, in USD. */
export const LEAST_USD = 1e-6

/** Returns the decimals of an amount in USD: cents from 10 cents, two digits of a smaller amount, none from $1,000. */
export function usdDecimals(usd: number): number {
  const size = Number(Math.abs(usd).toPrecision(2))
  if (size === 0 || size >= 0.1) return Math.abs(usd) < 1000 ? 2 : 0
  return 1 - Math.floor(Math.log10(size))
}

const COLUMN_DECIMALS = 6

/**
 * Returns a formatter of dollars with one precision for a whole column: that of its largest amount, at least cents.
 * Amounts that round to zero are shown as less than the last digit. `write` formats one with a number of decimals.
 */
export function columnUsd(
  amounts: readonly (number | null | undefined)[],
  write: (usd: number, decimals: number) => string = fixedUsd,
): (usd: number) => string {
  const largest = amounts.reduce<number>((most, usd) => Math.max(most, Math.abs(usd ?? 0)), 0)
  const decimals = Math.max(2, Math.min(usdDecimals(largest), COLUMN_DECIMALS))
  const least = 10 ** -decimals
  return (usd) => (usd > 0 && usd < least / 2 ? `< ${write(least, decimals)}` : write(usd, decimals))
}

/** Formats US dollars for the terminal, the tray and pages, as the window does in English. */
export function formatUsd(usd: number): string {
  if (usd === 0) return '$0'
  if (Math.abs(usd) < LEAST_USD) return `< ${fixedUsd(LEAST_USD, 6)}`
  return fixedUsd(usd, usdDecimals(usd))
}

function fixedUsd(usd: number, decimals: number): string {
  const size = Math.abs(usd)
  return `${usd < 0 ? '−' : ''}$${size.toLocaleString('en-US', { minimumFractionDigits: decimals, maximumFractionDigits: decimals })}`
}
