/** A line of a diff. */
export interface DiffLine {
  readonly kind: 'same' | 'added' | 'removed' | 'gap'
  readonly text: string
}

const MAX_CELLS = 1_000_000
const CONTEXT_LINES = 3

/**
 * Compares two texts line by line and returns the changes with three lines of context. Texts that are too long to
 * compare are returned as removed and added.
 */
export function diffLines(before: string, after: string): DiffLine[] {
  const old = before === '' ? [] : before.split('\n')
  const next = after === '' ? [] : after.split('\n')
  let start = 0
  while (start < old.length && start < next.length && old[start] === next[start]) start += 1
  let oldEnd = old.length
  let nextEnd = next.length
  while (oldEnd > start && nextEnd > start && old[oldEnd - 1] === next[nextEnd - 1]) {
    oldEnd -= 1
    nextEnd -= 1
  }
  const same = (text: string): DiffLine => ({ kind: 'same', text })
  return withoutFarContext([
    ...old.slice(0, start).map(same),
    ...changedLines(old.slice(start, oldEnd), next.slice(start, nextEnd)),
    ...old.slice(oldEnd).map(same),
  ])
}

/** Diffs the part that differs by its longest common subsequence. */
function changedLines(old: readonly string[], next: readonly string[]): DiffLine[] {
  const removed = (text: string): DiffLine => ({ kind: 'removed', text })
  const added = (text: string): DiffLine => ({ kind: 'added', text })
  if (old.length * next.length > MAX_CELLS) return [...old.map(removed), ...next.map(added)]
  const width = next.length + 1
  const lengths = new Uint32Array((old.length + 1) * width)
  const length = (i: number, j: number) => lengths[i * width + j] ?? 0
  for (let i = old.length - 1; i >= 0; i -= 1) {
    for (let j = next.length - 1; j >= 0; j -= 1) {
      lengths[i * width + j] =
        old[i] === next[j] ? length(i + 1, j + 1) + 1 : Math.max(length(i + 1, j), length(i, j + 1))
    }
  }
  const lines: DiffLine[] = []
  let i = 0
  let j = 0
  while (i < old.length || j < next.length) {
    const left = old[i]
    const right = next[j]
    if (left !== undefined && left === right) {
      lines.push({ kind: 'same', text: left })
      i += 1
      j += 1
    } else if (left !== undefined && (right === undefined || length(i + 1, j) >= length(i, j + 1))) {
      lines.push(removed(left))
      i += 1
    } else {
      lines.push(added(right ?? ''))
      j += 1
    }
  }
  return lines
}

/** Keeps the lines near a change and replaces each run of others with one gap. */
function withoutFarContext(lines: readonly DiffLine[]): DiffLine[] {
  const near = new Uint8Array(lines.length)
  lines.forEach((line, index) => {
    if (line.kind === 'same') return
    near.fill(1, Math.max(0, index - CONTEXT_LINES), index + CONTEXT_LINES + 1)
  })
  const kept: DiffLine[] = []
  lines.forEach((line, index) => {
    if (near[index] === 1) kept.push(line)
    else if (kept.at(-1)?.kind !== 'gap') kept.push({ kind: 'gap', text: '' })
  })
  return kept
}
