/** Text that comes after a string, but hardly at the beginning of one. */
const AFTER_STRING = /^(?:[\s+),:;\]}.%<|&]|\\+[nrt]|$)/

/**
 * True if a quote closes a string that began before the name, and so opens no value: `'the password: ' + x`,
 * `{"a":"token: ","b":1}`. `before` is the text up to the quote and `ahead` the text after it.
 */
export function closesString(quote: string, before: string, ahead: string): boolean {
  if (!AFTER_STRING.test(ahead)) return false
  const mark = quote.at(-1) ?? ''
  const line = before.slice(before.lastIndexOf('\n') + 1)
  const quotes = line.split(mark).slice(0, -1)
  return quotes.filter((part) => slashesAtEnd(part) === quote.length - 1).length % 2 === 1
}

const slashesAtEnd = (text: string) => text.length - text.replace(/\\+$/, '').length
