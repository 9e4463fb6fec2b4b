import { closeSync, existsSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs'
import { gunzipSync, zstdDecompressSync } from 'node:zlib'
import { fileLines } from '../base/file-lines.ts'
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
  *lines(path) {
    try {
      if (/\.(?:zst|gz)$/.test(path)) yield* unpacked(path).split('\n')
      else for (const { text } of fileLines(path)) yield text
    } catch {
      // Gone, unreadable or damaged: the lines up to here are those that it has.
      return
    }
  },
}

/** A larger file is not unpacked only to be compared. */
const MAX_UNPACKED_BYTES = 512 * 1024 * 1024

const unpacked = (path: string): string =>
  (path.endsWith('.gz') ? gunzipSync : zstdDecompressSync)(readFileSync(path), {
    maxOutputLength: MAX_UNPACKED_BYTES,
  }).toString('utf8')
