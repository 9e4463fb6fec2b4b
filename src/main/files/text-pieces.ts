/** A part of a text: whole lines with their ends, but for the last one of the text. */
export interface TextPiece {
  readonly text: string
  /** How many line ends it has. */
  readonly breaks: number
}

/** Long enough to be few, short enough that an edit, which copies one, is cheap. */
const LENGTH = 16_000
/** A piece that grew longer is split again. */
export const MAX_LENGTH = 2 * LENGTH

/** Splits a text, so that an edit of a long one copies a part of it only. */
export function piecesOf(text: string, length = LENGTH): readonly TextPiece[] {
  const pieces: TextPiece[] = []
  for (let begin = 0; begin < text.length || pieces.length === 0;) {
    const end = text.indexOf('\n', begin + length) + 1
    const piece = text.slice(begin, end === 0 ? undefined : end)
    pieces.push({ text: piece, breaks: breaksIn(piece) })
    begin += Math.max(piece.length, 1)
  }
  return pieces
}

/** Counts the line ends of a text. */
export function breaksIn(text: string): number {
  let count = 0
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1
  return count
}

/** Returns the places of a text, from left to right; of those that overlap, all or only the first. */
export function placesIn(pieces: readonly TextPiece[], wanted: string, most: number, mayOverlap: boolean): number[] {
  const places: number[] = []
  let begin = 0
  let from = 0
  for (const [at, { text }] of pieces.entries()) {
    const next = followed(pieces, at + 1, wanted.length - 1)
    const edge = Math.max(0, text.length - wanted.length + 1)
    // Those that end in a later piece begin behind all others.
    for (const [part, offset] of [[text, 0] as const, [text.slice(edge) + next, edge] as const]) {
      let found = part.indexOf(wanted, Math.max(0, from - begin - offset))
      for (; found >= 0 && found + offset < text.length && places.length < most;) {
        places.push(begin + offset + found)
        from = begin + offset + found + (mayOverlap ? 1 : wanted.length)
        found = part.indexOf(wanted, from - begin - offset)
      }
    }
    begin += text.length
  }
  return places
}

/** Returns the beginning of what follows, of that length. */
function followed(pieces: readonly TextPiece[], from: number, length: number): string {
  let text = ''
  for (let at = from; at < pieces.length && text.length < length; at += 1)
    text += pieces[at]?.text.slice(0, length - text.length) ?? ''
  return text
}
