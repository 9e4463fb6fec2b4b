/** The smallest amount that is written as such, in USD. */
export const LEAST_USD = 1e-6

/** Returns the decimals of an amount in USD: cents from 10 cents, two digits of a smaller amount, none from $1,000. */
export function usdDecimals(usd: number): number {
  const size = Number(Math.abs(usd).toPrecision(2))
  if (size === 0 || size >= 0.1) return Math.abs(usd) < 1000 ? 2 : 0
  return 1 - Math.floor(Math.log10(size))
}

/** Formats US dollars for the terminal, the tray and pages, as the window does in English. */
export function formatUsd(usd: number): string {
  if (usd === 0) return '$0'
  const size = Math.abs(usd)
  if (size < LEAST_USD) return `< $${LEAST_USD.toFixed(6)}`
  const digits = usdDecimals(usd)
  return `${usd < 0 ? '−' : ''}$${size.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits })}`
}
