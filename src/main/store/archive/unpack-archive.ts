import { closeSync, openSync, readSync, statSync, writeSync } from 'node:fs'
import { zstdDecompressSync } from 'node:zlib'

/** Bytes read at once; a frame is far smaller. */
const WINDOW_BYTES = 64 * 1024 * 1024

/** Writes an archive's lines to a file (0600) without a database: the archive may be foreign, or have outlived its own. */
export function unpackArchive(path: string, to: string): void {
  const bytes = statSync(path).size
  const [from, plain] = [openSync(path, 'r'), openSync(to, 'w', 0o600)]
  try {
    const window = Buffer.alloc(Math.min(bytes, WINDOW_BYTES))
    for (let at = 0; at < bytes;) {
      const length = readSync(from, window, 0, window.length, at)
      const isLast = at + length === bytes
      let used = 0
      // The end of a window may cut its last frame: the next window starts with that frame.
      while (isLast ? used < length : length - used > WINDOW_BYTES / 2) {
        const { text, taken } = unpackFrame(window.subarray(used, length))
        writeSync(plain, text)
        used += taken
      }
      at += used
    }
  } finally {
    closeSync(from)
    closeSync(plain)
  }
}

/** Decompresses the first frame of a buffer and returns how many bytes it takes. */
function unpackFrame(bytes: Buffer): { readonly text: Buffer; readonly taken: number } {
  const { buffer, engine } = zstdDecompressSync(bytes, { info: true }) as unknown as {
    readonly buffer: Buffer
    readonly engine: { readonly bytesWritten: number }
  }
  return { text: buffer, taken: engine.bytesWritten }
}
