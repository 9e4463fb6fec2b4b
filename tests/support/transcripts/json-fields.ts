/** One line of a transcript: an object of which nothing is known yet. */
export type Fields = { readonly [name: string]: unknown }

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function fields(value: unknown): Fields {
  return isFields(value) ? value : {}
}

export function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** Returns a message's blocks; content that is a plain string counts as one text block. */
export function blocksOf(message: unknown): readonly Fields[] {
  const { content } = fields(message)
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return Array.isArray(content) ? content.filter(isFields) : []
}

/** Splits JSONL into its objects. A line that is cut short or is not an object is left out, as is a byte order mark. */
export function parseLines(jsonl: string): Fields[] {
  return jsonl
    .replace(/^\uFEFF/, '')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map(parseLine)
    .filter(isFields)
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
