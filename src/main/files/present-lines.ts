import { alignedLines, isTelling, UNKNOWN_LINE, type Alignment } from './aligned-lines.ts'

/**
 * Finds the recorded lines in a present text: those in the same order, then moved ones, and those that a formatter changed.
 * A moved or changed line counts only if its text tells enough, and nothing else in either text is like it.
 */
export function presentLines(
  present: readonly string[],
  recorded: readonly (string | null)[],
  hasSameEnds = false,
): Alignment[] {
  const old = recorded.map((text) => text ?? UNKNOWN_LINE)
  const found = alignedLines(old, present, hasSameEnds)
  if (found.every((at) => typeof at === 'number')) return found
  matchUnique(present, old, found, (text) => text)
  matchUnique(present, old, found, (text) => text.replaceAll(/\s+/g, ''))
  return found
}

const TELLING_ELSEWHERE = 12

/** Matches lines that nothing matched so far, where just one on each side has this key. */
function matchUnique(
  present: readonly string[],
  recorded: readonly string[],
  found: Alignment[],
  keyOf: (text: string) => string,
): void {
  const taken = new Set(found)
  const once = onlyOnes(recorded, keyOf)
  for (const [key, at] of onlyOnes(present, keyOf)) {
    const index = once.get(key)
    if (typeof found[at] !== 'number' && index !== undefined && !taken.has(index)) found[at] = index
  }
}

/** Returns the places of keys that only one of the lines has. A line of a few signs is not telling. */
function onlyOnes(texts: readonly string[], keyOf: (text: string) => string): ReadonlyMap<string, number> {
  const places = new Map<string, number>()
  const several = new Set<string>()
  for (const [at, text] of texts.entries()) {
    const key = keyOf(text)
    if (!isTelling(key, TELLING_ELSEWHERE)) continue
    if (places.has(key)) several.add(key)
    places.set(key, at)
  }
  for (const key of several) places.delete(key)
  return places
}
