import type { OperationName } from '../../../shared/contract/index.ts'
import type { Listing } from '../../listings/listing.ts'
import { pageQuery, type Condition, type PageInput } from '../../listings/page-query.ts'
import type { KeyPart } from '../../listings/cursor.ts'
import { toPage } from './page.ts'
import type { Reader } from './reader.ts'

/** Reads one page of a list. `toItems` is given its rows, to read together what they need, and makes each an item. */
export function listPage<Row extends object, Item>(
  reader: Reader,
  listing: Listing<Row, OperationName>,
  input: PageInput,
  toItems: (rows: readonly Row[]) => (row: Row) => Item,
  conditions: readonly Condition[] = [],
): { items: Item[]; next: string | null } {
  const { sql, values, keys } = pageQuery('local', listing, input, conditions)
  const rows = reader.inTime<Row & { readonly [key: string]: KeyPart }>(sql, ...(values as (string | number)[]))
  const toItem = toItems(rows)
  return toPage(
    rows,
    input.limit,
    (row) => keys.map((key) => row[key] ?? ''),
    (row) => toItem(without(row, keys)),
  )
}

function without<Row extends object>(row: Row, names: readonly string[]): Row {
  return Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name))) as Row
}
