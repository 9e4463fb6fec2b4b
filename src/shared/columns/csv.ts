import type { Value, ValueTable } from './column.ts'

/** Writes a table as CSV (RFC 4180), without a line break at the end. */
export const csvOf = ({ columns, rows }: ValueTable): string =>
  [columns, ...rows].map((row) => row.map(csvCell).join(',')).join('\r\n')

/** Spreadsheets run cells that start with these characters as formulas. A leading quote makes them text. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/

function csvCell(cell: Value): string {
  const text = typeof cell === 'string' ? cell.replace(FORMULA, (sign) => `'${sign}`) : String(cell ?? '')
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
