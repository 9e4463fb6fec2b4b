import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'

/** A smaller program only starts another one, which may know the variable. */
const MIN_PROGRAM_BYTES = 5 * 1024 * 1024
/** Claude Code 2.1.330 has 380 MB. */
const MAX_BYTES = 2 * 1024 ** 3
const PIECE_BYTES = 4 * 1024 * 1024

/**
 * Returns whether a client's executable contains the name of an environment variable: one that does not ignores it. Returns
 * null if the file is too small to be the client itself, too large, or unreadable.
 */
export async function knowsVariable(path: string, name: string): Promise<boolean | null> {
  try {
    const { size } = await stat(path)
    if (size < MIN_PROGRAM_BYTES || size > MAX_BYTES) return null
    let end = Buffer.alloc(0)
    for await (const piece of createReadStream(path, { highWaterMark: PIECE_BYTES })) {
      const bytes = Buffer.concat([end, piece as Buffer])
      if (bytes.includes(name)) return true
      end = bytes.subarray(-name.length)
    }
    return false
  } catch {
    // The check for the client itself reports a program that cannot be read.
    return null
  }
}
