/** Finds literal beginnings in a text. */
export interface AnchorFinder {
  /** Where the next one begins, from `from` on, but not at or after `to`; -1: nowhere. */
  next(text: string, from: number, to?: number): number
  /** The longest that begins at this position; null: none. */
  at(text: string, position: number): string | null
  /** Where the end of the text might be the beginning of one that more text would make whole; its length where nowhere. */
  undecidedTail(text: string): number
  /** Whether the rest of the text from `position` on is the beginning of one, and no more. */
  mightBegin(text: string, position: number): boolean
}

/** Six bits of each of three characters: enough to tell small letters from capitals and signs. */
const BITS = 18
const SHIFT = 6
const MASK = 2 ** BITS - 1
/** What may follow a beginning of two characters, since any three would be found too often. */
const FOLLOWING = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-', (letter) =>
  letter.charCodeAt(0),
)

/**
 * Looks at each character once: three characters in a row, folded to 18 bits, tell of nearly all places that nothing begins
 * there. An expression of some two hundred words would try them one by one. A word of two characters counts only before a
 * letter, a digit, `_` or `-`, and at the end of the text.
 */
export function createAnchorFinder(words: readonly string[]): AnchorFinder {
  const anchors = [...new Set(words)].toSorted((a, b) => b.length - a.length)
  const longest = anchors[0]?.length ?? 0
  const table = new Uint8Array(MASK + 1)
  const byPair = new Map<number, string[]>()
  for (const anchor of anchors) {
    if (anchor.length < 2) throw new Error(`an anchor has at least two characters: ${anchor}`)
    for (const third of anchor.length > 2 ? [anchor.charCodeAt(2)] : FOLLOWING) {
      table[fold(fold(fold(0, anchor.charCodeAt(0)), anchor.charCodeAt(1)), third)] = 1
    }
    const pair = pairOf(anchor, 0)
    byPair.set(pair, [...(byPair.get(pair) ?? []), anchor])
  }
  const beginnings = new Set(anchors.flatMap((anchor) => Array.from(anchor, (_, length) => anchor.slice(0, length))))
  beginnings.delete('')

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
      if (table[folded] !== 0 && at(text, third - 2) !== null) return third - 2
    }
    // The last two characters have none after them.
    const last = Math.max(from, text.length - 2)
    return last < to && at(text, last) !== null ? last : -1
  }

  return {
    next,
    at,
    undecidedTail(text) {
      for (let position = Math.max(0, text.length - longest + 1); position < text.length; position += 1)
        if (beginnings.has(text.slice(position))) return position
      return text.length
    },
    mightBegin: (text, position) => text.length - position < longest && beginnings.has(text.slice(position)),
  }
}

const fold = (folded: number, code: number): number => ((folded << SHIFT) ^ code) & MASK
const pairOf = (text: string, position: number): number =>
  text.charCodeAt(position) * 65_536 + (position + 1 < text.length ? text.charCodeAt(position + 1) : 0)
