/** True for keys that only say where one exchange showed a fact: another exchange may show it again. */
export const isOfOneExchange = (key: string): boolean => /^exchange:.*:(prompt|history):|^spool:/.test(key)

/**
 * Returns what a key names (`block`, `line`, `agent:start` …). A fact has only one key of each form. Null for keys that
 * name nothing.
 */
export function formOf(key: string): string | null {
  const parts = key.split(':')
  const [name = ''] = parts
  if (name === 'text' || name === 'spool') return null
  if (name === 'agent') return `agent:${parts.at(-1)}`
  // Two places in the history of one exchange are two facts.
  return name === 'exchange' ? parts.slice(0, 3).join(':') : name
}

/** True if both have keys of the same form and none in common: two lines, two blocks, two prompts. */
export function haveConflictingKeys(keys: readonly string[], known: readonly string[]): boolean {
  return keys.some((key) => {
    const form = formOf(key)
    if (form === null) return false
    const sameForm = known.filter((other) => formOf(other) === form)
    return sameForm.length > 0 && !keys.some((mine) => sameForm.includes(mine))
  })
}
