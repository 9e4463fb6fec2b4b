import type { ChangePart } from '../../shared/file-change.ts'
import { diffLines } from '../../shared/line-diff.ts'

/** Lines shown on each side of a change. */
const CONTEXT_LINES = 3
/** Takes the place of a line that the record does not have. No recorded text contains it. */
const HOLE = '\0'
const SIGNS = { same: ' ', added: '+', removed: '-' } as const

/**
 * Numbers the replacements of a call and adds the lines around them. `lines` are those of the file after it; null: not
 * recorded. A replacement that is not found exactly once there stays as it is.
 */
export function placeParts(parts: readonly ChangePart[], lines: readonly (string | null)[]): readonly ChangePart[] {
  const text = lines.map((line) => line ?? HOLE).join('\n')
  const found = parts.map((part) => (part.kind === 'replaced' ? placeOf(part, text, lines) : null))
  return parts.map((part, at) => {
    const place = found[at]
    if (place === null || place === undefined) return part
    // The replacements above it moved it.
    const above = found.flatMap((other) => (other !== null && other.from < place.from ? [other.grownBy] : []))
    const grown = above.reduce((sum, lines) => sum + lines, 0)
    return { kind: 'lines', text: place.text, oldStart: place.from - grown, newStart: place.from }
  })
}

interface Place {
  /** Number of its first line, including those before the change. */
  readonly from: number
  readonly text: string
  readonly grownBy: number
}

function placeOf(
  { before, after }: Extract<ChangePart, { kind: 'replaced' }>,
  text: string,
  lines: readonly (string | null)[],
): Place | null {
  const at = after === '' ? -1 : text.indexOf(after)
  if (at < 0 || text.includes(after, at + 1)) return null
  const first = countOf(text.slice(0, at))
  const last = first + countOf(after)
  // What is on the same lines around the replaced text.
  const head = text.slice(text.lastIndexOf('\n', at - 1) + 1, at)
  const end = text.indexOf('\n', at + after.length)
  const tail = text.slice(at + after.length, end < 0 ? text.length : end)
  const above = known(lines.slice(Math.max(0, first - CONTEXT_LINES), first).toReversed()).toReversed()
  const below = known(lines.slice(last + 1, last + 1 + CONTEXT_LINES))
  // The last break of a file ends a line and begins none.
  const isEnd = end < 0 && tail === ''
  const wholeLines = (part: string) => (isEnd ? `${head}${part}`.replace(/\n$/, '') : `${head}${part}${tail}`)
  const changed = diffLines(wholeLines(before), wholeLines(after))
  const signed = changed.map(({ kind, text: line }) => `${SIGNS[kind]}${line}`)
  return {
    from: first - above.length + 1,
    text: [...above.map((line) => ` ${line}`), ...signed, ...below.map((line) => ` ${line}`)].join('\n'),
    grownBy: countOf(after) - countOf(before),
  }
}

const countOf = (text: string): number => text.split('\n').length - 1

/** Returns the lines up to the first one that is not recorded. */
function known(lines: readonly (string | null)[]): readonly string[] {
  const hole = lines.indexOf(null)
  return (hole < 0 ? lines : lines.slice(0, hole)).filter((line) => line !== null)
}
