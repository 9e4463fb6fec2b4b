import type { FileLine } from './file-step.ts'

/** A hole is written as a character that no line of a text file has. */
export const UNKNOWN_LINE = '\u0000'

/** The line among the earlier ones that a line is; null: it was not there; `unsure`: it may be one of several, or none. */
export type Alignment = number | null | 'unsure'

/** More pairs of lines are not compared one by one. */
const MAX_PAIRS = 250_000

/**
 * What may have happened between two texts: one call changed the earlier one; anything, to a `whole` file; or anything, to a
 * `part` of one, before which and behind which lines may be that nobody knows.
 */
export type Between = 'call' | 'whole' | 'part'

/**
 * Finds which of the earlier lines are still there, in the same order. A line counts only where a comparison from the
 * beginning and one from the end agree, and where it is between lines that are the only ones of their kind, or next to one
 * if a single call made the change: among equal lines, nobody can say which one was kept.
 */
export function alignedLines(before: readonly string[], after: readonly string[], between: Between): Alignment[] {
  const [olds, news] = [onceIn(before), onceIn(after)]
  const isOnce = (text: string) => olds.has(text) && news.has(text)
  // Between other texts, lines on both sides must prove a line.
  const isEnd = (text: string) => between !== 'call' || isOnce(text)
  const forward = matches(before, after, isEnd)
  const backward = matches(before.toReversed(), after.toReversed(), isEnd).toReversed()
  const agreed = forward.map((at, index): Alignment => {
    const other = backward[index] ?? null
    return at === (typeof other === 'number' ? before.length - 1 - other : other) ? at : 'unsure'
  })
  return supported(agreed, before, after, between, isOnce)
}

/** A line of so many letters is known alone, or next to one that is. */
const TELLING_ALONE = 12
const TELLING_BESIDE = 8

/** True if the text of a line says enough to know it again. */
export function isTelling(text: string, letters = TELLING_ALONE): boolean {
  // Most lines begin with what tells enough: this is asked of every line again and again.
  let found = 0
  for (let at = 0; at < text.length && found < letters; at += 1) {
    const code = text.charCodeAt(at)
    if (code > 127) return text.replaceAll(/[^\p{L}\p{N}]/gu, '').length >= letters
    if ((code >= 97 && code <= 122) || (code >= 48 && code <= 57) || (code >= 65 && code <= 90)) found += 1
  }
  return found >= letters
}

/** Keeps a line that is not the only one of its kind only as far as its neighbors, and the ends of the texts, prove it. */
function supported(
  found: readonly Alignment[],
  before: readonly string[],
  after: readonly string[],
  between: Between,
  isOnce: (text: string) => boolean,
): Alignment[] {
  const isOnly = (index: number, letters: number) => {
    const text = after[index] ?? ''
    return typeof found[index] === 'number' && isTelling(text, letters) && isOnce(text)
  }
  const isFirm = found.map((_, index) => isOnly(index, TELLING_ALONE))
  for (const index of onlyRuns(found, before, after)) isFirm[index + 1] = true
  const proven = (step: 1 | -1, first: number, last: number) => {
    const isProven = [...isFirm]
    for (let index = first; index >= 0 && index < found.length; index += step) {
      const [at, other] = [found[index], found[index - step]]
      const isNext = isProven[index - step] === true && typeof other === 'number' && other + step === at
      if (isNext || (between !== 'part' && index === first && at === last)) isProven[index] = true
    }
    return isProven
  }
  const [down, up] = [proven(1, 0, 0), proven(-1, after.length - 1, before.length - 1)]
  // Next to a change, another line of the same text may have come in the place of one that was removed.
  const isInside = (index: number, step: 1 | -1) => {
    // What is behind the end of a part need not have changed.
    const [at, next] = [
      found[index],
      index + step in found ? found[index + step] : between === 'part' ? 'behind' : null,
    ]
    return typeof at === 'number' && (next === 'behind' || (typeof next === 'number' && next - at === step))
  }
  return found.map((at, index) => {
    const [above, below] = [down[index] === true, up[index] === true]
    if (typeof at !== 'number' || (above && below)) return at
    const isBeside = between === 'call' || isOnly(index, TELLING_BESIDE)
    const isKnown = (above && (isBeside || isInside(index, 1))) || (below && (isBeside || isInside(index, -1)))
    return isKnown ? at : 'unsure'
  })
}

/**
 * Places lines that may be one of several earlier ones, where lines were only added between the same neighbors, or only taken
 * away, and where those of its text have one author: whichever it is, it is by that one. Of more lines than there were, the
 * first ones are the earlier ones, as in any diff. Somebody who is not recorded may have moved one here from elsewhere.
 */
export function placeEqual(found: Alignment[], before: readonly FileLine[], texts: readonly string[], isCall: boolean) {
  const taken = new Set(found)
  const range = (from: number, until: number) => Array.from({ length: Math.max(0, until - from) }, (_, at) => from + at)
  const openIn = (from: number, until: number) => range(from, until).filter((at) => !taken.has(at))
  const byText = (places: readonly number[]) => Map.groupBy(places, (at) => before[at]?.text ?? UNKNOWN_LINE)
  const pools = byText(openIn(0, before.length))
  const isOne = ([first = 0, ...others]: readonly number[]) =>
    others.every((at) => before[at]?.event === before[first]?.event && before[at]?.origin === before[first]?.origin)
  for (let start = 0, end = 0; start < found.length; start = end + 1) {
    for (end = start; end < found.length && typeof found[end] !== 'number';) end += 1
    if (!found.slice(start, end).includes('unsure')) continue
    const [above, below] = [Number(found[start - 1] ?? -1), Number(found[end] ?? before.length)]
    const olds = byText(openIn(above + 1, below))
    const news = Map.groupBy(range(start, end), (at) => texts[at] ?? '')
    const isWithin = (some: typeof olds, all: typeof olds) =>
      some.entries().every(([text, those]) => those.length <= (all.get(text)?.length ?? 0))
    if (!isWithin(olds, news) && !isWithin(news, olds)) continue
    for (const [text, those] of olds) {
      const pool = pools.get(text) ?? []
      const now = news.get(text)?.filter((at) => found[at] === 'unsure') ?? []
      const isHere = isCall || isOne(pool) || pool.length === those.length
      if (!isHere || !(isOne(those) || now.length === those.length)) continue
      for (const [at, old] of those.entries()) if (at < now.length) found[now[at] ?? 0] = old
    }
  }
}

