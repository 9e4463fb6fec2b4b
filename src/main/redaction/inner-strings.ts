import { viewOf, type EscapedView } from './escaped-view.ts'

/** A string that a text holds in quotes, decoded. */
export interface InnerString {
  readonly start: number
  readonly view: EscapedView
}

/** What only rules by line find: a head of a table, a file of cookies, a command that prints a secret, a list of codes. */
const TELLING =
  /(?:^|\\n)(?:[\w |│┃*`.,;-]|\\[t"]){0,120}(?:pass|pwd|secret|token|key|pat|cred)\w{0,12}(?:[ `*]|\\"){0,6}(?:[|│┃,;]|\\[nrt])|TRUE\\t|codes|(?:^|\\n|[$#%>❯] )(?:sudo )?(?:op|r?bw|g?opass|pass|vault|openssl|security|gcloud|aws|az|kubectl|oc|gh|glab|cat|echo|printenv|heroku|terraform|lpass|wg|pwgen|mkpasswd|doppler|argocd|keyring) /i
/** A quote, and what is before one that opens a string. */
const QUOTE = /["']/g
const OPENS = /[\s:=,([{]/
const FIELDS = ['":"', '": "', "': '"]
const ESCAPE = /\\(["'\\/nrt])/g
const LETTERS: { readonly [letter: string]: string } = { n: '\n', r: '\r', t: '\t' }
const decoded = ([, letter = '']: RegExpMatchArray): string => LETTERS[letter] ?? letter
const SHORTEST = 24

/** Returns the strings of a text that have lines or columns of their own, so that rules by line see them: of JSON, mostly. */
export function innerStrings(text: string): InnerString[] {
  const found: InnerString[] = []
  if (!FIELDS.some((field) => text.includes(field)) && !/^\[?["']/.test(text)) return found
  let line = text.indexOf('\\n')
  let tab = text.indexOf('\\t')
  while (line >= 0 || tab >= 0) {
    const hit = line < 0 || (tab >= 0 && tab < line) ? tab : line
    const stop = text.indexOf('\n', hit)
    const end = stop < 0 ? text.length : stop
    const from = text.lastIndexOf('\n', hit) + 1
    const own = text.slice(from, end)
    // Programs rarely put the names of fields in quotes.
    if (FIELDS.some((field) => own.includes(field)) || /^\[?["']/.test(own)) readLine(own, from, found)
    if (line >= 0 && line < end) line = text.indexOf('\\n', end)
    if (tab >= 0 && tab < end) tab = text.indexOf('\\t', end)
  }
  return found
}

function readLine(line: string, from: number, found: InnerString[]): void {
  // A quote that nothing closes is one of its kind.
  let unclosed = ''
  QUOTE.lastIndex = 0
  for (let hit = QUOTE.exec(line); hit !== null; hit = QUOTE.exec(line)) {
    const start = hit.index + 1
    const [quote] = hit
    if (unclosed.includes(quote) || (start > 1 && !OPENS.test(line[start - 2] ?? ''))) continue
    const close = closing(line, start, quote)
    if (close < 0) unclosed += quote
    else {
      const inner = close - start < SHORTEST ? '' : line.slice(start, close)
      if (inner.includes('\\') && TELLING.test(inner))
        found.push({ start: from + start, view: viewOf(inner, ESCAPE, decoded) })
      QUOTE.lastIndex = close + 1
    }
  }
}

function closing(text: string, from: number, quote: string): number {
  let at = text.indexOf(quote, from)
  for (; at > 0; at = text.indexOf(quote, at + 1)) {
    let slashes = 0
    while (at - slashes > from && text[at - slashes - 1] === '\\') slashes += 1
    if (slashes % 2 === 0) break
  }
  return at
}
