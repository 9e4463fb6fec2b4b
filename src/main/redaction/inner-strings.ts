import { charClass } from './char-class.ts'
import { viewOf, type EscapedView } from './escaped-view.ts'

/** A text within a text, decoded: a string in quotes, or base64. */
export interface InnerText {
  readonly start: number
  readonly view: Pick<EscapedView, 'text' | 'toOriginal' | 'endToOriginal'>
  /** What names a secret in it, if every rule is to read it and not only those by line. */
  readonly rule?: string
}

/** What only rules by line find: a head of a table, a file of cookies, a command that prints a secret, a list of codes. */
const TELLING =
  /(?:^|\\n|\\")(?:[\w |│┃*`.,;-]|\\+[t"]){0,120}(?:pass|pwd|secret|token|key|pat(?!h)|cred)\w{0,12}(?:[ `*]|\\+"){0,40}(?:[|│┃,;]|\\+[nrt]| {2}\w)|TRUE\\+t|codes|(?:secret|credential|password|token)s:\\+n|result\\+"|from stdin|(?:^|\\n|[$#%>❯] )(?:sudo )?(?:op|r?bw|g?opass|pass|vault|openssl|security|gcloud|aws|az|kubectl|oc|gh|glab|cat|echo|printenv|heroku|terraform|lpass|wg|pwgen|mkpasswd|doppler|argocd|keyring) /i
/** What is before a quote that opens a string. */
const OPENS = charClass(' \t\r\n\f\u00a0:=,([{')
const FIELDS = ['":"', '": "', "': '", '":["', '": ["']
const ESCAPE = /\\(["'\\/nrt])/g
const LETTERS: { readonly [letter: string]: string } = { n: '\n', r: '\r', t: '\t' }
const decoded = ([, letter = '']: RegExpMatchArray): string => LETTERS[letter] ?? letter
const SHORTEST = 24

/** Returns the strings of a text that have lines or columns of their own, so that rules by line see them: of JSON, mostly. */
export function innerStrings(text: string): InnerText[] {
  const found: InnerText[] = []
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

function readLine(line: string, from: number, found: InnerText[]): void {
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

/** What a program prints to be used at once. */
const SHORT_TEXT = 400
/** Shorter ones hold no name and value. */
const SHORTEST_RUN = 24
/** How far from a sign base64 begins. */
const NEAR = 1000
const base64 = charClass('A-Za-z0-9+/')
/** How each group of four begins whose first letter is one that is printed, or a break of a line. */
const PRINTABLE = /(?:[CDI-Za-f]...){4}/y
const LINE_END = /(?:\r?\n|\\+n)[ \t]{0,12}/y
const LINE_ENDS = /(?:\r?\n|\\+n)[ \t]{0,12}/g

/** Returns the texts that a text holds in base64 near its signs, also in lines. */
export function base64Texts(text: string, signs: readonly number[]): InnerText[] {
  const found: InnerText[] = []
  let at = 0
  for (const sign of signs) {
    let start = Math.max(at, sign - NEAR)
    // A sign may be in the middle of a row.
    while (start > at && base64.has(text.charCodeAt(start - 1))) start -= 1
    for (const end = Math.min(text.length - SHORTEST_RUN, sign + NEAR); start <= end; start = at + 1) {
      at = start + SHORTEST_RUN - 1
      while (at >= start && base64.has(text.charCodeAt(at))) at -= 1
      if (at >= start) continue
      at = runEnd(text, start + SHORTEST_RUN)
      PRINTABLE.lastIndex = start
      if (!PRINTABLE.test(text) || !/^[ -~\s]{12}/.test(fromBase64(text.slice(start, start + 16)))) continue
      for (let next = nextRow(text, start, at); next > 0; next = nextRow(text, next, at)) at = runEnd(text, next)
      found.push(base64Text(text.slice(start, at), start))
    }
  }
  return found
}

const fromBase64 = (run: string) => Buffer.from(run, 'base64').toString('latin1')

function runEnd(text: string, from: number): number {
  let end = from
  while (end < text.length && base64.has(text.charCodeAt(end))) end += 1
  while (text[end] === '=') end += 1
  return end
}

/** Returns where the next row of base64 begins, if one ends at `end` at a width that programs break it at. */
function nextRow(text: string, start: number, end: number): number {
  LINE_END.lastIndex = end
  const row = end - start
  if (![60, 64, 72, 76].includes(row) || !LINE_END.test(text)) return -1
  const next = LINE_END.lastIndex
  const stop = runEnd(text, next)
  return stop > next && stop - next <= row && !/[^\s"'`\\]/.test(text[stop] ?? '') ? next : -1
}

/** Four letters are three characters, so that a part of a text is in the groups of four around it. A short text goes whole. */
function base64Text(written: string, start: number): InnerText {
  const { text, toOriginal, endToOriginal } = viewOf(written, LINE_ENDS, () => '')
  const isShort = text.length < SHORT_TEXT
  return {
    start,
    rule: 'base64-secret',
    view: {
      text: fromBase64(text),
      toOriginal: (position) => (isShort ? 0 : toOriginal(Math.floor(position / 3) * 4)),
      endToOriginal: (position) =>
        endToOriginal(isShort ? text.length : Math.min(text.length, Math.ceil(position / 3) * 4)),
    },
  }
}
