import type { IsOver } from './scanner.ts'

/** Shorter parts, and parts of words alone, tell too little, and would be found where they mean nothing. */
const SHORTEST = 12
const MOST_PARTS = 200
/** In shorter texts all parts are looked for in next to no time. */
const LONG = 256 * 1024

/**
 * The parts of secrets that were cut over neighbouring texts, in memory only: whoever repeats one of those texts by itself
 * (a hook, the end of a turn, a later request) repeats a part that no rule could know.
 */
export interface CutSecrets {
  note(part: string, mark: string): void
  /** The text with such parts replaced by the mark of their secret; null where the time was over before. */
  redact(text: string, isOver: IsOver): string | null
}

/** Remembers the newest 200 parts. */
export function createCutSecrets(): CutSecrets {
  const parts = new Map<string, string>()
  return {
    note(part, mark) {
      if (part.length < SHORTEST || !/\d/.test(part) || !/[A-Za-z]/.test(part)) return
      parts.delete(part)
      parts.set(part, mark)
      const eldest = parts.keys().next()
      if (parts.size > MOST_PARTS && !eldest.done) parts.delete(eldest.value)
    },
    redact(text, isOver) {
      let out = text
      for (const [part, mark] of parts) {
        if (text.length > LONG && isOver()) return null
        if (out.includes(part)) out = out.replaceAll(part, () => mark)
      }
      return out
    },
  }
}
