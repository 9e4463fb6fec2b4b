import { charClass } from './char-class.ts'
import { viewOf, type EscapedView } from './escaped-view.ts'

/** A string that a text holds in quotes, decoded. */
export interface InnerString {
  readonly start: number
  readonly view: EscapedView
}

/** What only rules by line find: a head of a table, a file of cookies, a command that prints a secret, a list of codes. */
const TELLING =
  /(?:^|\\n)(?:[\w |│┃*`.,;-]|\\[t"]){0,120}(?:pass|pwd|secret|token|key|pat(?!h)|cred)\w{0,12}(?:[ `*]|\\"){0,6}(?:[|│┃,;]|\\[nrt])|TRUE\\t|codes|(?:secret|credential|password|token)s:\\n|from stdin|(?:^|\\n|[$#%>❯] )(?:sudo )?(?:op|r?bw|g?opass|pass|vault|openssl|security|gcloud|aws|az|kubectl|oc|gh|glab|cat|echo|printenv|heroku|terraform|lpass|wg|pwgen|mkpasswd|doppler|argocd|keyring) /i
/** What is before a quote that opens a string. */
const OPENS = charClass(' \t\r\n\f\u00a0:=,([{')
const FIELDS = ['":"', '": "', "': '"]
const ESCAPE = /\\(["'\\/nrt])/g
const LETTERS: { readonly [letter: string]: string } = { n: '\n', r: '\r', t: '\t' }
const decoded = ([, letter = '']: RegExpMatchArray): string => LETTERS[letter] ?? letter
const SHORTEST = 24

/** Returns the strings of a text that have lines or columns of their own, so that rules by line see them: of JSON, mostly. */
export function innerStrings(text: string): InnerString[] {
  const found: InnerString[] = []
  if (text.length < SHORTEST || !text.includes('\\')) return found
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
  // Where each kind of quote is next; a quote that nothing closes is the last of its kind.
  let double = line.indexOf('"')
  let single = line.indexOf("'")
  while (double >= 0 || single >= 0) {
    const isDouble = single < 0 || (double >= 0 && double < single)
    const at = isDouble ? double : single
    const quote = isDouble ? '"' : "'"
    let next = at + 1
    if (at === 0 || OPENS.has(line.charCodeAt(at - 1))) {
      const close = closing(line, at + 1, quote)
      const inner = close - at - 1 < SHORTEST ? '' : line.slice(at + 1, close)
      if (inner.includes('\\') && TELLING.test(inner))
        found.push({ start: from + at + 1, view: viewOf(inner, ESCAPE, decoded) })
      next = close < 0 ? line.length : close + 1
      if (close >= 0) [double, single] = [behind(line, '"', double, next), behind(line, "'", single, next)]
    }
    if (isDouble) double = behind(line, '"', double, next)
    else single = behind(line, "'", single, next)
  }
}

/** Returns where a quote is next: where it was known to be, unless that is before `from`. */
const behind = (line: string, quote: string, known: number, from: number): number =>
  known < 0 || known >= from ? known : line.indexOf(quote, from)

function closing(text: string, from: number, quote: string): number {
  let at = text.indexOf(quote, from)
  for (; at > 0; at = text.indexOf(quote, at + 1)) {
    let slashes = 0
    while (at - slashes > from && text[at - slashes - 1] === '\\') slashes += 1
    if (slashes % 2 === 0) break
  }
  return at
}
