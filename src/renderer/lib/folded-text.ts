import { firstCharacters } from '../../shared/cut-text.ts'

/** Maximum lines shown of a text before "Show all", and maximum characters, for texts with few long lines. */
export const FOLDED_LINES = 20
const FOLDED_CHARACTERS = 8000
/** A text may have some lines more than the fold: a button that reveals only two lines is useless. */
const SPARE_LINES = 4

/** The start of a text, cut at a line's end where possible. */
export interface FoldedText {
  readonly start: string
  /** Lines of the whole text. */
  readonly lines: number
  readonly isCut: boolean
}

/** Cuts a text after its first lines. */
export function foldText(text: string): FoldedText {
  let lines = 1
  let end = -1
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) {
    if (lines === FOLDED_LINES) end = at
    lines += 1
  }
  const byLines = lines > FOLDED_LINES + SPARE_LINES ? text.slice(0, end) : text
  const start = firstCharacters(byLines, FOLDED_CHARACTERS)
  return { start, lines, isCut: start.length < text.length }
}

/** Returns the first lines of a Markdown text, with at most `most` characters: a long line is cut as well. */
export function startOfMarkdown(text: string, lines: number, most: number): string {
  const first = text.split('\n').slice(0, lines).join('\n')
  return first.length <= most ? first : `${withoutOpenSigns(firstCharacters(first, most)).trimEnd()}…`
}

/** Removes the signs of emphasis, code or a link from the last line of a cut Markdown text if they have no end there. */
export const withoutOpenSigns = (text: string): string =>
  text.replace(/\[([^[\]]*)\]\([^()\s]*$/, '$1').replace(/(?<![^\s(])(\*\*|`)(?=\S)(?!.*\1)(.*)$/, '$2')
