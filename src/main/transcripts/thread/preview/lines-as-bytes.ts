import type { FileHandle } from 'node:fs/promises'

const NEWLINE = 0x0a
/** A longer line is left for the import. */
const MAX_LINE_BYTES = 16 * 1024 * 1024

/** Reads the complete lines of a file, as much at a time as `buffer` holds; lines are valid until the next are requested. */
export async function* linesAsBytes(file: FileHandle, buffer: Buffer): AsyncGenerator<readonly Buffer[]> {
  let pieces: Buffer[] = []
  let held = 0
  for (let offset = 0; ;) {
    const { bytesRead } = await file.read(buffer, 0, buffer.length, offset)
    if (bytesRead === 0) return
    offset += bytesRead
    const chunk = buffer.subarray(0, bytesRead)
    const lines: Buffer[] = []
    let start = 0
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      const part = chunk.subarray(start, end)
      if (held + part.length <= MAX_LINE_BYTES) lines.push(held === 0 ? part : Buffer.concat([...pieces, part]))
      pieces = []
      held = 0
      start = end + 1
    }
    const rest = chunk.subarray(start)
    held += rest.length
    if (held > MAX_LINE_BYTES) pieces = []
    // A copy, because the next chunk overwrites this one.
    else if (rest.length > 0) pieces.push(Buffer.from(rest))
    yield lines
  }
}
