import { visibleText } from '../../../../shared/visible-text.ts'

interface StruckTextProps {
  readonly text: string
  /** Words to strike through, case-insensitive. */
  readonly words: readonly string[]
}

/** A text with some of its words struck through. */
export function StruckText({ text, words }: StruckTextProps) {
  return struckParts(visibleText(text), words).map(({ isStruck, text: part }, at) =>
    isStruck ? (
      // A part has no other identity than its place.
      // oxlint-disable-next-line react/no-array-index-key
      <del key={at} className="decoration-bad decoration-2">
        {part}
      </del>
    ) : (
      part
    ),
  )
}

/** Splits a text into runs of words that are struck through and the text between them. */
export function struckParts(text: string, words: readonly string[]): { isStruck: boolean; text: string }[] {
  const struck = new Set(words.map((word) => word.toLowerCase()))
  const parts: { isStruck: boolean; text: string }[] = []
  for (const piece of text.split(/([\p{L}\p{N}]+)/u)) {
    if (piece === '') continue
    const isStruck = struck.has(piece.toLowerCase())
    const last = parts.at(-1)
    const before = parts.at(-2)
    if (last !== undefined && last.isStruck === isStruck) last.text += piece
    else if (isStruck && last !== undefined && before?.isStruck === true && /^ $/.test(last.text)) {
      // Neighbours are one run.
      before.text += last.text + piece
      parts.pop()
    } else parts.push({ isStruck, text: piece })
  }
  return parts
}
