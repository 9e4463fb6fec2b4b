/** A list of bounded length. A push beyond its capacity evicts the oldest item. */
export interface RingBuffer<T> {
  readonly length: number
  /** Items pushed so far, evicted ones included. */
  readonly total: number
  push(item: T): void
  /** Returns the item at an index, counted from the oldest. */
  at(index: number): T | undefined
  /** Returns the items that `keep` accepts, oldest first. */
  filter(keep: (item: T) => boolean): T[]
  clear(): void
}

/** Creates an empty ring buffer. */
export function createRingBuffer<T>(capacity: number): RingBuffer<T> {
  let slots: T[] = []
  let total = 0
  const first = () => (slots.length < capacity ? 0 : total % capacity)
  const at = (index: number) =>
    index < 0 || index >= slots.length ? undefined : slots[(first() + index) % slots.length]
  return {
    get length() {
      return slots.length
    },
    get total() {
      return total
    },
    push(item) {
      slots[total % capacity] = item
      total += 1
    },
    at,
    filter(keep) {
      const kept: T[] = []
      for (let index = 0; index < slots.length; index += 1) {
        const item = at(index)
        if (item !== undefined && keep(item)) kept.push(item)
      }
      return kept
    },
    clear() {
      slots = []
      total = 0
    },
  }
}
