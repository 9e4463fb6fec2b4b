import type { ChangePart } from './file-change.ts'
import { linesOf } from './change-lines.ts'
import { numberLines, type NumberedLine } from './line-diff.ts'

/** Lines of context on each side of a change. */
const CONTEXT_LINES = 3
/** Minimum number of unchanged lines that are folded. */
const MIN_FOLDED = 3

/** A row of a diff: a line, or unchanged lines that are folded. */
export type DiffRow =
  | { readonly kind: 'line'; readonly line: NumberedLine }
  | { readonly kind: 'fold'; readonly lines: readonly NumberedLine[] }
  /** Lines that were not recorded are between the two parts. */
  | { readonly kind: 'gap' }

/** A diff of one file, ready to be shown. */
export interface Diff {
  readonly rows: readonly DiffRow[]
  readonly added: number
  readonly removed: number
  /** The numbers of its lines are known. */
  readonly isNumbered: boolean
}

/** Builds the rows of a change. `isWhole`: its text is the whole file, so its lines can be numbered. */
export function diffOf(parts: readonly ChangePart[], isWhole: boolean): Diff {
  const hunks = parts.map((part) => numbered(part, isWhole))
  const lines = hunks.flatMap(({ lines }) => lines)
  return {
    rows: hunks.flatMap(({ lines }, at): DiffRow[] => [
      ...(at === 0 ? [] : [{ kind: 'gap' as const }]),
      ...folded(lines),
    ]),
    added: lines.filter(({ kind }) => kind === 'added').length,
    removed: lines.filter(({ kind }) => kind === 'removed').length,
    isNumbered: hunks.every(({ isNumbered }) => isNumbered),
  }
}

function numbered(part: ChangePart, isWhole: boolean): { lines: readonly NumberedLine[]; isNumbered: boolean } {
  const lines = linesOf(part)
  if (part.kind === 'replaced') return { lines: numberLines(lines, 1), isNumbered: isWhole }
  const { oldStart, newStart } = part
  const isKnown = oldStart !== undefined && newStart !== undefined
  return { lines: numberLines(lines, oldStart ?? 1, newStart ?? 1), isNumbered: isKnown }
}

/** Folds each run of unchanged lines that is far from a change. */
function folded(lines: readonly NumberedLine[]): DiffRow[] {
  const near = new Uint8Array(lines.length)
  lines.forEach((line, at) => {
    if (line.kind !== 'same') near.fill(1, Math.max(0, at - CONTEXT_LINES), at + CONTEXT_LINES + 1)
  })
  const rows: DiffRow[] = []
  for (let at = 0; at < lines.length;) {
    let end = at
    while (end < lines.length && near[end] !== 1) end += 1
    const far = lines.slice(at, end)
    if (far.length >= MIN_FOLDED) rows.push({ kind: 'fold', lines: far })
    else rows.push(...far.map((line) => ({ kind: 'line' as const, line })))
    const line = lines[end]
    if (line !== undefined) rows.push({ kind: 'line', line })
    at = end + 1
  }
  return rows
}

/** A row of a diff side by side; null where a side has no line. */
export interface SideBySide {
  readonly left: NumberedLine | null
  readonly right: NumberedLine | null
}

/** Puts each removed line next to the added one that replaces it. */
export function sideBySide(lines: readonly NumberedLine[]): readonly SideBySide[] {
  const pairs: SideBySide[] = []
  for (let at = 0; at < lines.length;) {
    const line = lines[at]
    if (line === undefined) break
    if (line.kind === 'same') {
      pairs.push({ left: line, right: line })
      at += 1
      continue
    }
    const from = at
    while (lines[at] !== undefined && lines[at]?.kind !== 'same') at += 1
    const run = lines.slice(from, at)
    const removed = run.filter(({ kind }) => kind === 'removed')
    const added = run.filter(({ kind }) => kind === 'added')
    for (let row = 0; row < Math.max(removed.length, added.length); row += 1) {
      pairs.push({ left: removed[row] ?? null, right: added[row] ?? null })
    }
  }
  return pairs
}
