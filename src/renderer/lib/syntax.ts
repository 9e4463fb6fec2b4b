import { type ParsedToken, parse } from 'sugar-high/core'
import { lang, languages } from 'sugar-high/lang'

/** Longer code is shown without colors. */
const MAX_HIGHLIGHTED = 40_000

const COLORS: Partial<Record<ParsedToken['type'], string>> = {
  keyword: 'text-[var(--syn-keyword)]',
  string: 'text-[var(--syn-string)]',
  class: 'text-[var(--syn-class)]',
  entity: 'text-[var(--syn-class)]',
  property: 'text-[var(--syn-property)]',
  comment: 'text-[var(--syn-comment)] italic',
}

/** A piece of a line in one color. */
export interface SyntaxToken {
  readonly text: string
  /** Class names; undefined: the color of plain text. */
  readonly color: string | undefined
}

/**
 * Splits code into lines of colored tokens. `language` is a language's name, a Markdown fence word or a file extension; returns
 * null for an unknown one, and for code that is too long.
 */
export function highlightLines(code: string, language: string | undefined): readonly (readonly SyntaxToken[])[] | null {
  const name = language === undefined || language === '' ? undefined : lang(language)
  if (name === undefined || name === 'plaintext' || code.length > MAX_HIGHLIGHTED) return null
  const { lines } = parse(code, languages.find((known) => known.id === name)?.config ?? {})
  return lines.map(({ tokens }) => tokens.map(({ value, type }) => ({ text: value, color: COLORS[type] })))
}

/** Returns a file's extension, as its language. */
export function languageOf(path: string): string | undefined {
  return /\.(\w+)$/.exec(path)?.[1]
}
