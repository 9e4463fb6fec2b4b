import { open } from 'node:fs/promises'

const CHUNK_BYTES = 1024 * 1024
const NEWLINE = 0x0a
const BYTE_ORDER_MARK = /^\uFEFF/

/** The lines of one chunk of a file. */
export interface LineBatch {
  /** Without their ends (LF or CRLF); empty lines are left out. */
  readonly lines: readonly string[]
  /** Lines that were longer than allowed, and skipped. */
  readonly skipped: number
  /** Bytes of the file read so far. */
  readonly offset: number
}

export interface ReadLinesOptions {
  /** A longer line is skipped and counted, so that memory stays bounded. */
  readonly maxLineBytes?: number
  readonly chunkBytes?: number
}

/**
 * Reads a file line by line, a chunk at a time: memory is bounded by the longest allowed line. A last line without its
 * end comes too; whoever cannot parse it knows that it was cut.
 */
export async function* readLines(path: string, options: ReadLinesOptions = {}): AsyncGenerator<LineBatch> {
  const { maxLineBytes = 64 * 1024 * 1024, chunkBytes = CHUNK_BYTES } = options
  const file = await open(path, 'r')
  try {
    let pieces: Buffer[] = []
    let held = 0
    let offset = 0
    let isFirst = true
    const take = (rest: Buffer): string | null => {
      const tooLong = held + rest.length > maxLineBytes
      const text = tooLong ? null : textOf([...pieces, rest], isFirst)
      pieces = []
      held = 0
      isFirst = false
      return text
    }
    for (;;) {
      const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(chunkBytes), 0, chunkBytes, null)
      if (bytesRead === 0) break
      offset += bytesRead
      const chunk = buffer.subarray(0, bytesRead)
      const lines: string[] = []
      let skipped = 0
      let start = 0
      for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
        const line = take(chunk.subarray(start, end))
        if (line === null) skipped += 1
        else if (line !== '') lines.push(line)
        start = end + 1
      }
      const rest = chunk.subarray(start)
      held += rest.length
      // Past the bound only the length is kept: the line is skipped whole at its end.
      if (held > maxLineBytes) pieces = []
      else if (rest.length > 0) pieces.push(rest)
      yield { lines, skipped, offset }
    }
    if (held > 0) {
      const last = take(Buffer.alloc(0))
      yield { lines: last ? [last] : [], skipped: last === null ? 1 : 0, offset }
    }
  } finally {
    await file.close()
  }
}

function textOf(pieces: readonly Buffer[], isFirst: boolean): string {
  const [only] = pieces
  const bytes = pieces.length === 1 && only ? only : Buffer.concat(pieces)
  const text = bytes.toString('utf8')
  const whole = text.endsWith('\r') ? text.slice(0, -1) : text
  return isFirst ? whole.replace(BYTE_ORDER_MARK, '') : whole
}
