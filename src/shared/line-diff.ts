/** A line of a diff, or another part of a text that both versions have, or only one of them. */
export interface DiffLine {
  readonly kind: 'same' | 'added' | 'removed'
  readonly text: string
}

/** A line of a diff with its number on each side; null where the side does not have it. */
export interface NumberedLine extends DiffLine {
  readonly old: number | null
  readonly next: number | null
  /** The line on the other side that this one replaces, to mark the words that differ. */
  readonly replaces: string | null
}

/** Numbers the lines of a diff without gaps, given the first number on each side. */
export function numberLines(lines: readonly DiffLine[], firstOld: number, firstNext = firstOld): NumberedLine[] {
  let [old, next] = [firstOld, firstNext]
  const pairs = replacements(lines)
  return lines.map((line, index) => ({
    ...line,
    old: line.kind === 'added' ? null : old++,
    next: line.kind === 'removed' ? null : next++,
    replaces: pairs.get(index) ?? null,
  }))
}

/** Pairs each run of removed lines with the equally long run of added lines that follows it. */
function replacements(lines: readonly DiffLine[]): Map<number, string> {
  const pairs = new Map<number, string>()
  for (let at = 0; at < lines.length; at += 1) {
    let removed = 0
    while (lines[at + removed]?.kind === 'removed') removed += 1
    if (removed === 0) continue
    let added = 0
    while (lines[at + removed + added]?.kind === 'added') added += 1
    const gone = lines.slice(at, at + removed)
    const come = lines.slice(at + removed, at + removed + added)
    if (gone.length === come.length) {
      gone.forEach((line, row) => pairs.set(at + removed + row, line.text))
      come.forEach((line, row) => pairs.set(at + row, line.text))
    }
    at += removed + added - 1
  }
  return pairs
}

const MAX_CELLS = 1_000_000

/** Compares two texts line by line. Texts that are too long to compare are returned as removed and added. */
export function diffLines(before: string, after: string): DiffLine[] {
  const split = (text: string) => (text === '' ? [] : text.split('\n'))
  return compareLines(split(before), split(after))
}

/** Compares the lines of two texts, as `diffLines` does. */
export function compareLines(old: readonly string[], next: readonly string[]): DiffLine[] {
  let start = 0
  while (start < old.length && start < next.length && old[start] === next[start]) start += 1
  let oldEnd = old.length
  let nextEnd = next.length
  while (oldEnd > start && nextEnd > start && old[oldEnd - 1] === next[nextEnd - 1]) {
    oldEnd -= 1
    nextEnd -= 1
  }
  const same = (text: string): DiffLine => ({ kind: 'same', text })
  return [
    ...old.slice(0, start).map(same),
    ...changedLines(old.slice(start, oldEnd), next.slice(start, nextEnd)),
    ...old.slice(oldEnd).map(same),
  ]
}

function changedLines(old: readonly string[], next: readonly string[]): DiffLine[] {
  if (old.length * next.length <= MAX_CELLS) return diffParts(old, next)
  return [
    ...old.map((text) => ({ kind: 'removed', text }) as const),
    ...next.map((text) => ({ kind: 'added', text }) as const),
  ]
}

/** Diffs two lists by their longest common subsequence. Its time and memory grow with the product of their lengths. */
export function diffParts(old: readonly string[], next: readonly string[]): DiffLine[] {
  const width = next.length + 1
  const lengths = new Uint32Array((old.length + 1) * width)
  const length = (i: number, j: number) => lengths[i * width + j] ?? 0
  for (let i = old.length - 1; i >= 0; i -= 1) {
    for (let j = next.length - 1; j >= 0; j -= 1) {
      lengths[i * width + j] =
        old[i] === next[j] ? length(i + 1, j + 1) + 1 : Math.max(length(i + 1, j), length(i, j + 1))
    }
  }
  const parts: DiffLine[] = []
  let [i, j] = [0, 0]
  while (i < old.length || j < next.length) {
    const [left, right] = [old[i], next[j]]
    if (left !== undefined && left === right) {
      parts.push({ kind: 'same', text: left })
      i += 1
      j += 1
    } else if (left !== undefined && (right === undefined || length(i + 1, j) >= length(i, j + 1))) {
      parts.push({ kind: 'removed', text: left })
      i += 1
    } else {
      parts.push({ kind: 'added', text: right ?? '' })
      j += 1
    }
  }
  return parts
}
