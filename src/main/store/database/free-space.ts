import { statfsSync } from 'node:fs'
import { dirname } from 'node:path'

/** With less free space, the WAL is kept short: what is only in it takes its space twice. */
const LOW_BYTES = 64 * 1024 * 1024

/** Returns true if the disk of a file is nearly full; false if that cannot be known. */
export function isSpaceLow(path: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(dirname(path))
    return bavail * bsize < LOW_BYTES
  } catch {
    return false
  }
}
