import { withoutAnsi } from '../../shared/terminal-text.ts'
import { textWidth } from './text-width.ts'
import { withTypedHere } from '../base/folder-of-run.ts'

/**
 * Breaks lines between words to fit the terminal; those that follow are indented as their text is. A word without room,
 * such as a path, stays whole. A file or pipe gets the text as it is.
 */
export function wrapped(text: string, width = terminalWidth()): string {
  const lines = text.split('\n')
  const isWhole = (line: string) => textWidth(withoutAnsi(line)) <= width || COMMAND.test(line)
  return lines.map((line) => (isWhole(line) ? line : broken(line, width))).join('\n')
}

/** A command on a line of its own stays whole, so that it can be copied. */
const COMMAND = /^ {2}(?:cd \S|aspy |\S+ (?:resume|--resume|--session) |(?:\S.*[\\/])?aspy["']? run )/

/** Returns the characters in a line of the terminal, endless for a file or pipe. Some terminals say that they have none. */
export const terminalWidth = ({ columns = Infinity }: { readonly columns?: number } = process.stdout): number =>
  columns === 0 ? 80 : columns

/** Says something beside the output of a command, on standard error; commands that it names are as they can be typed. */
export const sayAside = (text: string): void =>
  console.error(wrapped(withTypedHere(text), terminalWidth(process.stderr)))

/** Columns before a text: words that are set apart by two spaces, and the sign of a list. */
const BEFORE_TEXT = /^ *(?:\S+(?: \S+)? {2,})*(?:[-+→>•] )?/u

/** A word, and a space before it. */
const WORD = / ?[^ ]*/g

/** A word of a path or a command, which is copied as a whole. */
const COPIED = /[/\\'"]/

/** In other words, each character of Chinese or Japanese, which have no spaces, with what may not begin a line. */
const PART =
  / ?(?:[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}][、。，！？：；」』）】ー…]*|[^ \p{sc=Han}\p{sc=Hira}\p{sc=Kana}]+)| /gu

/** Characters for a text that is indented as far as most of a line. */
const LEAST_ROOM = 22

function broken(line: string, width: number): string {
  const found = BEFORE_TEXT.exec(line)?.[0] ?? ''
  const before = found.length < width ? found : ''
  const isNarrow = found.length > width / 2 && width - found.length < LEAST_ROOM
  const indent = isNarrow ? '  ' : ' '.repeat(before.length)
  const lines: string[] = []
  let now = before
  let isEmpty = true
  const words = line.slice(before.length).match(WORD) ?? []
  for (const part of words.flatMap((word) => (COPIED.test(word) ? [word] : (word.match(PART) ?? [])))) {
    const next = now + part
    const isFull = textWidth(withoutAnsi(next)) > width && (!isEmpty || isNarrow)
    if (isFull) lines.push(now.trimEnd())
    now = isFull ? indent + part.trimStart() : next
    isEmpty = false
  }
  return [...lines, now].join('\n')
}
