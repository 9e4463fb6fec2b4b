/** The query of an address as plain text fields: what people read and type, no JSON in it. */
export function parseAddress(query: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(query))
}

/** The fields back as a query; what is empty is left out. */
export function writeAddress(fields: Record<string, unknown>): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value === 'string' && value !== '') query.set(name, value)
  }
  const text = query.toString()
  return text === '' ? '' : `?${text}`
}

/** A field of an address, undefined where it is not there or empty. */
export function field(fields: Record<string, unknown>, name: string): string | undefined {
  const value = fields[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** A comma-separated field as those of its words that are known, in the order of `known`. */
export function words<T extends string>(text: string | undefined, known: readonly T[]): T[] {
  const named = new Set(text?.split(','))
  return known.filter((word) => named.has(word))
}
