import { closeSync, existsSync, openSync, readdirSync, readSync } from 'node:fs'
import type { TranscriptDisk } from '../decode/client/transcript-client.ts'

/** The disk as clients may read it. */
export const nodeDisk: TranscriptDisk = {
  exists: existsSync,
  namesIn(folder) {
    try {
      return readdirSync(folder)
    } catch {
      // There is no such folder, or it is not readable.
      return []
    }
  },
  head(path, bytes) {
    try {
      const file = openSync(path, 'r')
      try {
        const head = Buffer.alloc(bytes)
        return head.toString('utf8', 0, readSync(file, head, 0, bytes, 0))
      } finally {
        closeSync(file)
      }
    } catch {
      // Gone or unreadable: it counts as a file that is not there.
      return null
    }
  },
}
