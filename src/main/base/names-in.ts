import { readdirSync } from 'node:fs'
import { errorCode } from '../../shared/error-text.ts'

/** Returns the names in a folder; none if there is no such folder. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return []
    throw error
  }
}
