/**
 * The header with which requests ask for features of an API that are not released; one name for each API that has such
 * features.
 */
const HEADERS: ReadonlySet<string> = new Set(['anthropic-beta'])
const MAX_BETAS = 100

/** Returns the betas of a request, sorted, each once: their order does not matter to the API. */
export function betasOf(headers: readonly (readonly [string, string])[]): readonly string[] {
  const named = headers.filter(([name]) => HEADERS.has(name.toLowerCase())).flatMap(([, value]) => value.split(','))
  return [...new Set(named.map((beta) => beta.trim()).filter((beta) => beta !== ''))].sort().slice(0, MAX_BETAS)
}
