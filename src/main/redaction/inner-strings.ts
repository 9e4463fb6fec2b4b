import { viewOf, type EscapedView } from './escaped-view.ts'

/** A string that a text holds in quotes, decoded. */
export interface InnerString {
  readonly start: number
  readonly view: EscapedView
}

const BREAK = /\\[nt"]/g
/** Before a quote that opens a string. */
const OPENS = /[\s:=,([{]/
const ESCAPE = /\\(["'\\/nrt])/g
const LETTERS: { readonly [letter: string]: string } = { n: '\n', r: '\r', t: '\t' }
const decoded = ([, letter = '']: RegExpMatchArray): string => LETTERS[letter] ?? letter
const SHORTEST = 24

/** Returns the strings of a text that have lines or columns of their own, so that rules by line see them: of JSON, mostly. */
export function innerStrings(text: string): InnerString[] {
  const found: InnerString[] = []
  BREAK.lastIndex = 0
  for (let hit = BREAK.exec(text); hit !== null; hit = BREAK.exec(text)) {
    const stop = text.indexOf('\n', hit.index)
    const end = stop < 0 ? text.length : stop
    readLine(text, text.lastIndexOf('\n', hit.index) + 1, end, found)
    BREAK.lastIndex = end
  }
  return found
}

function readLine(text: string, from: number, end: number, found: InnerString[]): void {
  // A quote that nothing closes is one of its kind.
  let open = '"\''
  for (let at = from; at < end; at += 1) {
    const quote = text[at] ?? ''
    if (!open.includes(quote) || (at > from && !OPENS.test(text[at - 1] ?? ''))) continue
    const close = closing(text, at + 1, end, quote)
    if (close < 0) open = open.replace(quote, '')
    else {
      const inner = text.slice(at + 1, close)
      if (inner.length >= SHORTEST && /\\[nt"]/.test(inner))
        found.push({ start: at + 1, view: viewOf(inner, ESCAPE, decoded) })
      at = close
    }
  }
}

function closing(text: string, from: number, end: number, quote: string): number {
  for (let at = from; at < end; at += 1)
    if (text[at] === '\\') at += 1
    else if (text[at] === quote) return at
  return -1
}
