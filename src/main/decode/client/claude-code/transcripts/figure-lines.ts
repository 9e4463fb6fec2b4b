import { isJson } from '../../../json-access.ts'

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
 * Returns a line as text if it can hold figures, titles or prompts. Only the results of tools cannot; they are most of a
 * transcript's bytes. What the model wrote is left out of its long lines: their figures stand before and after it.
 */
export const figuresOf = (line: Buffer): string | null => (mayHoldFigures(line) ? figuresIn(line) : null)

/** Quotes inside texts are escaped, so that no text looks like a field. In side chains, every line leads to its agent. */
function mayHoldFigures(line: Buffer): boolean {
  const head = line.subarray(0, HEAD_BYTES)
  const isResult = head.includes(TOOL_RESULT) && head.includes(USER) && !head.includes(SIDE_CHAIN)
  // A prompt may follow the results.
  return !isResult || line.includes(TEXT)
}

function figuresIn(line: Buffer): string {
  if (line.length >= LONG_BYTES) {
    const from = line.subarray(0, HEAD_BYTES).indexOf(CONTENT) + CONTENT.length
    const to = line.lastIndexOf(AFTER_CONTENT)
    if (from > CONTENT.length && to > from && line.subarray(0, HEAD_BYTES).includes(ASSISTANT)) {
      const text = line.toString('utf8', 0, from) + line.toString('utf8', to)
      // A call's input may contain what looks like the end of the content.
      if (isJson(text)) return text
    }
  }
  return line.toString('utf8')
}
