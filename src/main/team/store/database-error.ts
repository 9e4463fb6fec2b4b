import { AspyError } from '../../../shared/contract/errors.ts'

const NETWORK = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'ENOENT', 'EHOSTUNREACH', 'ETIMEDOUT', 'EPIPE'])

/**
 * Translates an error of the driver into one for people, without quoting data: `store_unavailable` if the database is
 * away, full, read-only or refuses the role, `busy` if it is overloaded. Other errors are returned as they are.
 */
export function toTeamError(error: unknown): unknown {
  if (error instanceof AspyError || !(error instanceof Error) || !('code' in error)) return error
  const code = String(error.code)
  const unavailable = (message: string) => new AspyError('store_unavailable', message, { cause: error })
  if (NETWORK.has(code) || code.startsWith('CONNECT') || code.startsWith('08') || code.startsWith('57P'))
    return unavailable(`the team's database does not answer (${code}); check that PostgreSQL runs`)
  if (code === 'CONNECTION_CLOSED' || code === 'CONNECTION_ENDED' || code === 'CONNECTION_DESTROYED')
    return unavailable("the connection to the team's database was lost; try again")
  if (code === '53100')
    return unavailable("the disk of the team's database is full; free space there. Nothing was lost")
  if (code.startsWith('53')) return new AspyError('busy', "the team's database has no free connection; try again")
  if (code === '25006') return unavailable("the team's database is read-only; give the address of the primary")
  if (code === '42501')
    return unavailable('the database role lacks rights; run aspy team init --server-role ROLE as the owner')
  if (code === '28P01' || code === '28000') return unavailable('the database refuses this user or password')
  if (code === '3D000') return unavailable('the database does not exist; create it with createdb')
  if (code === '42P01' || code === '42703' || code === '42883')
    return unavailable('the team store is incomplete or of another version; run aspy team init or aspy team upgrade')
  if (code === '57014') return new AspyError('busy', 'the database took too long; narrow the request or try again')
  if (code === '40001' || code === '40P01') return new AspyError('busy', 'the database is busy; try again')
  return error
}

/** Runs work on the database and translates its errors. */
export async function onDatabase<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw toTeamError(error)
  }
}
