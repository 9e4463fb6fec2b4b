import { type ParsedToken, parse } from 'sugar-high/core'
import { lang, languages } from 'sugar-high/lang'
import type { Diff } from './diff-rows.ts'
import type { NumberedLine } from './line-diff.ts'

/** Longer code is shown without colors. */
const MAX_HIGHLIGHTED = 40_000
/** So is code with a longer line: the tokenizer's time grows with the square of one that never closes. */
const LONG_LINE = /[^\n]{1001}/

/** Class names, for which each style has a color. */
const COLORS: Partial<Record<ParsedToken['type'], string>> = {
  keyword: 'syn-keyword',
  string: 'syn-string',
  class: 'syn-class',
  entity: 'syn-class',
  property: 'syn-property',
  comment: 'syn-comment',
}

/** A piece of a line in one color. */
export interface SyntaxToken {
  readonly text: string
  /** Class name; undefined: the color of plain text. */
  readonly color: string | undefined
}

/**
 * Splits code into lines of colored tokens. `language` is a language's name, a Markdown fence word or a file extension; returns
 * null for an unknown one, and for code or a line of it that is too long.
 */
export function highlightLines(code: string, language: string | undefined): readonly (readonly SyntaxToken[])[] | null {
  const name = language === undefined || language === '' ? undefined : lang(language)
  if (name === undefined || name === 'plaintext' || code.length > MAX_HIGHLIGHTED || LONG_LINE.test(code)) return null
  const { lines } = parse(code, languages.find((known) => known.id === name)?.config ?? {})
  return lines.map(({ tokens }) => tokens.map(({ value, type }) => ({ text: value, color: COLORS[type] })))
}

/** Returns a file's extension, as its language. */
export const languageOf = (path: string): string | undefined => /\.(\w+)$/.exec(path)?.[1]

/** Colors the lines of a diff. Each version is colored as a whole, so that a comment over several lines keeps its color. */
export function diffColors({ rows }: Diff, path: string): ReadonlyMap<NumberedLine, readonly SyntaxToken[]> {
  const lines = rows.flatMap((row) => (row.kind === 'line' ? [row.line] : row.kind === 'fold' ? row.lines : []))
  const colors = new Map<NumberedLine, readonly SyntaxToken[]>()
  for (const side of ['removed', 'added'] as const) {
    const own = lines.filter(({ kind }) => kind === 'same' || kind === side)
    const tokens = highlightLines(own.map(({ text }) => text).join('\n'), languageOf(path))
    if (tokens?.length !== own.length) continue
    own.forEach((line, at) => colors.set(line, tokens[at] ?? []))
  }
  return colors
}
