import type { Value, ValueTable } from '../../shared/columns/column.ts'

/** Exports the loaded rows of a table as text. */

export const EXPORT_FORMATS = ['csv', 'json', 'md'] as const
export type ExportFormat = (typeof EXPORT_FORMATS)[number]

/** Formats a table as CSV, JSON or Markdown. */
export function exportTable({ columns, rows }: ValueTable, format: ExportFormat): string {
  switch (format) {
    case 'csv':
      return [columns, ...rows].map((row) => row.map(csvCell).join(',')).join('\r\n')
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

/** Spreadsheets run cells that start with these characters as formulas. A leading quote makes them text. */
const FORMULA = /^[=+\-@\t\r]/

function csvCell(cell: Value): string {
  const text = typeof cell === 'string' ? cell.replace(FORMULA, (sign) => `'${sign}`) : String(cell ?? '')
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

function markdownCell(cell: Value): string {
  return String(cell ?? '')
    .replaceAll(/[\\|`*_[\]<>]/g, (sign) => `\\${sign}`)
    .replaceAll(/\s+/g, ' ')
}

/** Downloads a text as a file. */
export function saveFile(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/plain;charset=utf-8' }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}
