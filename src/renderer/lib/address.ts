/** Parses a query string into plain text fields, without JSON, so that addresses stay readable. */
export const parseAddress = (query: string): Record<string, string> => Object.fromEntries(new URLSearchParams(query))

/** Writes fields as a query string and leaves out empty ones. True is written as yes. */
export function writeAddress(fields: Record<string, unknown>): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(fields)) {
    const text = value === true ? 'yes' : value
    if (typeof text === 'string' && text !== '') query.set(name, text)
  }
  const text = query.toString()
  return text === '' ? '' : `?${text}`
}

/** Returns a field of an address, or undefined if it is missing or empty. */
export function field(fields: Record<string, unknown>, name: string): string | undefined {
  const value = fields[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** Returns the known words of a comma-separated field, in the order of `known`. */
export function words<T extends string>(text: string | undefined, known: readonly T[]): T[] {
  const named = new Set(text?.split(','))
  return known.filter((word) => named.has(word))
}
