import { diffLines } from '../../shared/line-diff.ts'

/** A line of a present text with the index of the recorded line that it is; null if none is surely the same. */
export interface PresentLine {
  readonly text: string
  readonly recorded: number | null
  /** Only its spaces are different. */
  readonly isReformatted: boolean
}

/**
 * Finds the recorded lines in a present text: those in the same order, then moved ones, and those that a formatter changed.
 * Blank lines and lines that occur several times count only in their order.
 */
export function presentLines(present: readonly string[], recorded: readonly (string | null)[]): PresentLine[] {
  const found: (number | null)[] = present.map(() => null)
  const old = recorded.map((text) => text ?? '\u0000')
  let [before, now] = [0, 0]
  for (const { kind } of diffLines(old.join('\n'), present.join('\n'))) {
    if (kind === 'same') found[now] = before
    if (kind !== 'added') before += 1
    if (kind !== 'removed') now += 1
  }
  matchUnique(present, old, found, (text) => text)
  const inOrder = new Set(found)
  matchUnique(present, old, found, (text) => text.replaceAll(/\s+/g, ''))
  return present.map((text, at) => {
    const index = found[at] ?? null
    return { text, recorded: index, isReformatted: index !== null && !inOrder.has(index) }
  })
}

/** Matches lines that nothing matched so far, where just one on each side has this key. */
function matchUnique(
  present: readonly string[],
  recorded: readonly string[],
  found: (number | null)[],
  keyOf: (text: string) => string,
): void {
  const taken = new Set(found)
  const left = onlyOnes(recorded, (at) => !taken.has(at), keyOf)
  for (const [key, at] of onlyOnes(present, (at) => found[at] === null, keyOf)) found[at] = left.get(key) ?? null
}

/** Returns the places of keys that only one of the free lines has. A line of a sign or two is not telling. */
function onlyOnes(
  texts: readonly string[],
  isFree: (at: number) => boolean,
  keyOf: (text: string) => string,
): ReadonlyMap<string, number> {
  const places = new Map<string, number>()
  const several = new Set<string>()
  for (const [at, text] of texts.entries()) {
    const key = keyOf(text)
    if (!isFree(at) || key.trim().length < 3) continue
    if (places.has(key)) several.add(key)
    places.set(key, at)
  }
  for (const key of several) places.delete(key)
  return places
}
