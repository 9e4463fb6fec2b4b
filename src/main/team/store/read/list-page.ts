import type { OperationName } from '../../../../shared/contract/index.ts'
import { badCursor, toCursor } from '../../../listings/cursor.ts'
import type { Listing } from '../../../listings/listing.ts'
import { pageQuery, whereOf, type AnyFilters, type Condition, type PageInput } from '../../../listings/page-query.ts'
import type { Owned, ReadContext } from './scope.ts'

/** Parameters of a page besides its list and input. */
interface Reading<Row> {
  /** The operation that the audit records with the members whose texts are read. */
  readonly operation: OperationName
  /** False for rows without texts of their own. */
  readonly hasText?: (row: Row) => boolean
  readonly conditions?: readonly Condition[]
}

type AnyRow = { readonly [column: string]: unknown }

/**
 * Reads one page of the rows that the caller may read, and records the reading. Moments are ISO strings, as in SQLite.
 */
export async function listPage<Row extends object>(
  context: ReadContext,
  listing: Listing<Row, OperationName>,
  input: PageInput,
  { operation, hasText = () => true, conditions = [] }: Reading<Row>,
): Promise<{ items: Row[]; next: string | null }> {
  const { sql, values, keys } = pageQuery('team', withOwner(listing), input, [
    ...visibleTo(context, listing),
    ...conditions,
  ])
  const rows = await run(context, numbered(sql), values, input.cursor)
  const shown = rows.slice(0, input.limit)
  const last = rows.length > input.limit ? shown.at(-1) : undefined
  const hidden = new Set([...keys, ...OWNER])
  const items = shown.map((row) => withMoments(without(row, hidden))) as Row[]
  const owners = shown.map((row) => ({ member_id: row['owner_member'], session_id: row['owner_session'] }) as Owned)
  const read = owners.filter((_, at) => items[at] !== undefined && hasText(items[at]))
  await context.note(operation, read)
  return { items, next: last === undefined ? null : toCursor(keys.map((key) => String(last[key]))) }
}

/** Returns `WHERE` with the conditions of the fields that are given, of rows that the caller may read, for SQL by hand. */
export function narrowed(
  context: ReadContext,
  owner: string,
  filters: AnyFilters,
  input: object,
  conditions: readonly Condition[] = [],
) {
  const { sql, values } = whereOf('team', filters, input, [...visibleTo(context, { owner }), ...conditions])
  const parts = sql.split('?')
  return context.sql(Object.assign([...parts], { raw: parts }), ...(values as string[]))
}

/** Runs the statement, which the connection prepares and keeps. Throws `bad_input` if the cursor's values have other types. */
async function run({ sql }: ReadContext, text: string, values: readonly unknown[], cursor: string | undefined) {
  try {
    return await sql.unsafe<AnyRow[]>(text, values as never[], { prepare: true })
  } catch (error) {
    // Class 22: data exceptions.
    const isData = error instanceof Error && 'code' in error && String(error.code).startsWith('22')
    throw isData && cursor !== undefined ? badCursor() : error
  }
}

/** Selects the owner of each row, for the audit. */
function withOwner<Row>(listing: Listing<Row, OperationName>) {
  const { owner, columns } = listing
  const whose = { owner_member: `${owner}.member_id`, owner_session: `${owner}.session_id` }
  return { ...listing, columns: { ...columns, ...whose } }
}

const OWNER = ['owner_member', 'owner_session']

const visibleTo = ({ caller }: ReadContext, { owner }: { readonly owner: string }): Condition[] =>
  caller.role === 'member' ? [[`(${owner}.member_id = ? OR ${owner}.shared)`, caller.memberId]] : []

/** Numbers the placeholders, as PostgreSQL names them. */
function numbered(sql: string): string {
  let count = 0
  return sql.replaceAll('?', () => `$${++count}`)
}

const without = (row: AnyRow, names: ReadonlySet<string>): AnyRow =>
  Object.fromEntries(Object.entries(row).filter(([name]) => !names.has(name)))

/** Returns a row with its moments as ISO strings, as SQLite has them. */
export function withMoments<Row extends object>(row: Row): Row {
  const entries = Object.entries(row).map(([name, value]) => [
    name,
    value instanceof Date ? value.toISOString() : value,
  ])
  return Object.fromEntries(entries) as Row
}
