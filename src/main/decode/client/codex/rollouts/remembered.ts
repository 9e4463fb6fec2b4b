const MAX_REMEMBERED = 2000

/** Adds an entry and evicts the oldest one beyond the limit: a file may name any number of calls. */
export function remember<V>(entries: Map<string, V>, key: string, value: V): void {
  entries.delete(key)
  entries.set(key, value)
  if (entries.size <= MAX_REMEMBERED) return
  const [oldest] = entries.keys()
  if (oldest !== undefined) entries.delete(oldest)
}
