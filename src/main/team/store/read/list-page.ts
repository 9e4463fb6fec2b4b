import type { OperationName } from '../../../../shared/contract/index.ts'
import { badCursor, toCursor } from '../../../listings/cursor.ts'
import type { Listing } from '../../../listings/listing.ts'
import { pageQuery, type Condition, type PageInput } from '../../../listings/page-query.ts'
import type { Owned, ReadContext } from './scope.ts'

/** A page of rows with their owners, whose texts the caller is about to read. */
interface TeamPage<Row> {
  readonly rows: readonly (Row & Owned)[]
  readonly next: string | null
}

type AnyRow = { readonly [column: string]: unknown }

/** Reads one page of a list, of the rows that the caller may read. Moments are ISO strings, as in SQLite. */
export async function listPage<Row extends object>(
  context: ReadContext,
  listing: Listing<Row, OperationName>,
  input: PageInput,
  conditions: readonly Condition[] = [],
): Promise<TeamPage<Row>> {
  const { sql, values, keys } = pageQuery('team', withOwner(listing), input, [
    ...visibleTo(context, listing),
    ...conditions,
  ])
  const rows = await read(context, numbered(sql), values, input.cursor)
  const shown = rows.slice(0, input.limit)
  const last = rows.length > input.limit ? shown.at(-1) : undefined
  return {
    rows: shown.map((row) => toRow(row, keys)) as (Row & Owned)[],
    next: last === undefined ? null : toCursor(keys.map((key) => String(last[key]))),
  }
}

/** Runs the statement, which the connection prepares and keeps. Throws `bad_input` if the cursor's values have other types. */
async function read({ sql }: ReadContext, text: string, values: readonly unknown[], cursor: string | undefined) {
  try {
    return await sql.unsafe<AnyRow[]>(text, values as never[], { prepare: true })
  } catch (error) {
    // Class 22: data exceptions.
    const isData = error instanceof Error && 'code' in error && String(error.code).startsWith('22')
    throw isData && cursor !== undefined ? badCursor() : error
  }
}

/** Selects whose each row is, which the note of a reading needs. */
function withOwner<Row>(listing: Listing<Row, OperationName>) {
  const { owner, columns } = listing
  return { ...listing, columns: { ...columns, member_id: `${owner}.member_id`, owner_session: `${owner}.session_id` } }
}

const visibleTo = ({ caller }: ReadContext, { owner }: { readonly owner: string }): Condition[] =>
  caller.role === 'member' ? [[`(${owner}.member_id = ? OR ${owner}.shared)`, caller.memberId]] : []

/** Numbers the places of values, as PostgreSQL names them. */
function numbered(sql: string): string {
  let count = 0
  return sql.replaceAll('?', () => `$${++count}`)
}

function toRow(found: AnyRow, keys: readonly string[]): AnyRow {
  const { owner_session, ...columns } = found
  const shown = Object.fromEntries(Object.entries(columns).filter(([name]) => !keys.includes(name)))
  return { session_id: owner_session, ...withMoments(shown) }
}

/** Returns a row with its moments as ISO strings, as SQLite has them. */
export function withMoments<Row extends object>(row: Row): Row {
  const entries = Object.entries(row).map(([name, value]) => [
    name,
    value instanceof Date ? value.toISOString() : value,
  ])
  return Object.fromEntries(entries) as Row
}
