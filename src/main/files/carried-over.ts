import { diffLines } from '../../shared/line-diff.ts'
import type { FileLine } from './file-step.ts'

/** A hole is written as a character that no line of a text file has. */
export const UNKNOWN_LINE = '\u0000'

/** Returns lines with these texts: those that were there before stay as they are, the others are created. */
export function carriedOver(
  before: readonly FileLine[],
  texts: readonly string[],
  create: (text: string) => FileLine,
): FileLine[] {
  if (before.length === 0) return texts.map(create)
  const old = before.map(({ text }) => text ?? UNKNOWN_LINE).join('\n')
  const lines: FileLine[] = []
  let at = 0
  for (const { kind, text } of diffLines(old, texts.join('\n'))) {
    if (kind !== 'added') at += 1
    if (kind !== 'removed') lines.push((kind === 'same' ? before[at - 1] : undefined) ?? create(text))
  }
  // For a diff, an empty text has no lines; for a file, it is one empty line.
  return lines.length === texts.length ? lines : texts.map(create)
}
