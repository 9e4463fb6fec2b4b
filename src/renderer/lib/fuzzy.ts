/** Quality of a match with the typed text, and the matching characters. */
export interface FuzzyMatch {
  /** Higher is better. */
  readonly score: number
  /** Indexes into the text, ascending. */
  readonly at: readonly number[]
}

const WORD_START = 8
const IN_A_ROW = 5
const GAP = -1

/**
 * Finds the typed characters in a text in their order, ignoring case and spaces: "crc" finds "Copy resume command". Prefers
 * whole words, starts of words and characters in a row. Returns null if one is missing.
 */
export function fuzzyMatch(typed: string, text: string): FuzzyMatch | null {
  const wanted = [...typed.toLowerCase()].filter((character) => character.trim() !== '')
  const lower = text.toLowerCase()
  const whole = lower.indexOf(typed.trim().toLowerCase())
  if (wanted.length > 0 && whole >= 0) {
    const length = typed.trim().length
    const at = Array.from({ length }, (_, index) => whole + index)
    return { score: length * IN_A_ROW + (startsWord(text, whole) ? 3 * WORD_START : WORD_START), at }
  }
  return greedy(wanted, text, lower, true) ?? greedy(wanted, text, lower, false)
}

/** Takes for each character the next start of a word if `prefersStarts`, or else its next occurrence. */
function greedy(wanted: readonly string[], text: string, lower: string, prefersStarts: boolean): FuzzyMatch | null {
  const at: number[] = []
  let score = 0
  let last = -1
  for (const character of wanted) {
    const next = lower.indexOf(character, last + 1)
    if (next < 0) return null
    const found = prefersStarts && next !== last + 1 ? (nextStart(text, lower, character, next) ?? next) : next
    score += found === last + 1 ? IN_A_ROW : GAP
    if (startsWord(text, found)) score += WORD_START
    at.push(found)
    last = found
  }
  // Letters scattered over a text are not a match.
  return score < 2 * wanted.length ? null : { score, at }
}

/** Returns where a word begins with the character, from a position on; null if none does. */
function nextStart(text: string, lower: string, character: string, from: number): number | null {
  for (let at = from; at >= 0; at = lower.indexOf(character, at + 1)) if (startsWord(text, at)) return at
  return null
}

const startsWord = (text: string, at: number): boolean => at === 0 || /[\s/·:_.-]/.test(text[at - 1] ?? '')
