import { closeSync, existsSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs'
import { gunzipSync, zstdDecompressSync } from 'node:zlib'
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
      else yield* linesOf(path)
    } catch {
      // Gone, unreadable or damaged: the lines up to here are those that it has.
      return
    }
  },
}

/** A larger file is not unpacked only to be compared. */
const MAX_UNPACKED_BYTES = 512 * 1024 * 1024
const CHUNK_BYTES = 1024 * 1024

const unpacked = (path: string): string =>
  (path.endsWith('.gz') ? gunzipSync : zstdDecompressSync)(readFileSync(path), {
    maxOutputLength: MAX_UNPACKED_BYTES,
  }).toString('utf8')

function* linesOf(path: string): Generator<string> {
  const file = openSync(path, 'r')
  try {
    const chunk = Buffer.alloc(CHUNK_BYTES)
    let pieces: Buffer[] = []
    for (let read = readSync(file, chunk); read > 0; read = readSync(file, chunk)) {
      let start = 0
      for (let end = chunk.indexOf('\n'); end >= 0 && end < read; end = chunk.indexOf('\n', start)) {
        yield Buffer.concat([...pieces, chunk.subarray(start, end)]).toString('utf8')
        pieces = []
        start = end + 1
      }
      pieces.push(Buffer.from(chunk.subarray(start, read)))
    }
    yield Buffer.concat(pieces).toString('utf8')
  } finally {
    closeSync(file)
  }
}
