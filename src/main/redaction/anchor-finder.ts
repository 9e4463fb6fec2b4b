/** Finds literal prefixes (anchors) in a text. */
export interface AnchorFinder {
  /** Returns the start of the next anchor in [`from`, `to`), or -1. */
  next(text: string, from: number, to?: number): number
  /** Returns the longest anchor that starts at this position, or null. */
  at(text: string, position: number): string | null
  /** Returns where an anchor may have started that more text would complete; the text's length if nowhere. */
  undecidedTail(text: string): number
  /** Checks whether the text from `position` to its end is an incomplete anchor. */
  mightBegin(text: string, position: number): boolean
}

/** Six bits for each of three characters: enough to distinguish lower case, capitals and punctuation. */
const BITS = 18
const SHIFT = 6
const MASK = 2 ** BITS - 1
/** Characters that may follow a two-character anchor. Without this limit it would match too often. */
const FOLLOWING = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-', (letter) =>
  letter.charCodeAt(0),
)

/**
 * Reads each character once: a table lookup by three characters, folded to 18 bits, rules out nearly all positions. A regular
 * expression of some two hundred words would try them one by one. A two-character anchor counts only before a letter, a
 * digit, `_` or `-`, or at the end of the text.
 */
export function createAnchorFinder(words: readonly string[]): AnchorFinder {
  const anchors = [...new Set(words)].toSorted((a, b) => b.length - a.length)
  const longest = anchors[0]?.length ?? 0
  // For three characters, which fourth ones may follow: a bit for each of eight groups.
  const table = new Uint8Array(MASK + 1)
  const byPair = new Map<number, string[]>()
  for (const anchor of anchors) {
    if (anchor.length < 2) throw new Error(`an anchor needs at least two characters: ${anchor}`)
    for (const third of anchor.length > 2 ? [anchor.charCodeAt(2)] : FOLLOWING) {
      const place = fold(fold(fold(0, anchor.charCodeAt(0)), anchor.charCodeAt(1)), third)
      table[place] = (table[place] ?? 0) | (anchor.length > 3 ? 1 << (anchor.charCodeAt(3) & 7) : 255)
    }
    const pair = pairOf(anchor, 0)
    byPair.set(pair, [...(byPair.get(pair) ?? []), anchor])
  }
  const prefixes = new Set(anchors.flatMap((anchor) => Array.from(anchor, (_, length) => anchor.slice(0, length))))
  prefixes.delete('')

  function at(text: string, position: number): string | null {
    for (const anchor of byPair.get(pairOf(text, position)) ?? []) if (text.startsWith(anchor, position)) return anchor
    return null
  }

  function next(text: string, from: number, to = text.length): number {
    if (text.length - from < 2) return -1
    let folded = fold(fold(0, text.charCodeAt(from)), text.charCodeAt(from + 1))
    const end = Math.min(to + 2, text.length)
    for (let third = from + 2; third < end; third += 1) {
      folded = ((folded << SHIFT) ^ text.charCodeAt(third)) & MASK
      const fourths = table[folded] ?? 0
      if (fourths === 0 || ((fourths >> (text.charCodeAt(third + 1) & 7)) & 1) === 0) continue
      if (at(text, third - 2) !== null) return third - 2
    }
    // The last two characters have no third.
    const last = Math.max(from, text.length - 2)
    return last < to && at(text, last) !== null ? last : -1
  }

  return {
    next,
    at,
    undecidedTail(text) {
      for (let position = Math.max(0, text.length - longest + 1); position < text.length; position += 1) {
        const isLast = position === text.length - 1
        if ((isLast || byPair.has(pairOf(text, position))) && prefixes.has(text.slice(position))) return position
      }
      return text.length
    },
    mightBegin: (text, position) => text.length - position < longest && prefixes.has(text.slice(position)),
  }
}

const fold = (folded: number, code: number): number => ((folded << SHIFT) ^ code) & MASK
const pairOf = (text: string, position: number): number =>
  text.charCodeAt(position) * 65_536 + (position + 1 < text.length ? text.charCodeAt(position + 1) : 0)
