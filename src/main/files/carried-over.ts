import { alignedLines, placeEqual, UNKNOWN_LINE, type Alignment, type Between } from './aligned-lines.ts'
import { withoutReturn, type FileLine } from './file-step.ts'
import { presentLines } from './present-lines.ts'

/**
 * Returns lines with these texts: those that were there before stay as they are, the others are created. Of a line that
 * may be either, nobody knows the origin.
 */
export function carriedOver(
  before: readonly FileLine[],
  texts: readonly string[],
  create: (text: string, at: number) => FileLine,
  isIndentedAgain = false,
  isTold = true,
): FileLine[] {
  const keyOf = isIndentedAgain ? (text: string) => text.trim() : withoutReturn
  const found = alignedLines(
    before.map((line) => keyOf(textOf(line))),
    texts.map(keyOf),
    'call',
  )
  if (isTold) placeEqual(found, before, texts, true)
  return taken(before, texts, found, create)
}

/** Returns lines that are shown of a file; those that only moved, or have other spaces, come from where they did. */
export function foundAgain(
  before: readonly FileLine[],
  texts: readonly string[],
  create: (text: string, at: number) => FileLine,
  between: Between = 'part',
  isTold = false,
): FileLine[] {
  const found = presentLines(texts, before.map(textOf), between)
  if (isTold) placeEqual(found, before, texts, false)
  return taken(before, texts, found, create)
}

const textOf = ({ text }: FileLine): string => text ?? UNKNOWN_LINE

function taken(
  before: readonly FileLine[],
  texts: readonly string[],
  found: readonly Alignment[],
  create: (text: string, at: number) => FileLine,
): FileLine[] {
  return texts.map((text, index) => {
    const at = found[index]
    const kept = typeof at === 'number' ? before[at] : undefined
    if (kept !== undefined && kept.text === text) return kept
    const made = create(text, index)
    if (made.text === null) return made
    if (kept !== undefined) return { ...kept, text }
    return at === null ? made : { text, origin: 'unknown', event: null }
  })
}
