import { firstCharacters, shortened } from '../../../shared/cut-text.ts'
import type { RowOf } from '../schema/define-table.ts'
import type { TABLES } from '../tables.ts'

/** A row of `sessions`. */
export type SessionRow = RowOf<typeof TABLES.sessions>

const MAX_TITLE_CHARACTERS = 120

/** The first meaningful line, short enough for a list. */
export function firstLine(text: string): string {
  const line = firstCharacters(text, 4000)
    .split('\n')
    .map((part) => part.trim())
    .find((part) => part !== '')
  if (line === undefined) return ''
  return shortened(line, MAX_TITLE_CHARACTERS)
}
