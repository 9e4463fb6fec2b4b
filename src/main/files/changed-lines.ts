import type { ChangePart } from '../../shared/file-change.ts'
import { UNKNOWN_LINE } from './aligned-lines.ts'
import { carriedOver } from './carried-over.ts'
import type { FileLine } from './file-step.ts'
import { signedTexts } from './told-lines.ts'
import { breaksIn, MAX_LENGTH, piecesOf, placesIn, type TextPiece } from './text-pieces.ts'

/** The texts of lines that an edit made: a file of many edits is joined once. */
const texts = new WeakMap<readonly FileLine[], readonly TextPiece[]>()

function textOf(lines: readonly FileLine[]): readonly TextPiece[] {
  const known = texts.get(lines) ?? piecesOf(lines.map(({ text }) => text ?? UNKNOWN_LINE).join('\n'))
  texts.set(lines, known)
  return known
}

/** Returns the lines after a part of a change; null if it has no place among them, or could be in several. */
export function changedLines(
  lines: readonly FileLine[],
  part: ChangePart,
  create: (text: string) => FileLine,
): readonly FileLine[] | null {
  return part.kind === 'replaced' ? replaced(lines, part, create) : patched(lines, part, create)
}

type Replaced = Extract<ChangePart, { kind: 'replaced' }>

function replaced(
  lines: readonly FileLine[],
  { before: named, after, isAll }: Replaced,
  create: (text: string) => FileLine,
): readonly FileLine[] | null {
  const pieces = textOf(lines)
  // The client takes the end of the line along with what it removes.
  const isOpen = after === '' && !named.endsWith('\n')
  const before = isOpen && placesIn(pieces, `${named}\n`, 1, true).length > 0 ? `${named}\n` : named
  const places = before === '' ? [] : placesIn(pieces, before, isAll === true ? Infinity : 2, isAll !== true)
  if (places.length === 0 || (isAll !== true && places.length > 1)) return null
  // Elsewhere in the file may be more of it, of another height.
  const isMore = isAll === true && pieces.some(({ text }) => text.includes(UNKNOWN_LINE))
  if (isMore && before.split('\n').length !== after.split('\n').length) return null
  // From the last one, so that the places of the others stay.
  return places.reduceRight((changed, at) => withTextAt(changed, at, before.length, after, create), lines)
}

function withTextAt(
  lines: readonly FileLine[],
  place: number,
  length: number,
  after: string,
  create: (text: string) => FileLine,
): readonly FileLine[] {
  const pieces = textOf(lines)
  let [first, at, above] = [0, place, 0]
  for (let piece = pieces[0]; piece !== undefined && piece.text.length <= at && first < pieces.length - 1;) {
    ;[at, above, first] = [at - piece.text.length, above + piece.breaks, first + 1]
    piece = pieces[first]
  }
  // The line in which it ends belongs to it.
  let text = pieces[first]?.text ?? ''
  let last = first + 1
  for (; last < pieces.length && text.length <= at + length; last += 1) text += pieces[last]?.text ?? ''
  const begin = at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1
  const newline = text.indexOf('\n', at + length)
  const end = newline < 0 ? text.length : newline
  const index = above + breaksIn(text.slice(0, begin))
  const count = breaksIn(text.slice(begin, end)) + 1
  const made = `${text.slice(begin, at)}${after}${text.slice(at + length, end)}`
  const placed = carriedOver(lines.slice(index, index + count), made.split('\n'), create)
  const next = lines.toSpliced(index, count, ...placed)
  const whole = `${text.slice(0, begin)}${made}${text.slice(end)}`
  const breaks = pieces.slice(first, last).reduce((sum, piece) => sum + piece.breaks, breaksIn(made) + 1 - count)
  const changed = whole.length > MAX_LENGTH ? piecesOf(whole) : [{ text: whole, breaks }]
  // A hole is shorter than what was removed from it.
  if (placed.every((line) => line.text !== null)) texts.set(next, pieces.toSpliced(first, last - first, ...changed))
  return next
}

type Hunk = Extract<ChangePart, { kind: 'lines' }>

/** The lines of a hunk that were there before are at the number that it names, or where they are found once. */
function patched(lines: readonly FileLine[], hunk: Hunk, create: (text: string) => FileLine) {
  const { newStart, under = [] } = hunk
  const [before, after] = [signedTexts(hunk, /^[ -]/), signedTexts(hunk, /^[ +]/)]
  if (before.length === 0) return null
  const textAt = (at: number) => (lines[at]?.text === null ? UNKNOWN_LINE : lines[at]?.text)
  const isAt = (at: number) => before.every((line, offset) => textAt(at + offset) === line)
  // Those before it are in place already.
  const isNamed = newStart !== undefined && isAt(newStart - 1)
  const at = isNamed ? newStart - 1 : placeUnder(lines, under, isAt)
  return at === null
    ? null
    : lines.toSpliced(at, before.length, ...carriedOver(lines.slice(at, at + before.length), after, create))
}

/** Returns the only place that is like this or, below lines that are there once, the first one; null where there may be others. */
function placeUnder(lines: readonly FileLine[], under: readonly string[], isAt: (at: number) => boolean) {
  let from = 0
  for (const above of under) {
    const places = lines.flatMap((line, at) => (line.text?.trim() === above.trim() ? at : []))
    if (places.length !== 1 || (places[0] ?? 0) < from) return null
    from = (places[0] ?? 0) + 1
  }
  const [at, other] = lines.flatMap((_, index) => (index >= from && isAt(index) ? index : []))
  if (at === undefined || (under.length === 0 && other !== undefined)) return null
  // What is not known may be like it, or like a line above it.
  return under.length > 0 && lines.slice(0, at).some((line) => line.text === null) ? null : at
}
