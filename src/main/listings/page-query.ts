import { AspyError } from '../../shared/contract/errors.ts'
import { fromCursor } from './cursor.ts'
import type { Each, Filter, Key, StoreName, Value } from './listing.ts'

/** A condition of the caller, and the value of each `?`. */
export type Condition = readonly [sql: string, ...values: Value[]]

/** Parameters of a page other than its filters. */
export interface PageInput {
  readonly limit: number
  readonly cursor?: string | undefined
  readonly sort?: string
  readonly order?: 'newest' | 'oldest'
  readonly [field: string]: unknown
}

/** Any listing, its fields by name. */
interface AnyListing {
  readonly from: Each<string>
  readonly where: Each<string>
  readonly columns: { readonly [column: string]: Each<string> }
  readonly filters: AnyFilters
  readonly sorts: { readonly [sort: string]: Each<Key> }
  readonly key: Each<readonly Key[]>
  readonly order: 'ASC' | 'DESC'
}

/** The filters of any list, by field. */
export interface AnyFilters {
  readonly [field: string]: Filter
}

/** Returns `SELECT` with a list's columns and source. */
export function selectFrom(
  store: StoreName,
  listing: Pick<AnyListing, 'columns' | 'from'>,
  more: readonly string[] = [],
): string {
  return `SELECT ${[columnsOf(store, listing.columns), ...more].join(', ')} FROM ${own(store, listing.from)}`
}

/** Returns columns as `SELECT` names them. */
export const columnsOf = (store: StoreName, columns: AnyListing['columns']): string =>
  Object.entries(columns)
    .map(([name, sql]) => `${own(store, sql)} AS "${name}"`)
    .join(', ')

/** Returns `WHERE` with the conditions of the fields that are given, and the value of each `?`. */
export function whereOf(
  store: StoreName,
  filters: AnyFilters,
  input: object,
  conditions: readonly Condition[] = [],
): { readonly sql: string; readonly values: Value[] } {
  const all = [...conditions, ...filtersOf(store, filters, input)]
  const parts = all.map(([sql, ...values]) => withPlaces(store, sql, values)).filter((part) => part !== '')
  return {
    sql: parts.length === 0 ? '' : `WHERE ${parts.join(' AND ')}`,
    values: all.flatMap(([, ...values]) => (store === 'local' ? values.flat() : values)),
  }
}

/**
 * Returns the SQL of one page, which reads one row more than its limit, with `?` for each value. Equal sets of fields give
 * equal SQL: stores prepare it once and keep it.
 */
export function pageQuery(
  store: StoreName,
  listing: AnyListing,
  input: PageInput,
  conditions: readonly Condition[] = [],
) {
  const sort = input.sort === undefined ? undefined : listing.sorts[input.sort]
  const keys = [...(sort === undefined ? [] : [own(store, sort)]), ...own(store, listing.key)]
  const direction = { newest: 'DESC', oldest: 'ASC', default: listing.order }[input.order ?? 'default']
  const where = whereOf(store, listing.filters, input, [
    [own(store, listing.where)],
    ...conditions,
    ...afterCursor(store, keys, direction, input.cursor),
  ])
  const names = keys.map(([sql], at) => columnNamed(store, listing, sql) ?? `key_${at}`)
  const keyColumns = keys.flatMap(([sql], at) =>
    names[at] === `key_${at}` ? [`${store === 'team' ? `(${sql})::text` : sql} AS key_${at}`] : [],
  )
  return {
    sql: `${selectFrom(store, listing, keyColumns)} ${where.sql}
     ORDER BY ${keys.map(([sql]) => `${sql} ${direction}`).join(', ')} LIMIT ?`,
    values: [...where.values, input.limit + 1],
    /** Columns for a row's place in the order. */
    keys: names,
    /** Those of them that are not columns of the list. */
    added: names.filter((name, at) => name === `key_${at}`),
  }
}

/** Finds the column with a key's value. A team's cursors hold texts, which are not a column. */
function columnNamed(store: StoreName, { columns }: AnyListing, key: string): string | undefined {
  if (store === 'team') return undefined
  return Object.entries(columns).find(([, sql]) => own(store, sql) === key)?.[0]
}

/** Returns the conditions of the fields that are given. Throws `unsupported` for one that the store cannot answer. */
function filtersOf(store: StoreName, filters: AnyFilters, input: object): Condition[] {
  const given = Object.entries(input) as [string, Value | boolean | undefined][]
  return given.flatMap(([field, raw]): Condition[] => {
    const filter = filters[field]
    if (filter === undefined || raw === undefined || raw === false) return []
    if (Array.isArray(raw) && raw.length === 0) return []
    const convert = typeof filter === 'string' ? undefined : filter.value
    const value = convert === undefined ? raw : convert(String(raw))
    if (value === undefined) return []
    const sql = typeof filter === 'string' ? filter : filter[store]
    if (sql === null) throw unsupported(store, field)
    // In brackets: an OR in one filter must not let rows past the other conditions.
    return [[`(${sql})`, ...(value === true ? [] : places(sql).map(() => value as Value))]]
  })
}

function unsupported(store: StoreName, field: string): AspyError {
  const whose = store === 'team' ? "a team's history" : 'a laptop'
  return new AspyError('unsupported', `${whose} cannot narrow this list by ${field}; leave it out`)
}

/** Returns the condition that only rows after the cursor's meet. Throws `bad_input`. */
function afterCursor(store: StoreName, order: readonly Key[], direction: string, cursor?: string): Condition[] {
  if (cursor === undefined) return []
  const isNumber = ([, type]: Key) => store === 'local' && type === 'number'
  const key = fromCursor(
    cursor,
    order.map((part) => (isNumber(part) ? 'number' : 'string')),
  )
  // The driver would round a time to milliseconds.
  const marks = order.map(([, type]) => (store === 'team' && type === 'time' ? '?::text::timestamptz' : '?'))
  const sign = direction === 'DESC' ? '<' : '>'
  return [[`(${order.map(([sql]) => sql).join(', ')}) ${sign} (${marks.join(', ')})`, ...key]]
}

const places = (sql: string): string[] => sql.match(/\?/g) ?? []

/** Expands a list to one placeholder per value in SQLite; PostgreSQL takes it as an array. */
function withPlaces(store: StoreName, sql: string, values: readonly Value[]): string {
  if (store === 'team' || !values.some((value) => Array.isArray(value))) return sql
  let at = 0
  return sql.replaceAll('?', () => {
    const value = values[at++]
    return Array.isArray(value) ? value.map(() => '?').join(', ') : '?'
  })
}

const own = <T extends string | Key | readonly Key[]>(store: StoreName, each: Each<T>): T =>
  typeof each === 'object' && 'local' in each ? each[store] : each