/** Of lines in a row that say enough together, as the rows of a table, the one between others is known as a single one is. */
const RUN = 3
const TELLING_RUN = 24

/** Returns where the later text has lines in a row that were so before, and that each text has once. */
function onlyRuns(found: readonly Alignment[], before: readonly string[], after: readonly string[]): readonly number[] {
  const runsOf = (lines: readonly string[]) => lines.map((_, at) => lines.slice(at, at + RUN).join('\n'))
  const [olds, news] = [runsOf(before), runsOf(after)]
  const [once, again] = [onceIn(olds), onceIn(news)]
  return found.flatMap((at, index) => {
    const text = news[index] ?? ''
    const isSame = typeof at === 'number' && found[index + 1] === at + 1 && found[index + 2] === at + 2
    return isSame && once.get(text) === at && again.has(text) && isTelling(text, TELLING_RUN) ? index : []
  })
}

/** Matches lines by those that both texts have just once, then by the longest common subsequence between them. */
function matches(before: readonly string[], after: readonly string[], isEnd: (text: string) => boolean): Alignment[] {
  const found: Alignment[] = after.map(() => null)
  const open: [from: number, until: number, start: number, end: number][] = [[0, before.length, 0, after.length]]
  for (let range = open.pop(); range !== undefined; range = open.pop()) {
    let [from, until, start, end] = range
    while (from < until && start < end && before[from] === after[start]) found[start++] = from++
    const last = until
    while (until > from && end > start && before[until - 1] === after[end - 1]) found[--end] = --until
    // Equal lines are matched from the beginning: otherwise, both directions would take the same ones.
    for (; until < last && !isEnd(before[until] ?? ''); until += 1) found[end++] = null
    if (from === until || start === end) continue
    const anchors = commonOnce(before, after, [from, until, start, end])
    if (anchors.length === 0) {
      common(before, after, [from, until, start, end], found)
      continue
    }
    for (const [old, next] of [...anchors, [until, end] as const]) {
      open.push([from, old, start, next])
      if (next < end) found[next] = old
      ;[from, start] = [old + 1, next + 1]
    }
  }
  return found
}

type Range = readonly [from: number, until: number, start: number, end: number]

/** Returns the pairs of lines that each side has once, in an order that both have. */
function commonOnce(before: readonly string[], after: readonly string[], [from, until, start, end]: Range) {
  const olds = onceIn(before, from, until)
  const pairs: (readonly [old: number, next: number])[] = []
  for (const [text, next] of onceIn(after, start, end)) {
    const old = olds.get(text)
    if (old !== undefined) pairs.push([old, next])
  }
  return longestRise(pairs.sort((a, b) => a[1] - b[1]))
}

/** Returns the texts that just one of the lines has, with its place. */
export function onceIn(lines: readonly string[], from = 0, until = lines.length): Map<string, number> {
  const places = new Map<string, number>()
  const several = new Set<string>()
  for (let at = from; at < until; at += 1) {
    const text = lines[at] ?? ''
    if (places.has(text)) several.add(text)
    places.set(text, at)
  }
  for (const text of several) places.delete(text)
  return places
}

/** Returns the longest part of the pairs, sorted by their second, in which the first rises, too. */
function longestRise(pairs: readonly (readonly [number, number])[]): (readonly [number, number])[] {
  const ends: number[] = []
  const previous: number[] = []
  for (const [at, [old]] of pairs.entries()) {
    let [low, high] = [0, ends.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((pairs[ends[middle] ?? 0]?.[0] ?? 0) < old) low = middle + 1
      else high = middle
    }
    previous[at] = ends[low - 1] ?? -1
    ends[low] = at
  }
  const rise: (readonly [number, number])[] = []
  for (let at = ends.at(-1) ?? -1; at >= 0; at = previous[at] ?? -1) rise.push(pairs[at] ?? [0, 0])
  return rise.toReversed()
}

function common(
  before: readonly string[],
  after: readonly string[],
  [from, until, start, end]: Range,
  found: Alignment[],
): void {
  if ((until - from) * (end - start) > MAX_PAIRS) {
    const earlier = new Set(before.slice(from, until))
    for (let at = start; at < end; at += 1) if (earlier.has(after[at] ?? '')) found[at] = 'unsure'
    return
  }
  const width = end - start + 1
  const lengths = new Uint32Array((until - from + 1) * width)
  const length = (i: number, j: number) => lengths[(i - from) * width + (j - start)] ?? 0
  for (let i = until - 1; i >= from; i -= 1)
    for (let j = end - 1; j >= start; j -= 1)
      lengths[(i - from) * width + (j - start)] =
        before[i] === after[j] ? length(i + 1, j + 1) + 1 : Math.max(length(i + 1, j), length(i, j + 1))
  for (let [i, j] = [from, start]; i < until && j < end;) {
    if (before[i] === after[j]) found[j++] = i++
    else if (length(i + 1, j) >= length(i, j + 1)) i += 1
    else j += 1
  }
}
