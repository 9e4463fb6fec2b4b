import type { ChangePart } from '../../shared/file-change.ts'
import { withoutReturn, type FileLine } from './file-step.ts'

/** A line that the client showed of a file after a change. */
export interface ToldLine {
  readonly text: string
  readonly isAdded: boolean
  /** Added where there was one with this text before, or kept where one was written: it is either of them. */
  readonly mayHaveMoved: boolean
}

/** Where the client says that a change went, with the lines around it. */
export interface ToldPlace {
  readonly from: number
  readonly lines: readonly ToldLine[]
}

/** Returns the places of a change that the client numbered. It shows tabs at the beginning of a line as spaces. */
export function toldPlaces(
  told: readonly ChangePart[],
  asked: readonly ChangePart[],
  known: readonly FileLine[],
): readonly ToldPlace[] {
  const written = new Map<string, string>()
  const texts = asked.flatMap((part) => (part.kind === 'replaced' ? part.after.split('\n') : []))
  for (const text of [...known.map((line) => line.text), ...texts])
    if (text?.startsWith('\t') === true) written.set(withoutTabs(text), text)
  // Of a line that a diff adds where another of the same text was, nobody knows which of them was kept, or moved.
  const earlier = new Set([...told, ...asked].flatMap(earlierTexts))
  const rewritten = new Set(addedTexts(asked, false))
  return told.flatMap((part) => {
    if (part.kind !== 'lines' || part.newStart === undefined) return []
    const lines = part.text.split('\n').filter((line) => /^[ +]/.test(line))
    const found = lines.map((line) => {
      const text = line.slice(1)
      const [isPlus, isEarlier] = [line.startsWith('+'), earlier.has(text)]
      return {
        text: written.get(text) ?? text,
        isAdded: isPlus && !isEarlier,
        mayHaveMoved: isPlus ? isEarlier : rewritten.has(text),
      }
    })
    return found.length === 0 ? [] : [{ from: part.newStart, lines: found }]
  })
}

/** Returns whether the client shows lines where a change went, as far as it shows any. */
export function showsAll(told: readonly ChangePart[], lines: readonly FileLine[]): boolean {
  const shown = told.flatMap((part) => (part.kind === 'lines' ? signedTexts(part, /^[ +]/).map(withoutTabs) : []))
  return shown.length === 0 || lines.every(({ text }) => text === null || shown.includes(withoutTabs(text)))
}

/** Returns the places of the lines that a change added to a text, as the client numbered them; null if it did not. */
export function addedPlaces(told: readonly ChangePart[]): ReadonlySet<number> | null {
  const places = new Set<number>()
  for (const part of told) {
    if (part.kind !== 'lines' || part.newStart === undefined) return null
    const after = part.text.split('\n').filter((line) => /^[ +]/.test(line))
    // With another ending, or the first one at the end of the file, it is the line that it was.
    const [hadNoEnd, earlier] = [/^\\/m.test(part.text), new Set(signedTexts(part, /^-/))]
    const wasThere = (text: string) =>
      earlier.has(text.endsWith('\r') ? withoutReturn(text) : `${text}\r`) || (hadNoEnd && earlier.has(text))
    for (const [at, line] of after.entries())
      if (line.startsWith('+') && !wasThere(line.slice(1))) places.add(part.newStart - 1 + at)
  }
  return told.length === 0 ? null : places
}

const withoutTabs = (text: string): string => text.replace(/^\t+/, (tabs) => '  '.repeat(tabs.length))

/** Returns the lines that a change adds, wherever it does: the whole ones, or also those that may be parts of lines. */
export function addedTexts(parts: readonly ChangePart[], isWhole = true): readonly string[] {
  return parts.flatMap((part) => {
    const before = earlierTexts(part)
    // The first and the last may be parts of lines.
    const ends = isWhole ? [1, -1] : []
    const after = part.kind === 'lines' ? signedTexts(part, /^\+/) : part.after.split('\n').slice(...ends)
    return after.filter((text) => !before.includes(text))
  })
}

/** Returns the lines that a change says were there before. */
const earlierTexts = (part: ChangePart): readonly string[] =>
  part.kind === 'replaced' ? part.before.split('\n') : signedTexts(part, /^[ -]/)

/** Returns the lines of a part with one of these signs. */
export const signedTexts = ({ text }: { readonly text: string }, signs: RegExp): readonly string[] =>
  text.split('\n').flatMap((line) => (signs.test(line) ? line.slice(1) : []))
