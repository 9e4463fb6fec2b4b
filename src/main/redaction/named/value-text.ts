/** A value as it is written after a name, in positions of the text it was read from. */
export interface ValueText {
  readonly start: number
  readonly end: number
  /** The quote before it, with its backslashes; empty for none. */
  readonly quote: string
  /** Where the value's notation ends: after the closing quote. */
  readonly after: number
}

/** Longest value. Bounds how much text a stream holds back. */
export const LONGEST_VALUE = 1024

const QUOTE = /(?:[rbfuLR@$]{0,2})(\\{0,31}(?:"""|'''|["'`]))/y
/** A line break, raw or escaped at any depth. */
const BREAK = /[\r\n]|\\+[nr](?![A-Za-z]:)/

/** Reads the value at `from`. `stop` ends an unquoted value. Returns null if there is none. */
export function readValue(text: string, from: number, stop: RegExp): ValueText | null {
  QUOTE.lastIndex = from
  const quote = QUOTE.exec(text)?.[1]
  if (quote !== undefined) {
    const start = QUOTE.lastIndex
    const end = closingQuote(text, start, quote)
    if (end >= 0) return end > start ? { start, end, quote, after: end + quote.length } : null
    // Cut off before its end: up to the next space or line.
    const rest = unquotedEnd(text, start, /[\s"'`<>]|\\+["'nrt]/)
    return rest > start ? { start, end: rest, quote, after: rest } : null
  }
  const end = unquotedEnd(text, from, stop)
  return end > from ? { start: from, end, quote: '', after: end } : null
}

/** Returns the position of the closing quote, or -1 if there is none in time or on the line. */
function closingQuote(text: string, from: number, quote: string): number {
  const mark = quote.at(-1) ?? '"'
  const isTriple = /(?:"""|''')$/.test(quote)
  const slashes = quote.length - (isTriple ? 3 : 1)
  const to = Math.min(text.length, from + LONGEST_VALUE)
  let run = 0
  for (let at = from; at < to; at += 1) {
    const letter = text[at] ?? ''
    if (letter === '\\') run += 1
    else {
      const isOurs = slashes === 0 ? run % 2 === 0 : run === slashes
      if (letter === mark && isOurs && (!isTriple || text.startsWith(mark.repeat(3), at))) return at - slashes
      if (!isTriple && mark !== '`' && (letter === '\n' || letter === '\r')) return -1
      run = 0
    }
  }
  return -1
}

function unquotedEnd(text: string, from: number, stop: RegExp): number {
  const part = text.slice(from, from + LONGEST_VALUE)
  const end = part.search(stop)
  return from + (end < 0 ? part.length : end)
}

/** Returns the rest of the line from `from`, without its line break. */
export function restOfLine(text: string, from: number): string {
  const part = text.slice(from, from + 200)
  const end = part.search(BREAK)
  return end < 0 ? part : part.slice(0, end)
}
