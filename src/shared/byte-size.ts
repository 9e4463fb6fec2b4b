const inEnglish = (value: number, maximumFractionDigits: number): string =>
  value.toLocaleString('en-US', { maximumFractionDigits })

/** Formats bytes in units of 1,024, in at most four digits: `46.1 KB`. `write` writes a number for the reader. */
export function byteSize(bytes: number, write = inEnglish): string {
  if (bytes < 1024) return `${bytes} B`
  let value = bytes
  let unit = 'B'
  for (const next of ['KB', 'MB', 'GB', 'TB']) {
    if (value < 1023.95) break
    value /= 1024
    unit = next
  }
  return `${write(value, value >= 100 ? 0 : 1)} ${unit}`
}
