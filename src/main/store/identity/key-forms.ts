/** True for keys that only record where an exchange showed a fact: another exchange may show it again. */
export const isOfOneExchange = (key: string): boolean => /^exchange:.*:(prompt|history):|^spool:/.test(key)

/**
 * Returns the form of a key (`block`, `line`, `agent:start` …). A fact has only one key of each form. Null for keys
 * that identify nothing.
 */
export function formOf(key: string): string | null {
  const parts = key.split(':')
  const [name = ''] = parts
  if (name === 'text' || name === 'spool') return null
  if (name === 'agent') return `agent:${parts.at(-1)}`
  // Each source uses its own name for an answer without a unique id.
  const source = ownNameSource(parts[1] ?? '')
  if (source !== null) return `${name} ${source}`
  // A fork's copy of a command is named by the fork's session, too.
  if (name === 'command') return parts.slice(0, 3).join(':')
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

/** Returns the source that gave an answer its own name; null for an id. */
export const ownNameSource = (name: string): string | null => /^(wire|transcript)\//.exec(name)?.[1] ?? null

/** Returns the name of the answer that a key belongs to; null for other keys. */
export function answerNameIn(key: string): string | null {
  if (key.startsWith('block:')) return key.slice('block:'.length, key.lastIndexOf(':'))
  return /^(?:usage|response|turn-end):(.+)$/.exec(key)?.[1] ?? null
}
