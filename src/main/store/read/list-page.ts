import type { OperationName } from '../../../shared/contract/index.ts'
import type { KeyPart } from '../../listings/cursor.ts'
import type { LocalListing } from '../../listings/listing.ts'
import { pageQuery, whereOf, type AnyFilters, type Condition, type PageInput } from '../../listings/page-query.ts'
import { toPage } from './page.ts'
import type { Reader, Rows } from './reader.ts'

/**
 * Reads one page of a list. `toItems` converts the rows to items, and can read related data for all of them together.
 */
export function listPage<Row extends object, Item>(
  reader: Reader,
  listing: LocalListing<Row, OperationName>,
  input: PageInput,
  toItems: (rows: readonly Row[]) => (row: Row) => Item,
  conditions: readonly Condition[] = [],
): { items: Item[]; next: string | null } {
  const { rows, keys, added } = read(reader, listing, input, conditions)
  const toItem = toItems(rows)
  return toPage(
    rows,
    input.limit,
    (row) => keys.map((key) => row[key] ?? ''),
    (row) => toItem(added.length === 0 ? row : without(row, added)),
    reader.budget,
  )
}

/** Reads the rows of a page, one more than its limit if there are more. Its keys must be columns. */
export function listRows<Row extends object>(
  reader: Reader,
  listing: LocalListing<Row, OperationName>,
  input: PageInput,
  conditions: readonly Condition[] = [],
): Rows<Row> {
  return read(reader, listing, input, conditions).rows
}

/** Returns `WHERE` with the conditions of the fields that are given, for the caller's own SQL. */
export function narrowed(
  filters: AnyFilters,
  input: object,
  conditions: readonly Condition[] = [],
): { readonly sql: string; readonly values: readonly (string | number)[] } {
  const { sql, values } = whereOf('local', filters, input, conditions)
  return { sql, values: values as (string | number)[] }
}

function read<Row extends object>(
  reader: Reader,
  listing: LocalListing<Row, OperationName>,
  input: PageInput,
  conditions: readonly Condition[],
) {
  const { sql, values, keys, added } = pageQuery('local', listing, input, conditions)
  const rows = reader.inTime<Row & { readonly [key: string]: KeyPart }>(sql, ...(values as (string | number)[]))
  return { rows, keys, added }
}

const without = <Row extends object>(row: Row, names: readonly string[]): Row =>
  Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name))) as Row
