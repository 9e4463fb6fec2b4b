/** Returns a query with `-word` replaced by an exclusion; the end of another word stays. */
export function excluding(query: string, word: string): string {
  const at = ` ${query}`.indexOf(` -${word}`)
  return at < 0 ? query : `${query.slice(0, at)}NOT ${query.slice(at + 1)}`
}

/** Returns a query with another value of a filter, in quotes if it has blanks. */
export function withValue(
  query: string,
  { name, value }: { readonly name: string; readonly value: string },
  other: string,
): string {
  const written = /\s/.test(other) ? `"${other}"` : other
  for (const typed of [`${name}:"${value}"`, `${name}:${value}`]) {
    const at = query.toLowerCase().indexOf(typed.toLowerCase())
    if (at >= 0) return `${query.slice(0, at)}${name}:${written}${query.slice(at + typed.length)}`
  }
  return `${query} ${name}:${written}`
}
