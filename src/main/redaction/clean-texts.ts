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

/** Characters of a text that its key depends on. */
const SAMPLES = 16

/**
 * Keeps the newest few megabytes of text, in two generations. Finds a text by its length and a few of its characters: a set
 * would read each new text once just to hash it. Of texts with the same key, each generation keeps the last.
 */
export function createCleanTexts(): CleanTexts {
  let newer = new Map<number, string>()
  let older = new Map<number, string>()
  let characters = 0
  return {
    has(text) {
      if (text.length < MIN_LENGTH) return false
      const key = keyOf(text)
      return newer.get(key) === text || older.get(key) === text
    },
    add(text) {
      if (text.length < MIN_LENGTH || text.length > MAX_LENGTH) return
      newer.set(keyOf(text), text)
      characters += text.length
      if (characters < MAX_CHARACTERS / 2) return
      older = newer
      newer = new Map()
      characters = 0
    },
    clear() {
      newer.clear()
      older.clear()
      characters = 0
    },
  }
}

function keyOf(text: string): number {
  const step = Math.floor(text.length / SAMPLES)
  let key = text.length
  for (let at = text.length - 1; at >= 0; at -= step) key = (Math.imul(key, 31) + text.charCodeAt(at)) | 0
  return key
}
