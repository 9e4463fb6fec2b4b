import type { ChangePart } from '../../shared/file-change.ts'
import { UNKNOWN_LINE } from './aligned-lines.ts'
import { carriedOver } from './carried-over.ts'
import type { FileLine } from './file-step.ts'

/** The texts of lines that an edit made: a file of many edits is joined once. */
const texts = new WeakMap<readonly FileLine[], string>()

function textOf(lines: readonly FileLine[]): string {
  const known = texts.get(lines) ?? lines.map(({ text }) => text ?? UNKNOWN_LINE).join('\n')
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
  const text = textOf(lines)
  // The client takes the end of the line along with what it removes.
  const before = after === '' && !named.endsWith('\n') && text.includes(`${named}\n`) ? `${named}\n` : named
  const first = before === '' ? -1 : text.indexOf(before)
  if (first < 0 || (isAll !== true && text.includes(before, first + 1))) return null
  const places = isAll === true ? placesOf(before, text) : [first]
  // Elsewhere in the file may be more of it, of another height.
  const isMore = isAll === true && text.includes(UNKNOWN_LINE)
  if (isMore && before.split('\n').length !== after.split('\n').length) return null
  // From the last one, so that the places of the others stay.
  return places.reduceRight((changed, at) => withTextAt(changed, at, before.length, after, create), lines)
}

function placesOf(wanted: string, text: string): number[] {
  const places: number[] = []
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) places.push(at)
  return places
}

function withTextAt(
  lines: readonly FileLine[],
  at: number,
  length: number,
  after: string,
  create: (text: string) => FileLine,
): readonly FileLine[] {
  const text = textOf(lines)
  const { index, begin } = lineAt(lines, at)
  const newline = text.indexOf('\n', at + length)
  const end = newline < 0 ? text.length : newline
  const count = text.slice(begin, end).split('\n').length
  const made = `${text.slice(begin, at)}${after}${text.slice(at + length, end)}`
  const old = lines.slice(index, index + count)
  const placed = carriedOver(old, made.split('\n'), create)
  const next = lines.toSpliced(index, count, ...placed)
  // A hole is shorter than what was removed from it.
  if (placed.every((line) => line.text !== null)) texts.set(next, `${text.slice(0, begin)}${made}${text.slice(end)}`)
  return next
}

/** Returns the line that a place in the text is in, and where it begins. */
function lineAt(lines: readonly FileLine[], place: number): { readonly index: number; readonly begin: number } {
  let begin = 0
  let index = 0
  for (; index < lines.length; index += 1) {
    const end = begin + (lines[index]?.text ?? UNKNOWN_LINE).length
    if (place <= end) break
    begin = end + 1
  }
  return { index, begin }
}

type Hunk = Extract<ChangePart, { kind: 'lines' }>

/** The lines of a hunk that were there before are at the number that it names, or where they are found once. */
function patched(
  lines: readonly FileLine[],
  { text, newStart }: Hunk,
  create: (text: string) => FileLine,
): readonly FileLine[] | null {
  const signed = text.split('\n').filter((line) => /^[ +-]/.test(line))
  const before = signed.filter((line) => !line.startsWith('+')).map((line) => line.slice(1))
  const after = signed.filter((line) => !line.startsWith('-')).map((line) => line.slice(1))
  if (before.length === 0) return null
  const [first] = before
  const isAt = (at: number) =>
    lines[at]?.text === first && before.every((line, offset) => lines[at + offset]?.text === line)
  // Those before it are in place already.
  const named = newStart === undefined ? -1 : newStart - 1
  const isNamed = named >= 0 && isAt(named)
  const at = isNamed ? named : lines.findIndex((_, index) => isAt(index))
  if (at < 0 || (!isNamed && lines.some((_, index) => index > at && isAt(index)))) return null
  return lines.toSpliced(at, before.length, ...carriedOver(lines.slice(at, at + before.length), after, create))
}
