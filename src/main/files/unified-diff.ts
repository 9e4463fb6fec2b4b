import { diffLines, numberLines, type NumberedLine } from '../../shared/line-diff.ts'

const CONTEXT = 3

/** Returns the changes between two texts in the unified format, without a head; '' if they are equal. */
export function unifiedDiff(before: string, after: string): string {
  // The empty rest behind the last newline is not a line for a person.
  const isTrimmed = after.endsWith('\n') && (before === '' || before.endsWith('\n'))
  const [old, next] = isTrimmed ? [before.slice(0, -1), after.slice(0, -1)] : [before, after]
  const lines = numberLines(diffLines(old, next), 1)
  const changed = lines.flatMap(({ kind }, at) => (kind === 'same' ? [] : [at]))
  const hunks: [number, number][] = []
  for (const at of changed) {
    const last = hunks.at(-1)
    const [from, until] = [Math.max(0, at - CONTEXT), Math.min(lines.length, at + CONTEXT + 1)]
    if (last !== undefined && from <= last[1]) last[1] = until
    else hunks.push([from, until])
  }
  return hunks.map(([from, until]) => hunkOf(lines.slice(from, until))).join('\n')
}

const SIGNS = { same: ' ', added: '+', removed: '-' } as const

function hunkOf(lines: readonly NumberedLine[]): string {
  const old = lines.flatMap((line) => line.old ?? [])
  const next = lines.flatMap((line) => line.next ?? [])
  const head = `@@ -${old[0] ?? 0},${old.length} +${next[0] ?? 0},${next.length} @@`
  return [head, ...lines.map(({ kind, text }) => `${SIGNS[kind]}${text}`)].join('\n')
}
