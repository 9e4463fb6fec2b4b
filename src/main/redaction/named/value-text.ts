/** A value as it is written after a name, in positions of the text it was read from. */
export interface ValueText {
  readonly start: number
  readonly end: number
  /** The quote before it, with its backslashes; empty for none. */
  readonly quote: string
  /** End of the value's notation: after the closing quote. */
  readonly after: number
}

/** Maximum length of a value. Bounds how much text a stream holds back. */
export const LONGEST_VALUE = 1024

/** Characters that end an unquoted value. */
export const STOP_QUERY = /[\s"'`<>&#;\\)\]}]|,\s/
export const STOP_WORD = /[\s"'`<>;,)\]}|]|&(?=[\w.[\]%-]{1,40}=|[&\s"'`]|$)|\\+["'`nrt]/
/** In a connection string, whose fields a semicolon ends. */
export const STOP_FIELD = /[\s"'`<>;]|\\+["'`nrt]/
export const STOP_BRACKET = /[\s"'`<>;)]|\\+["'`nrt]/
/** After a colon, where neither a query nor a shell can be. */
export const STOP_PLAIN = /[\s"'`<>;,)\]}]|&(?=[\w.[\]%-]{1,40}=)|\\+["'`nrt]/
export const STOP_LINE = /[\s"'`<>]|\\+["'`nrt]/

const QUOTE = /(?:[rbfuLNR@$]{0,2})(\\{0,31}(?:"""|'''|["'`]))/y
/**
 * The end of one string and the start of the next, in JSON, Python or JavaScript, within a value in different quotes.
 */
const JUNCTIONS = { '"': /^'\s?[,:]\s?'/, "'": /^"\s?[,:]\s?["\d{[tfn]|^"\}/, '`': /^(["'])\s?[,:]\s?\1/ }
/** Characters that end a command. */
const OPERATOR = /;|&&|\|/
/** A line break, raw or escaped at any depth. */
const BREAK = /[\r\n]|\\+[nr](?![A-Za-z]:)/

const OPEN = /^\\*["'`]?[ \t]{0,4}[:=][ \t]{0,4}\\*["'`]\\[^\r\n"'`]*$/

/** True after a name whose string is still open and begins with an escape. */
export const isOpen = (ahead: string): boolean => ahead.length < LONGEST_VALUE && OPEN.test(ahead)

/** What brackets of Perl hold. */
const BRACKETS =
  /^qq?(?:\{([^{}\n]{3,200})\}|\[((?=\D{0,60}\d)[^[\]\n]{6,200})\]|\(((?=\D{0,60}\d)[^()\n]{6,200})\)|\|([^|\n]{3,200})\|)/

/** A value of ODBC: `Pwd={…};`; not a name, an object or a call. */
const BRACED = /^\{(?=[^}]*[\d !;@#$%^])((?:[^{}\n"'`:(]|\}\}){3,200})\}(?=;|["'`]|$)/

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
  const opened = text[from] === 'q' ? BRACKETS : text[from] === '{' && text[from - 1] === '=' ? BRACED : null
  const held = opened?.exec(text.slice(from, from + 210)) ?? null
  if (held !== null) {
    const end = from + held[0].length
    return { start: from + held[0].search(/\W/) + 1, end: end - 1, quote: "'", after: end }
  }
  const end = unquotedEnd(text, from, stop)
  return end > from ? { start: from, end, quote: '', after: end } : null
}

/** Reads a value that ends with its word, or with its line if nothing but the value is left on it: `password: a1,b2;c3`. */
export function readWord(text: string, from: number, isLine: boolean, stop = STOP_WORD): ValueText | null {
  const word = readValue(text, from, stop)
  if (!isLine || word === null || word.quote !== '') return word
  const whole = readLineValue(text, from, false)
  if (whole === null || whole.end <= word.end || !/^\s*(?:$|[\r\n"'`\\]|#\s)/.test(text.slice(whole.end))) return word
  return /[=:()[\]{}]/.test(text.slice(word.end, whole.end)) ? word : whole
}

/**
 * Reads the value of a line that holds nothing else: up to a space, so it may contain commas and semicolons. In a
 * command, an operator ends it: `KEY=value; next`.
 */
export function readLineValue(text: string, from: number, isCommand: boolean): ValueText | null {
  const value = readValue(text, from, STOP_LINE)
  if (value === null || value.quote !== '') return value
  const word = text.slice(from, value.end)
  const isFollowed = /^[ \t]+[^\s#"'`\\]/.test(text.slice(value.end, value.end + 8))
  // The next variable of a list: `--set-env-vars "KEY=value,MODE=fast"`.
  const own = (isCommand || isFollowed ? (word.split(OPERATOR, 1)[0] ?? '') : word).replace(/,[A-Z][A-Z\d_]*=.*$/, '')
  const closers = own.includes('(') ? /[;,]+$/ : /[;,)]+$/
  const end = from + own.replace(closers, '').length
  return end > from ? { start: from, end, quote: '', after: end } : null
}

/** Returns the position of the closing quote, or -1 if there is none within the limit or on the line. */
function closingQuote(text: string, from: number, quote: string): number {
  const mark = quote.at(-1) ?? '"'
  const isTriple = /(?:"""|''')$/.test(quote)
  const slashes = quote.length - (isTriple ? 3 : 1)
  const to = Math.min(text.length, from + LONGEST_VALUE)
  const junction = mark === '"' || mark === "'" ? JUNCTIONS[mark] : JUNCTIONS['`']
  let run = 0
  for (let at = from; at < to; at += 1) {
    const letter = text[at] ?? ''
    if (letter === '\\') run += 1
    else {
      const isOurs = slashes === 0 ? run % 2 === 0 : run === slashes
      const isWhole = isTriple ? text.startsWith(mark.repeat(3), at) : !isApostrophe(text, at)
      // YAML and SQL double it.
      const isDoubled =
        mark === "'" && !isTriple && slashes === 0 && text[at + 1] === mark && /[\w ]/.test(text[at + 2] ?? '')
      if (letter === mark && isOurs && isDoubled) at += 1
      else if (letter === mark && isOurs && isWhole) return at - slashes
      if (!isTriple && mark !== '`' && (letter === '\n' || letter === '\r')) return -1
      if (!isTriple && (letter === '"' || letter === "'") && junction.test(text.slice(at, at + 5))) return -1
      run = 0
    }
  }
  return -1
}

const isApostrophe = (text: string, at: number) => text[at] === "'" && /[a-z]/.test(text[at + 1] ?? '')

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
