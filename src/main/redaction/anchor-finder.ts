import { word } from './char-class.ts'

/** Finds literal prefixes (anchors) in a text. */
export interface AnchorFinder {
  /** Returns the start of the next anchor in [`from`, `to`), or -1. `isPlain`: the text has no escapes that were decoded. */
  next(text: string, from: number, to?: number, isPlain?: boolean): number
  /** Returns the anchor that `next` found last. */
  last(): string
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

/** Bytes kept between two texts, at least and at most. */
const [FEW, MANY] = [2 ** 16, 2 ** 21]

/** Five bits for each of four characters. */
const FOUR_BITS = 20
const FOUR_SHIFT = 5
const FOUR_MASK = 2 ** FOUR_BITS - 1
const ANY_FOURTH = Array.from({ length: 2 ** FOUR_SHIFT }, (_, code) => code)

/**
 * Reads each character once: a table lookup by three characters, folded to 18 bits, rules out nearly all positions, and one
 * by four most of the others. A regular expression of some two hundred words would try them one by one. A two-character
 * anchor counts only before a letter, a digit, `_` or `-`, or at the end of the text. Anchors in `bound` need not be found
 * directly after a letter or a digit.
 */
export function createAnchorFinder(words: readonly string[], bound: ReadonlySet<string> = new Set()): AnchorFinder {
  const anchors = [...new Set(words)].toSorted((a, b) => b.length - a.length)
  const longest = anchors[0]?.length ?? 0
  // For three characters, which fourth ones may follow: a bit for each of eight groups.
  const table = new Uint8Array(MASK + 1)
  // The same for four characters and the fifth.
  const fours = new Uint8Array(FOUR_MASK + 1)
  // For two characters, whether an anchor begins so.
  const pairs = new Uint8Array(2 ** (8 + SHIFT))
  const byPair = new Map<number, string[]>()
  const byThree = new Map<number, string[]>()
  for (const anchor of anchors) {
    if (anchor.length < 2) throw new Error(`an anchor needs at least two characters: ${anchor}`)
    for (const third of anchor.length > 2 ? [anchor.charCodeAt(2)] : FOLLOWING) {
      const place = fold(fold(fold(0, anchor.charCodeAt(0)), anchor.charCodeAt(1)), third)
      byThree.set(place, [...(byThree.get(place) ?? []), anchor])
      table[place] = (table[place] ?? 0) | (anchor.length > 3 ? 1 << (anchor.charCodeAt(3) & 7) : 255)
      for (const fourth of anchor.length > 3 ? [anchor.charCodeAt(3)] : ANY_FOURTH) {
        const four = foldFour(anchor.charCodeAt(0), anchor.charCodeAt(1), third, fourth)
        fours[four] = (fours[four] ?? 0) | (anchor.length > 4 ? 1 << (anchor.charCodeAt(4) & 7) : 255)
      }
    }
    pairs[fold(anchor.charCodeAt(0) & 255, anchor.charCodeAt(1))] = 1
    const pair = pairOf(anchor, 0)
    byPair.set(pair, [...(byPair.get(pair) ?? []), anchor])
  }
  const prefixes = new Set(anchors.flatMap((anchor) => Array.from(anchor, (_, length) => anchor.slice(0, length))))
  prefixes.delete('')

  function at(text: string, position: number): string | null {
    for (const anchor of byPair.get(pairOf(text, position)) ?? []) if (text.startsWith(anchor, position)) return anchor
    return null
  }

  let last = ''

  /** True for one of some anchors, unless it is bound and in the middle of a word. */
  function begins(own: readonly string[] | undefined, text: string, position: number, isInside: boolean): boolean {
    if (own === undefined) return false
    for (const anchor of own)
      if (text.startsWith(anchor, position) && !(isInside && bound.has(anchor))) {
        last = anchor
        return true
      }
    return false
  }

  // The low bytes of a text from `since` on: a string answers for each character several times as slowly.
  let bytes = Buffer.alloc(FEW)
  let copied = ''
  let since = 0

  function copy(text: string, from: number): void {
    if (text.length > bytes.length || bytes.length > MANY) bytes = Buffer.alloc(Math.max(FEW, text.length * 2))
    // A call costs more than a few letters.
    if (text.length - from > 96) bytes.write(from === 0 ? text : text.slice(from), from, 'latin1')
    else for (let at = from; at < text.length; at += 1) bytes[at] = text.charCodeAt(at)
    copied = text
    since = from
  }

  function next(text: string, from: number, to = text.length, isPlain = false): number {
    if (text.length - from < 2) return -1
    if (text !== copied || from < since) copy(text, from)
    let folded = fold(fold(0, bytes[from] ?? 0), bytes[from + 1] ?? 0)
    const end = Math.min(to + 2, text.length)
    for (let third = from + 2; third < end; third += 1) {
      folded = ((folded << SHIFT) ^ (bytes[third] ?? 0)) & MASK
      const fourths = table[folded] ?? 0
      if (fourths === 0) continue
      const fourth = bytes[third + 1] ?? 0
      if (((fourths >> (fourth & 7)) & 1) === 0) continue
      const four = foldFour(bytes[third - 2] ?? 0, bytes[third - 1] ?? 0, bytes[third] ?? 0, fourth)
      if ((((fours[four] ?? 0) >> ((bytes[third + 2] ?? 0) & 7)) & 1) === 0) continue
      const at = third - 2
      if (begins(byThree.get(folded), text, at, isPlain && at > from && isInWord(text, at - 1))) return at
    }
    // The last two characters have no third.
    const tail = Math.max(from, text.length - 2)
    if (tail >= to || pairs[fold(bytes[tail] ?? 0, bytes[tail + 1] ?? 0)] !== 1) return -1
    const isInside = isPlain && tail > from && isInWord(text, tail - 1)
    return begins(byPair.get(pairOf(text, tail)), text, tail, isInside) ? tail : -1
  }

  return {
    next,
    last: () => last,
    at,
    undecidedTail(text) {
      for (let position = Math.max(0, text.length - longest + 1); position < text.length; position += 1) {
        const isLast = position === text.length - 1
        const pair = fold(text.charCodeAt(position) & 255, text.charCodeAt(position + 1))
        if ((isLast || pairs[pair] === 1) && prefixes.has(text.slice(position))) return position
      }
      return text.length
    },
    mightBegin: (text, position) => text.length - position < longest && prefixes.has(text.slice(position)),
  }
}

const fold = (folded: number, code: number): number => ((folded << SHIFT) ^ (code & 255)) & MASK
const foldFour = (a: number, b: number, c: number, d: number): number =>
  (((((((a & 255) << FOUR_SHIFT) ^ (b & 255)) << FOUR_SHIFT) ^ (c & 255)) << FOUR_SHIFT) ^ (d & 31)) & FOUR_MASK
/** True if a word goes on after this position, whatever escape or colour code may end there. */
const isInWord = (text: string, last: number): boolean =>
  word.has(text.charCodeAt(last)) && text[last] !== 'm' && text[last - 1] !== '\\' && text[last - 2] !== '%'
const pairOf = (text: string, position: number): number =>
  text.charCodeAt(position) * 65_536 + (position + 1 < text.length ? text.charCodeAt(position + 1) : 0)
