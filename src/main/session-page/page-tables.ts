import { shortened } from '../../shared/cut-text.ts'
import { counted } from '../../shared/counted.ts'

/** Rows of a table that is not folded. */
const FEW_ROWS = 12

/** Returns the count of a long table's rows, which folds its section. */
export const foldedAs = (rows: number, noun: string): string => (rows <= FEW_ROWS ? '' : counted(rows, noun))

/** Formats a row of cells; `first` has its own tags. */
export const row = (first: string, cells: readonly string[], last: string): string =>
  `<tr>${first}${[...cells, last].map((cell) => `<td>${cell}</td>`).join('')}</tr>`

/** Formats a table, which scrolls if it is too wide. `texts` aligns all columns to the left. */
export const table = (
  titles: readonly string[],
  rows: readonly string[],
  name: 'numbers' | 'texts' = 'numbers',
): string =>
  `<div class="wide"><table class="${name}"><thead><tr>${titles.map((title) => `<th>${title}</th>`).join('')}</tr></thead><tbody>${rows.join('')}</tbody></table></div>`

/** A part of the overview. One with a count is folded. */
export const section = (title: string, body: string, counts = ''): string =>
  counts === ''
    ? `<section class="overview"><h2>${title}</h2>${body}</section>\n`
    : `<details class="overview"><summary><h2>${title}</h2> <span class="soft">${counts}</span></summary>${body}</details>\n`

/** Shortens a text to part of a line. */
export const brief = (text: string): string => shortened(text.trim().slice(0, 500).replaceAll(/\s+/g, ' '), 80)
