import type { WritableDb } from '../database/connection.ts'

const MOST_REMEMBERED = 20_000

/** Which keys events wait for, in memory: of what is new, nearly nothing is awaited, and to ask for each key costs more than the rest. */
export interface AwaitedKeys {
  /** False: no event waits for it. */
  has(key: string): boolean
  /** Events that wait for a key. */
  of(key: string): readonly string[]
  add(keys: readonly string[]): void
  /** The event may wait for more than it did. */
  noteEvent(uuid: string): void
}

/** Keeps up to `most` keys; where there are more, the log is asked. What is rolled back or deleted stays: that does no harm. */
export function createAwaitedKeys(prepare: WritableDb['prepare'], most = MOST_REMEMBERED): AwaitedKeys {
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
    has(key) {
      const keys = remembered()
      return keys === 'too many' || keys.has(key)
    },
    of: (key) => waiting.all(key),
    add,
    noteEvent(uuid) {
      if (known !== null && known !== 'too many') add(keysOf.all(uuid))
    },
  }
}
