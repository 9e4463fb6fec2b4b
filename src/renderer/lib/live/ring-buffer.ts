/** A list of bounded length: what comes in past its capacity pushes the oldest out. */
export interface RingBuffer<T> {
  readonly length: number
  /** How many were ever pushed. */
  readonly total: number
  push(item: T): void
  /** The i-th oldest that is still kept. */
  at(index: number): T | undefined
  /** What `keep` accepts, oldest first. */
  filter(keep: (item: T) => boolean): T[]
  clear(): void
}

/** Makes an empty ring buffer. */
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
