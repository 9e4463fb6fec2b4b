import { AspyError } from '../../../shared/contract/errors.ts'

/** Error codes of SQLite and the system that mean the database cannot be written now; the recorder spools instead. */
const UNAVAILABLE =
  /^(SQLITE_(BUSY|LOCKED|FULL|READONLY|IOERR|CANTOPEN|CORRUPT|NOTADB|PERM|NOMEM|AUTH|PROTOCOL)|E(EXIST|ACCES|PERM|ROFS|NOSPC|IO|NOENT|NOTDIR|MFILE|NFILE|DQUOT))/

/** Converts an error that means the database cannot be used to an AspyError `store_unavailable`; returns others unchanged. */
export function asStoreError(error: unknown): unknown {
  if (error instanceof AspyError || !(error instanceof Error)) return error
  const code = 'code' in error ? String(error.code) : ''
  if (!UNAVAILABLE.test(code)) return error
  return new AspyError('store_unavailable', `the database cannot be used (${code}): ${error.message}`, { cause: error })
}

/** Returns SQLite's code of an error converted by `asStoreError`; '' if it is not SQLite's. */
export function sqliteCodeOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined
  return cause instanceof Error && 'code' in cause ? String(cause.code) : ''
}

/** Runs `work` and converts its errors with `asStoreError`. */
export function translated<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw asStoreError(error)
  }
}
