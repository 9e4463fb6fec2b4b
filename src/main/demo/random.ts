import { createHash } from 'node:crypto'

/** Seeded random numbers for generated data, never for secrets. */
export interface Random {
  /** Returns a number from 0 up to, but not including, 1. */
  next(): number
  /** Returns an integer from `low` to `high`, inclusive. */
  int(low: number, high: number): number
  chance(probability: number): boolean
  pick<T>(items: readonly T[]): T
  /** Returns an integer from `low` to `high`, mostly small. */
  skewed(low: number, high: number): number
  hex(length: number): string
  /** Returns a string in the form of a version 4 UUID. */
  uuid(): string
  /** Creates an independent generator, so that draws in one part do not affect another. */
  fork(name: string): Random
}

/** Creates a generator (sfc32) seeded by a text. */
export function createRandom(seed: string): Random {
  const state = new Uint32Array(4)
  const digest = createHash('sha256').update(seed).digest()
  for (let at = 0; at < 4; at += 1) state[at] = digest.readUInt32LE(at * 4)

  function next32(): number {
    const [a = 0, b = 0, c = 0, d = 0] = state
    const sum = (a + b + d) >>> 0
    state[3] = (d + 1) >>> 0
    state[0] = b ^ (b >>> 9)
    state[1] = (c + (c << 3)) >>> 0
    state[2] = (((c << 21) | (c >>> 11)) + sum) >>> 0
    return sum
  }
  const next = () => next32() / 4_294_967_296
  const int = (low: number, high: number) => low + Math.floor(next() * (high - low + 1))
  const hex = (length: number) => {
    let text = ''
    while (text.length < length) text += next32().toString(16).padStart(8, '0')
    return text.slice(0, length)
  }
  return {
    next,
    int,
    chance: (probability) => next() < probability,
    pick<T>(items: readonly T[]): T {
      const item = items[Math.floor(next() * items.length)]
      if (item === undefined) throw new Error('nothing to pick from')
      return item
    },
    skewed: (low, high) => low + Math.floor(next() ** 3 * (high - low + 1)),
    hex,
    uuid: () => {
      const digits = hex(32)
      return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-4${digits.slice(13, 16)}-a${digits.slice(17, 20)}-${digits.slice(20)}`
    },
    fork: (name) => createRandom(`${seed}/${name}`),
  }
}
