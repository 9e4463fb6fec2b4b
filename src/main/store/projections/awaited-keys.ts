import type { WritableDb } from '../database/connection.ts'

const MAX_REMEMBERED = 20_000

/**
 * Caches the keys that events wait for: almost no new key is awaited, and a query per key costs more than the other work.
 * Keeps up to `most` keys; with more, the log is queried. Keys that were rolled back or deleted may stay, which is harmless.
 */
export function createAwaitedKeys(prepare: WritableDb['prepare'], most = MAX_REMEMBERED) {
  const some = prepare<[number], string>('SELECT key FROM parent_keys LIMIT ?').pluck()
  const keysOf = prepare<[string], string>('SELECT key FROM parent_keys WHERE uuid = ?').pluck()
  const waiting = prepare<[string], string>('SELECT uuid FROM parent_keys WHERE key = ?').pluck()
  let known: Set<string> | 'too many' | null = null

  function remembered(): Set<string> | 'too many' {
    if (known !== null) return known
    const keys = some.all(most + 1)
    known = keys.length > most ? 'too many' : new Set(keys)
    return known
  }

  function add(keys: readonly string[]): void {
    if (known === null || known === 'too many') return
    for (const key of keys) known.add(key)
    if (known.size > most) known = 'too many'
  }

  return {
    /** False means that no event waits for the key. */
    has(key: string) {
      const keys = remembered()
      return keys === 'too many' || keys.has(key)
    },
    /** Returns the events that wait for a key. */
    of: (key: string): readonly string[] => waiting.all(key),
    add,
    /** Notes that the event may wait for further keys. */
    noteEvent(uuid: string) {
      if (known !== null && known !== 'too many') add(keysOf.all(uuid))
    },
  }
}
