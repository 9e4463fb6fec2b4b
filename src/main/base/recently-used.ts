/** A cache that keeps at least the `limit` most recently used entries, and at most twice as many. */
export class RecentlyUsed<K, V> {
  // Two generations: used entries move to the newer one, and the older one is dropped when the newer is full. An exact
  // order would cost a removal on every read.
  private newer = new Map<K, V>()
  private older = new Map<K, V>()
  private readonly limit: number

  constructor(limit: number) {
    this.limit = limit
  }

  get(key: K): V | undefined {
    const recent = this.newer.get(key)
    if (recent !== undefined) return recent
    const value = this.older.get(key)
    if (value !== undefined) this.set(key, value)
    return value
  }

  set(key: K, value: V): void {
    this.newer.set(key, value)
    if (this.newer.size <= this.limit) return
    this.older = this.newer
    this.newer = new Map([[key, value]])
  }

  delete(key: K): void {
    this.newer.delete(key)
    this.older.delete(key)
  }

  clear(): void {
    this.newer.clear()
    this.older.clear()
  }
}
