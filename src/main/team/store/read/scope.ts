import { AspyError } from '../../../../shared/contract/errors.ts'
import type { OperationName, OperationOutput, ParsedInput } from '../../../../shared/contract/index.ts'
import type { Caller } from '../callers.ts'
import type { Sql } from '../connection.ts'

/** Context of reading handlers: the database and the caller. */
export interface ReadContext {
  readonly sql: Sql
  readonly caller: Caller
  /** Records that texts of others are in the answer, which waits for it. */
  note(operation: string, rows: readonly Owned[]): Promise<void>
}

/** Answers an operation from a team's history. */
export type TeamHandler<Name extends OperationName> = (
  context: ReadContext,
  input: ParsedInput<Name>,
) => Promise<OperationOutput<Name>>

/** A row whose owner is known. */
export interface Owned {
  readonly member_id: number
  readonly session_id: string
}

/**
 * Returns the SQL condition that selects the rows that the caller may read. `alias` is the table with member_id and
 * shared.
 */
export function visible({ sql, caller }: Pick<ReadContext, 'sql' | 'caller'>, alias: string) {
  if (caller.role !== 'member') return sql`TRUE`
  return sql`(${sql(alias)}.member_id = ${caller.memberId} OR ${sql(alias)}.shared)`
}

/** Limits an answer to a time and a project. */
export interface Range {
  readonly since?: string | undefined
  readonly until?: string | undefined
  readonly project?: string | undefined
}

/** Returns the SQL condition of rows in a range. `time` is the column of their time, such as `e.ts`. */
export function inRange({ sql }: Pick<ReadContext, 'sql'>, time: string, { since, until, project }: Range) {
  const [alias = ''] = time.split('.')
  return sql`${since === undefined ? sql`TRUE` : sql`${sql(time)} >= ${since}`}
    AND ${until === undefined ? sql`TRUE` : sql`${sql(time)} < ${until}`}
    AND ${project === undefined ? sql`TRUE` : sql`${sql(alias)}.project = ${project}`}`
}

/** A session found by its id: among those that the caller may read, that of the member who sent it first. */
export interface FoundSession {
  readonly member_id: number
  readonly session_key: string
  readonly level: 'metadata' | 'full'
}

/** Finds a session. Throws `not_found`, also for those that the caller may not read. */
export async function findSession(context: ReadContext, id: string): Promise<FoundSession> {
  const { sql } = context
  const [found] = await sql<FoundSession[]>`SELECT s.member_id, s.session_key, s.level FROM sessions s
    WHERE s.session_id = ${id} AND ${visible(context, 's')}
    ORDER BY (s.member_id = ${context.caller.memberId}) DESC, s.first_seen_at, s.member_id LIMIT 1`
  if (found === undefined) throw new AspyError('not_found', `the team's history has no session ${id} that you may read`)
  return found
}

/** Returns the error for data that a team's store does not have. */
export function unsupported(what: string): AspyError {
  return new AspyError(
    'unsupported',
    `a team's history cannot answer this: ${what}. Look on the laptop that recorded it`,
  )
}
