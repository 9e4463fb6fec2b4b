import { alignedLines, isTelling, onceIn, UNKNOWN_LINE, type Alignment, type Between } from './aligned-lines.ts'

/**
 * Finds the recorded lines in a present text: those in the same order, then moved ones, and those that a formatter changed.
 * A moved or changed line counts only if its text tells enough, and nothing else in either text is like it.
 */
export function presentLines(
  present: readonly string[],
  recorded: readonly (string | null)[],
  between: Between = 'part',
): Alignment[] {
  const old = recorded.map((text) => text ?? UNKNOWN_LINE)
  const found = alignedLines(old, present, between)
  if (found.every((at) => typeof at === 'number')) return found
  matchUnique(present, old, found, (text) => text)
  const [now, before] = [present.map(formatted), old.map(formatted)]
  const taken = new Set(found)
  for (const [at, index] of alignedLines(before, now, between).entries())
    if (typeof found[at] !== 'number' && typeof index === 'number' && !taken.has(index)) found[at] = index
  matchUnique(now, before, found, (text) => text)
  matchWrapped(present, old, found)
  matchBetween(now, before, found)
  if (between !== 'call') doubtMoved(present, old, found)
  return found
}

/** A line that is nowhere anymore may be the new one of its text: somebody moved it, which other lines do not prove. */
function doubtMoved(present: readonly string[], recorded: readonly string[], found: Alignment[]): void {
  const taken = new Set(found)
  const gone = new Set(recorded.filter((_, index) => !taken.has(index)))
  for (const [at, text] of present.entries()) if (found[at] === null && gone.has(text)) found[at] = 'unsure'
}

/** Returns a text without the spaces that say nothing: those that are not between two words. */
const withoutSpaces = (text: string): string =>
  text
    .trim()
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/(?<![\p{L}\p{N}_$]) | (?![\p{L}\p{N}_$])/gu, '')

/** Returns a text without brackets around all that it assigns, returns or imports. */
const withoutBrackets = (text: string): string =>
  text.replace(/^(.*?(?:[^<>=!]=|\b(?:return|import)))\((.+)\)$/, (whole, before: string, inner: string) => {
    let depth = 0
    const isOne = [...inner].every((sign) => (depth += Number(sign === '(') - Number(sign === ')')) >= 0)
    // A list of one is another thing than the one.
    if (!isOne || depth !== 0 || (inner.endsWith(',') && !before.endsWith('import'))) return whole
    return `${before}${before.endsWith('=') ? '' : ' '}${inner}`
  })

/** Returns a text without what formatters choose: spaces, quotes, the sign at its end, and brackets that say nothing. */
export const formatted = (text: string): string =>
  withoutBrackets(withoutSpaces(text))
    .replaceAll("'", '"')
    .replaceAll(/(\w?)\(([\w$]+)\)=>/g, (_, before: string, name: string) => `${before}${before && ' '}${name}=>`)
    .replaceAll(/[,;](?=[)\]}]|$)/g, '')

/** A line is not looked for in more, nor in a longer part of a text. */
const MAX_WRAPPED = 30
const MAX_LINES = 400

/** Matches lines that a formatter made of one, if both are between the same neighbors. */
function matchWrapped(present: readonly string[], recorded: readonly string[], found: Alignment[]): void {
  const taken = new Set(found)
  const placeOf = (at: number) => found[at] ?? null
  for (let at = 0, end = 0; at < present.length; at = end + 1) {
    for (end = at; end < present.length && typeof placeOf(end) !== 'number';) end += 1
    const [before, next] = [placeOf(at - 1), placeOf(end)]
    const from = typeof before === 'number' ? before + 1 : 0
    const until = typeof next === 'number' ? next : recorded.length
    if (end - at < 2 || end - at > MAX_LINES || until - from > MAX_LINES) continue
    const open = recorded.slice(from, until).map((text, index) => (taken.has(from + index) ? '' : text))
    const wholes = onlyOnes(open, formatted)
    for (let begin = at; wholes.size > 0 && begin < end - 1; begin += 1) {
      const last = Math.min(end, begin + MAX_WRAPPED)
      for (let after = begin + 2; after <= last; after += 1) {
        // No formatter breaks a line by an empty one.
        if (present.slice(begin, after).some((text) => text.trim() === '')) break
        const index = wholes.get(formatted(present.slice(begin, after).join('\n')))
        if (index === undefined) continue
        found.fill(from + index, begin, after)
        begin = after - 1
        break
      }
    }
  }
}

/** Matches lines that say little, if as many of the same text are between the same neighbors. */
function matchBetween(present: readonly string[], recorded: readonly string[], found: Alignment[]): void {
  const taken = new Set(found)
  for (let at = 1, end = 1; at < present.length; at = end + 1) {
    for (end = at; end < present.length && typeof found[end] !== 'number';) end += 1
    const [before, next] = [found[at - 1], found[end]]
    if (typeof before !== 'number' || typeof next !== 'number' || next - before !== end - at + 1) continue
    const places = Array.from({ length: end - at }, (_, index) => before + 1 + index)
    if (places.every((place, index) => recorded[place] === present[at + index] && !taken.has(place)))
      for (const [index, place] of places.entries()) found[at + index] = place
  }
}

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
const onlyOnes = (texts: readonly string[], keyOf: (text: string) => string): Map<string, number> =>
  new Map([...onceIn(texts.map(keyOf))].filter(([key]) => isTelling(key)))
