import { accessSync } from 'node:fs'
import { statOf } from './stat-of.ts'

/** True if this user may read, write or run a file, by `R_OK`, `W_OK` and `X_OK` of `fs.constants`. Links are followed. */
export function mayAccess(path: string, mode: number): boolean {
  if (statOf(path)?.isFile() !== true) return false
  try {
    accessSync(path, mode)
    return true
  } catch {
    // A refusal is the answer.
    return false
  }
}
