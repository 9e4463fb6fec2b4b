/** Returns the message of a thrown value. */
export const errorMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Returns the code of an error of Node or SQLite, such as `ENOENT`; null if it has none. */
export const errorCode = (error: unknown): string | null =>
  error instanceof Error && 'code' in error ? String(error.code) : null

/** Returns what a function returns; null if it throws an error of this class. */
export function nullIf<T>(expected: new (...parts: never[]) => Error, work: () => T): T | null {
  try {
    return work()
  } catch (error) {
    if (error instanceof expected) return null
    throw error
  }
}
