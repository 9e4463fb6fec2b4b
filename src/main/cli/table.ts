import { visibleText } from '../../shared/visible-text.ts'

/** A column of a text table: its title and the cell of each row. */
export interface Column<Row> {
  readonly title: string
  readonly of: (row: Row) => string | number | null
  /** Aligns to the right, for numbers. */
  readonly right?: true
  /** Maximum length of a cell in characters. */
  readonly max?: number
}

/** Formats rows as aligned text. Control characters in recorded text never reach the terminal. */
export function table<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): string {
  const cells = [
    columns.map(({ title }) => title),
    ...rows.map((row) => columns.map((column) => cut(plain(String(column.of(row) ?? '-')), column.max ?? 60))),
  ]
  const widths = columns.map((_, index) => Math.max(...cells.map((line) => line[index]?.length ?? 0)))
  return cells
    .map((line) =>
      line
        .map((cell, index) =>
          columns[index]?.right ? cell.padStart(widths[index] ?? 0) : cell.padEnd(widths[index] ?? 0),
        )
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** Returns text on one line, without control characters. What reorders or hides text is shown by its name. */
export function plain(text: string): string {
  return visibleText(text)
    .replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ')
    .trim()
}

/** Returns text with its line breaks but without control characters. What reorders or hides text is shown by its name. */
export function plainLines(text: string): string {
  return visibleText(text).replace(/[^\P{Cc}\n\t]/gu, '')
}

function cut(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max - 1)}…`
}

/** Formats a time as 2026-11-21 10:15, in the local time zone. */
export function when(iso: string | null): string {
  if (iso === null) return '-'
  const date = new Date(iso)
  const two = (n: number) => String(n).padStart(2, '0')
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}`
}

export { count, counted, dollars, duration } from '../session-page/figures.ts'
