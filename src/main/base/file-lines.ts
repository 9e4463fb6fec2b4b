import { closeSync, openSync, readSync } from 'node:fs'

const CHUNK_BYTES = 1024 * 1024
const NEWLINE = 0x0a

export interface FileLine {
  readonly text: string
  /** Offset of the byte after it. */
  readonly end: number
  /** False for the last one, if it does not end with a newline. */
  readonly isWhole: boolean
}

/** Reads the lines of a file after an offset, without holding more than one and a megabyte. */
export function* fileLines(path: string, from = 0): Generator<FileLine> {
  const file = openSync(path, 'r')
  try {
    const chunk = Buffer.alloc(CHUNK_BYTES)
    let pieces: Buffer[] = []
    let at = from
    for (let length = readSync(file, chunk, 0, chunk.length, at); length > 0;) {
      let start = 0
      for (let end = chunk.indexOf(NEWLINE); end !== -1 && end < length; end = chunk.indexOf(NEWLINE, start)) {
        const text = Buffer.concat([...pieces, chunk.subarray(start, end)]).toString()
        pieces = []
        start = end + 1
        yield { text, end: at + start, isWhole: true }
      }
      pieces.push(Buffer.from(chunk.subarray(start, length)))
      at += length
      length = readSync(file, chunk, 0, chunk.length, at)
    }
    const text = Buffer.concat(pieces).toString()
    if (text !== '') yield { text, end: at, isWhole: false }
  } finally {
    closeSync(file)
  }
}
