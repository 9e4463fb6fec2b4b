import type { OverCap } from '../../../shared/contract/guard.ts'

/** Limit of notices that are remembered; the oldest is forgotten first. */
const MAX_NOTIFIED = 1000

/** The caps that were reported, so that each is reported once for its scope and limit. */
export class NotifiedCaps {
  readonly #keys = new Set<string>()

  /** Returns whether the cap had not been reported yet. */
  add({ cap, scope, limit }: OverCap): boolean {
    const key = `${cap} ${scope} ${limit}`
    if (this.#keys.has(key)) return false
    this.#keys.add(key)
    const [oldest] = this.#keys
    if (this.#keys.size > MAX_NOTIFIED && oldest !== undefined) this.#keys.delete(oldest)
    return true
  }
}
