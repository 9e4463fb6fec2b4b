import type { ChangePart } from './file-change.ts'
import { type DiffLine, diffLines } from './line-diff.ts'

const SIGNS: Readonly<Record<string, DiffLine['kind']>> = { '+': 'added', '-': 'removed' }

/** Returns the lines of a part of a change, each added, removed or the same. */
export function linesOf(part: ChangePart): readonly DiffLine[] {
  if (part.kind === 'replaced') return diffLines(withoutLastBreak(part.before), withoutLastBreak(part.after))
  return part.text.split('\n').flatMap((line): DiffLine[] => {
    // "\ No newline at end of file", and the head of a hunk.
    if (line.startsWith('\\') || line.startsWith('@@')) return []
    const kind = SIGNS[line[0] ?? ''] ?? 'same'
    return [{ kind, text: line.slice(1) }]
  })
}

const withoutLastBreak = (text: string): string => (text.endsWith('\n') ? text.slice(0, -1) : text)

/** Counts the lines that a change adds and removes. */
export function countLines(parts: readonly ChangePart[]): { readonly added: number; readonly removed: number } {
  const lines = parts.flatMap((part) => linesOf(part))
  const count = (kind: DiffLine['kind']) => lines.filter((line) => line.kind === kind).length
  return { added: count('added'), removed: count('removed') }
}

/** Returns the hunks of a unified diff of one file as parts of a change. */
export function diffParts(diff: string): readonly ChangePart[] {
  return diff.split(/^(?=@@ )/m).flatMap((hunk): ChangePart[] => {
    const [head, old, next] = /^@@ -(\d+)(?:,\d+)? \+(\d+).*\n/.exec(hunk) ?? []
    if (head === undefined) return []
    return [
      {
        kind: 'lines',
        text: hunk.slice(head.length).replace(/\n$/, ''),
        oldStart: Number(old),
        newStart: Number(next),
      },
    ]
  })
}
