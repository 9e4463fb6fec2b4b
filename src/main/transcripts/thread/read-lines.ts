import type { FileHandle } from 'node:fs/promises'

const CHUNK_BYTES = 1024 * 1024
const NEWLINE = 0x0a
const BYTE_ORDER_MARK = /^\uFEFF/

/** A whole line of a file, without its end (LF or CRLF). */
export interface Line {
  /** null if it was longer than allowed and skipped. */
  readonly text: string | null
  /** Start of the next line, in bytes. */
  readonly end: number
}

/** The lines of one chunk of a file; empty lines are left out. */
export interface LineBatch {
  readonly lines: readonly Line[]
  /** Bytes of the file read so far. */
  readonly offset: number
  /** In the last batch: the text after the last line's end, of a line that was cut or is being written. */
  readonly rest: string
}

export interface ReadLinesOptions {
  /** Start position in bytes; must be the beginning of a line. */
  readonly from?: number
  /** A longer line is skipped and counted, so that memory stays bounded. */
  readonly maxLineBytes?: number
  readonly chunkBytes?: number
}

/** Reads a file line by line, a chunk at a time: memory is bounded by the longest allowed line. */
export const readLines = (file: FileHandle, options: ReadLinesOptions = {}): AsyncGenerator<LineBatch> =>
  splitLines(chunksOf(file, options), options)

/** Reads the chunks of a file; each is valid until the next is requested. */
export async function* chunksOf(
  file: FileHandle,
  { from = 0, chunkBytes = CHUNK_BYTES }: ReadLinesOptions = {},
): AsyncGenerator<Buffer> {
  const buffer = Buffer.allocUnsafe(chunkBytes)
  for (let offset = from; ;) {
    const { bytesRead } = await file.read(buffer, 0, chunkBytes, offset)
    if (bytesRead === 0) return
    offset += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}

/** Splits chunks into lines. `from`: where the first chunk begins, for the positions. */
export async function* splitLines(
  chunks: AsyncIterable<Buffer>,
  options: Omit<ReadLinesOptions, 'chunkBytes'> = {},
): AsyncGenerator<LineBatch> {
  const { from = 0, maxLineBytes = 64 * 1024 * 1024 } = options
  let pieces: Buffer[] = []
  let held = 0
  let offset = from
  const take = (end: Buffer, isFirst: boolean): string | null => {
    const text = held + end.length > maxLineBytes ? null : textOf([...pieces, end], isFirst)
    pieces = []
    held = 0
    return text
  }
  for await (const chunk of chunks) {
    const lines: Line[] = []
    let start = 0
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      const isFirst = offset + start - held === 0
      const text = take(chunk.subarray(start, end), isFirst)
      if (text !== '') lines.push({ text, end: offset + end + 1 })
      start = end + 1
    }
    const rest = chunk.subarray(start)
    held += rest.length
    // Beyond the limit, only the length is kept: the line is skipped at its end.
    if (held > maxLineBytes) pieces = []
    // A copy, because the next chunk may overwrite this one.
    else if (rest.length > 0) pieces.push(Buffer.from(rest))
    offset += chunk.length
    yield { lines, offset, rest: '' }
  }
  if (held > 0) yield { lines: [], offset, rest: take(Buffer.alloc(0), offset === held) ?? '' }
}

function textOf(pieces: readonly Buffer[], isFirst: boolean): string {
  const [only] = pieces
  const bytes = pieces.length === 1 && only ? only : Buffer.concat(pieces)
  const text = bytes.toString('utf8')
  const whole = text.endsWith('\r') ? text.slice(0, -1) : text
  return isFirst ? whole.replace(BYTE_ORDER_MARK, '') : whole
}
