/** Shorter ones are looked at in less time than it takes to remember them; longer ones would push out all others. */
const SHORTEST = 64
const LONGEST = 256 * 1024
const MOST_CHARACTERS = 4 * 1024 * 1024

/** Texts in which nothing was found, in memory only: told again they need not be looked at again. */
export interface CleanTexts {
  has(text: string): boolean
  add(text: string): void
  /** What is to be found is more than before. */
  clear(): void
}

/** Remembers some megabytes of them, the newest. */
export function createCleanTexts(): CleanTexts {
  let newer = new Set<string>()
  let older = new Set<string>()
  let characters = 0
  return {
    has: (text) => text.length >= SHORTEST && (newer.has(text) || older.has(text)),
    add(text) {
      if (text.length < SHORTEST || text.length > LONGEST) return
      newer.add(text)
      characters += text.length
      if (characters < MOST_CHARACTERS / 2) return
      older = newer
      newer = new Set()
      characters = 0
    },
    clear() {
      newer.clear()
      older.clear()
      characters = 0
    },
  }
}
