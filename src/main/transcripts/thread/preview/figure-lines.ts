import type { FileHandle } from 'node:fs/promises'

const CHUNK_BYTES = 4 * 1024 * 1024
const NEWLINE = 0x0a
/** A longer line is left for the import. */
const MAX_LINE_BYTES = 16 * 1024 * 1024
/** A line says what it is within its first bytes. */
const HEAD_BYTES = 900

/** A shorter line is read whole. */
const LONG_BYTES = 1500

const USER = Buffer.from('"type":"user"')
const ASSISTANT = Buffer.from('"type":"assistant"')
const TOOL_RESULT = Buffer.from('"type":"tool_result"')
const TEXT = Buffer.from('"type":"text"')
const SIDE_CHAIN = Buffer.from('"isSidechain":true')
const CONTENT = Buffer.from('"content":[')
const AFTER_CONTENT = Buffer.from('],"stop_reason"')

/**
 * Returns whether a line can hold figures, titles or prompts. Only the results of tools cannot; they are most of a
 * transcript's bytes. Quotes inside texts are escaped, so that no text looks like a field. In side chains, every line
 * leads to its agent.
 */
export function mayHoldFigures(line: Buffer): boolean {
  const head = line.subarray(0, HEAD_BYTES)
  const isResult = head.includes(TOOL_RESULT) && head.includes(USER) && !head.includes(SIDE_CHAIN)
  // A prompt may follow the results.
  return !isResult || line.includes(TEXT)
}

/** Returns a line as text. What the model wrote is left out of its long lines: their figures stand before and after it. */
export function figuresOf(line: Buffer): string {
  if (line.length >= LONG_BYTES) {
    const from = line.subarray(0, HEAD_BYTES).indexOf(CONTENT) + CONTENT.length
    const to = line.lastIndexOf(AFTER_CONTENT)
    if (from > CONTENT.length && to > from && line.subarray(0, HEAD_BYTES).includes(ASSISTANT)) {
      const text = line.toString('utf8', 0, from) + line.toString('utf8', to)
      if (isJson(text)) return text
    }
  }
  return line.toString('utf8')
}

/** A call's input may contain what looks like the end of the content. */
function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Reads the complete lines of a file, a chunk at a time; each line is valid until the next chunk is requested. */
export async function* linesAsBytes(file: FileHandle): AsyncGenerator<readonly Buffer[]> {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES)
  let pieces: Buffer[] = []
  let held = 0
  for (let offset = 0; ;) {
    const { bytesRead } = await file.read(buffer, 0, CHUNK_BYTES, offset)
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
