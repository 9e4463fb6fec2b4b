import type { RowOf } from '../schema/define-table.ts'
import type { TABLES } from '../tables.ts'

/** A row of `sessions`. */
export type SessionRow = RowOf<typeof TABLES.sessions>

const MAX_TITLE_CHARACTERS = 120

/** The first meaningful line, short enough for a list. */
export function firstLine(text: string): string {
  const line = text
    .slice(0, 4000)
    .split('\n')
    .map((part) => part.trim())
    .find((part) => part !== '')
  if (line === undefined) return ''
  return line.length <= MAX_TITLE_CHARACTERS ? line : `${line.slice(0, MAX_TITLE_CHARACTERS - 1).toWellFormed()}…`
}
