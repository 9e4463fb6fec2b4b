import { AspyError } from '../../../../shared/contract/errors.ts'
import { openDatabase, type Sql } from '../../../team/store/connection.ts'
import { toTeamError } from '../../../team/store/database-error.ts'

/** Returns the address of the team's database from the flag or ASPY_TEAM_DATABASE. Throws `bad_input`. */
export function databaseUrl(flag: string | undefined): string {
  const url = flag ?? process.env['ASPY_TEAM_DATABASE'] ?? ''
  if (url === '')
    throw new AspyError('bad_input', 'name the database with --database postgres://… or ASPY_TEAM_DATABASE')
  return url
}

/** Runs work on the team's database for one command, and closes its connections. */
export async function withDatabase<T>(flag: string | undefined, work: (sql: Sql) => Promise<T>): Promise<T> {
  const sql = openDatabase(databaseUrl(flag), 2)
  try {
    return await work(sql)
  } catch (error) {
    throw toTeamError(error)
  } finally {
    await sql.end({ timeout: 1 })
  }
}
