import type { IsOver } from './scanner.ts'

/** Shorter parts reveal little and would match by accident. */
const MIN_LENGTH = 12
const MAX_PARTS = 1000
/** Shorter texts are searched for all parts without checking the clock. */
const LONG_TEXT = 256 * 1024

/**
 * Remembers the parts of secrets that were split across neighbouring texts. One of those texts may come again alone (in a
 * hook, the end of a turn, a later request), and no rule can recognise a part. In memory only.
 */
export interface CutSecrets {
  note(part: string, mark: string): void
  /** Replaces known parts by the mark of their secret; null if time ran out. */
  redact(text: string, isOver: IsOver): string | null
}

/** Keeps the newest `MAX_PARTS` parts. */
export function createCutSecrets(): CutSecrets {
  const parts = new Map<string, string>()
  return {
    note(part, mark) {
      if (part.length < MIN_LENGTH || !/\d/.test(part) || !/[A-Za-z]/.test(part)) return
      parts.delete(part)
      parts.set(part, mark)
      const oldest = parts.keys().next()
      if (parts.size > MAX_PARTS && !oldest.done) parts.delete(oldest.value)
    },
    redact(text, isOver) {
      if (parts.size === 0) return text
      let out = text
      for (const [part, mark] of parts) {
        if (text.length > LONG_TEXT && isOver()) return null
        if (out.includes(part)) out = out.replaceAll(part, () => mark)
      }
      return out
    },
  }
}
