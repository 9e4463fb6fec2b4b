import { toCursor, type KeyPart } from '../../listings/cursor.ts'
import type { Budget } from './budget.ts'

/** A page ends at this many characters of text, regardless of its number of rows. */
const MAX_CHARACTERS = 8_000_000

/**
 * Builds a page from rows that were read with `limit + 1`: the extra row means that there is a next page. With a budget,
 * the page ends early if time is up or it grows too large, but never before its first item. The next page continues there.
 */
export function toPage<Row, Item>(
  rows: readonly Row[] & { readonly isCut?: true; readonly lastRead?: Row },
  limit: number,
  keyOf: (row: Row) => readonly KeyPart[],
  toItem: (row: Row) => Item,
  budget?: Budget,
): { items: Item[]; next: string | null } {
  const shown = rows.slice(0, limit)
  const items: Item[] = []
  let characters = 0
  for (const row of shown) {
    if (budget?.over === true && items.length > 0) {
      budget.cut()
      break
    }
    const item = toItem(row)
    items.push(item)
    if (budget === undefined) continue
    characters += charactersIn(item)
    if (characters > MAX_CHARACTERS) break
  }
  const areAllShown = items.length === rows.length
  // More rows that are left out may follow the last visible one: the next page starts after them.
  const last = (areAllShown ? rows.lastRead : undefined) ?? shown[items.length - 1]
  const isLast = areAllShown && rows.isCut !== true
  return { items, next: isLast || last === undefined ? null : toCursor(keyOf(last)) }
}

/** Counts the characters of all strings in a value. */
function charactersIn(value: unknown): number {
  if (typeof value === 'string') return value.length
  if (value === null || typeof value !== 'object') return 0
  let sum = 0
  for (const part of Object.values(value)) sum += charactersIn(part)
  return sum
}

/** Builds a WHERE clause: parts joined by AND, their values in the same order. */
export function where() {
  const parts: string[] = []
  const values: (string | number)[] = []
  return {
    values,
    /** Adds a condition. */
    add(part: string, ...more: readonly (string | number)[]): void {
      parts.push(part)
      values.push(...more)
    },
    get sql(): string {
      return parts.length === 0 ? '' : `WHERE ${parts.join(' AND ')}`
    },
  }
}
