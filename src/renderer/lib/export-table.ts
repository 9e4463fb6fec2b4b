import type { Value, ValueTable } from '../../shared/columns/column.ts'
import { csvOf } from '../../shared/columns/csv.ts'

/** Exports the loaded rows of a table as text. */

export const EXPORT_FORMATS = ['csv', 'json', 'md'] as const
export type ExportFormat = (typeof EXPORT_FORMATS)[number]

/** Formats a table as CSV, JSON or Markdown. */
export function exportTable(table: ValueTable, format: ExportFormat): string {
  const { columns, rows } = table
  switch (format) {
    case 'csv':
      return csvOf(table)
    case 'json':
      return JSON.stringify(
        rows.map((row) => Object.fromEntries(columns.map((column, at) => [column, row[at] ?? null]))),
        null,
        2,
      )
    case 'md':
      return [columns, columns.map(() => '---'), ...rows]
        .map((row) => `| ${row.map((cell) => markdownCell(cell)).join(' | ')} |`)
        .join('\n')
  }
}

/** Returns the table without some columns. */
export function withoutColumns({ columns, rows }: ValueTable, without: ReadonlySet<string>): ValueTable {
  const kept = columns.flatMap((column, at) => (without.has(column) ? [] : [at]))
  const pick = <Value>(row: readonly Value[]) => kept.flatMap((at) => row.slice(at, at + 1))
  return { columns: pick(columns), rows: rows.map(pick) }
}

const markdownCell = (cell: Value): string =>
  String(cell ?? '')
    .replaceAll(/[\\|`*_[\]<>]/g, (sign) => `\\${sign}`)
    .replaceAll(/\s+/g, ' ')

/** Downloads a text as a file. */
export function saveFile(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/plain;charset=utf-8' }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}
