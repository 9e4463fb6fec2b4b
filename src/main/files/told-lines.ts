import type { ChangePart } from '../../shared/file-change.ts'

/** A line that the client showed of a file after a change. */
export interface ToldLine {
  readonly text: string
  readonly isAdded: boolean
  /** Removed in one place and added in another: it moved, or another one was written. */
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
  known: readonly (string | null)[],
): readonly ToldPlace[] {
  const written = new Map<string, string>()
  const texts = asked.flatMap((part) => (part.kind === 'replaced' ? part.after.split('\n') : []))
  for (const text of [...known, ...texts]) if (text?.startsWith('\t') === true) written.set(withoutTabs(text), text)
  // A line that a diff removes in one place and adds in another only moved.
  const gone = new Set(told.flatMap((part) => (part.kind === 'lines' ? part.text.split('\n') : [])))
  return told.flatMap((part) => {
    if (part.kind !== 'lines' || part.newStart === undefined) return []
    const lines = part.text.split('\n').filter((line) => /^[ +]/.test(line))
    const found = lines.map((line) => {
      const text = line.slice(1)
      const [isPlus, isGone] = [line.startsWith('+'), gone.has(`-${text}`)]
      return { text: written.get(text) ?? text, isAdded: isPlus && !isGone, mayHaveMoved: isPlus && isGone }
    })
    return found.length === 0 ? [] : [{ from: part.newStart, lines: found }]
  })
}

const withoutTabs = (text: string): string => text.replace(/^\t+/, (tabs) => '  '.repeat(tabs.length))

/** Returns the whole lines that a change adds, wherever it does. */
export function addedTexts(parts: readonly ChangePart[]): readonly string[] {
  return parts.flatMap((part) => {
    if (part.kind === 'lines') {
      const signed = part.text.split('\n')
      return signed.flatMap((line) =>
        line.startsWith('+') && !signed.includes(`-${line.slice(1)}`) ? line.slice(1) : [],
      )
    }
    const before = part.before.split('\n')
    // The first and the last may be parts of lines.
    const inner = part.after.split('\n').slice(1, -1)
    return inner.filter((text) => !before.includes(text))
  })
}
