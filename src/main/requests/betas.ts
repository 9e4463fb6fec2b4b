const MAX_BETAS = 100

/** The betas of a request, sorted, each once: their order does not matter to the API. */
export function betasOf(headers: readonly (readonly [string, string])[]): readonly string[] {
  const named = headers
    .filter(([name]) => name.toLowerCase() === 'anthropic-beta')
    .flatMap(([, value]) => value.split(','))
  return [...new Set(named.map((beta) => beta.trim()).filter((beta) => beta !== ''))].sort().slice(0, MAX_BETAS)
}
