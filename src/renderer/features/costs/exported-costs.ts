import type { ExportedTable } from '../../lib/export-table.ts'
import type { CostItem } from './cost-buckets.ts'

const COLUMNS = [
  'bucket',
  'model',
  'cost_usd',
  'calls',
  'unpriced_calls',
  'lower_bound_calls',
  'input_tokens',
  'output_tokens',
  'cache_read_tokens',
  'cache_creation_tokens',
] as const

/** Returns costs as a table for export. Columns are named like the API's fields. */
export function exportedCosts(items: readonly CostItem[]): ExportedTable {
  return { columns: COLUMNS, rows: items.map((item) => COLUMNS.map((column) => item[column])) }
}
