/** Shorter texts are faster to scan than to look up; longer ones would evict everything else. */
const MIN_LENGTH = 64
const MAX_LENGTH = 256 * 1024
const MAX_CHARACTERS = 4 * 1024 * 1024

/** Cache of texts known to hold no secrets, so that a repeated text is not scanned again. In memory only. */
export interface CleanTexts {
  has(text: string): boolean
  add(text: string): void
  /** Forgets all texts: what counts as a secret has changed. */
  clear(): void
}

/** Keeps the newest few megabytes of text, in two generations. */
export function createCleanTexts(): CleanTexts {
  let newer = new Set<string>()
  let older = new Set<string>()
  let characters = 0
  return {
    has: (text) => text.length >= MIN_LENGTH && (newer.has(text) || older.has(text)),
    add(text) {
      if (text.length < MIN_LENGTH || text.length > MAX_LENGTH) return
      newer.add(text)
      characters += text.length
      if (characters < MAX_CHARACTERS / 2) return
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
