import { charClass } from '../char-class.ts'
import type { Found, Rule } from '../rule.ts'
import { judgeValue } from './judge-value.ts'
import { NAME_STEMS } from './name-stems.ts'
import { nameKind, type NameKind } from './secret-name.ts'

/** Text of a table that is read at once, and its longest header. */
const LONGEST = 20_000
const LONGEST_LINE = 2000
const LONGEST_BEHIND = 400
const LONGEST_CELL = 64

/** A cell's text, in positions of the text it is in. */
interface Cell {
  readonly start: number
  readonly end: number
  readonly quote: string
}
/** Cuts a line into its cells. */
type Cut = (line: string, from: number) => readonly Cell[]

/** What a header has after its name, and what ends it. */
const inHeader = charClass('A-Za-z0-9_ `"\'*')
const endsCell = charClass('|│┃║,;)\t\r\n')
/** Read once, however its signs and spaces alternate: of a diagram, not all are in it. */
const RULE_LINE =
  /^[ \t\d→]*(?:[|│┃║][ \t]*[-:]{2}|[-+|:=─━═┼├┤╪╞╡╋┣┫┯┷└┘┌┐┬┴║╬╠╣╫╟╢]{3})[-+|:=─━═┼├┤╪╞╡╋┣┫┯┷└┘┌┐┬┴║╬╠╣╫╟╢ \t]*$/
const HEADER_CELL = /^[A-Za-z_][\w .()-]{0,40}$/
const TUPLES = /^[ \t\r\n]{0,4}(?:VALUES|values|Values)[ \t\r\n]{0,4}/
const COLUMNS = /\b(?:INSERT INTO|insert into|Insert Into|COPY|copy|REPLACE INTO) [\w."`[\]]{1,80} ?\($/

/** A query whose output has no head: sqlite's list, `mysql -N`. */
const SELECT = /(?<=\bselect[ \t]+(?:distinct[ \t]+)?)([^\s;()*][^;()*]{0,300}?)[ \t]+from\b/i

/** Matches the values of a column whose header says that they are secret: of tables, CSV, `INSERT INTO` and `COPY`. */
export const tableRule: Rule = {
  name: 'secret-value',
  anchors: NAME_STEMS,
  isKeyFormat: false,
  match(place) {
    const { text, at, after, final } = place
    let next = after
    while (next < text.length && next - after < LONGEST_CELL && inHeader.has(text.charCodeAt(next))) next += 1
    if (next < text.length && !endsCell.has(text.charCodeAt(next))) return next
    const behind = place.behind(at, LONGEST_BEHIND)
    const start = at - (behind.length - 1 - behind.lastIndexOf('\n'))
    const table = readTable(text, start, at)
    if (table === null) return after
    if (!final && table.end >= text.length && table.end - start < LONGEST) return 'more'
    const found = secretCells(text, table)
    const first = found[0]
    return first === undefined ? table.bodyStart : { ...first, also: found.slice(1), idleUntil: table.end }
  },
}

interface Table {
  readonly columns: ReadonlyMap<number, { readonly name: string; readonly kind: NameKind }>
  readonly rows: readonly (readonly Cell[])[]
  readonly bodyStart: number
  readonly end: number
}

/** Reads the table whose header is the line at `start`; null if the line is none. */
function readTable(text: string, start: number, at: number): Table | null {
  const headEnd = lineEnd(text, start)
  if (headEnd - start > LONGEST_LINE) return null
  const head = text.slice(start, headEnd)
  const open = head.lastIndexOf('(', at - start)
  if (open >= 0 && COLUMNS.test(head.slice(0, open + 1))) return readTuples(text, start + open + 1)
  if (headEnd === text.length) return null
  const next = nextLine(text, headEnd)
  const below = text.slice(next, lineEnd(text, next))
  const selected = /from/i.test(head) ? SELECT.exec(head) : null
  const cut = selected === null ? cutOf(head, below) : by(below.includes('|') ? '|' : '\t')
  if (cut === null) return null
  const names = selected === null ? cut(head, start) : by(',')(selected[1] ?? '', start + selected.index)
  const columns = secretColumns(text, names)
  if (columns.size === 0 || (selected !== null && cut(below, next).length !== names.length)) return null
  return { columns, ...readRows(text, next, cut, names.length), bodyStart: next }
}

/** Finds how a header is cut: by a sign, if the next line is cut into as many cells or rules it off. */
function cutOf(head: string, below: string): Cut | null {
  const bar = /[|│┃║]/.exec(head)?.[0]
  if (bar !== undefined) return RULE_LINE.test(below) ? by(bar) : null
  if (/[{}=<>`$]/.test(head)) return null
  const sign = ['\t', ',', ';'].find((each) => head.includes(each))
  // As pandas prints a frame, with the number of each row.
  if (sign === undefined && /^ +\S/.test(head) && /^\d+ +\S/.test(below))
    return byWord(head, 0).length === byWord(below, 0).length ? byWord : null
  if (sign === undefined)
    return /\S {2,}\S/.test(head) && /\S {2,}\S/.test(below) && head === head.toUpperCase() ? byPosition(head) : null
  const cut = by(sign)
  const cells = cut(head, 0)
  const isHeader = cells.every(({ start, end }) => HEADER_CELL.test(head.slice(start, end)))
  return isHeader && cut(below, 0).length === cells.length ? cut : null
}

/** Cuts at a sign outside of quotes. */
function by(sign: string): Cut {
  return (line, from) => {
    const cells: Cell[] = []
    let begin = 0
    let open = ''
    for (let at = 0; at <= line.length; at += 1) {
      const letter = line[at] ?? sign
      if (open !== '' && at < line.length) open = letter === open ? '' : open
      else if (letter === sign) {
        cells.push(trimmed(line, begin, at, from))
        begin = at + 1
      } else if (
        (letter === '"' || letter === "'") &&
        line.slice(begin, at).trim() === '' &&
        line.includes(letter, at + 1)
      )
        open = letter
    }
    return cells
  }
}

/** Cuts at spaces; a line that begins with one has an empty cell there. */
const byWord: Cut = (line, from) =>
  [...line.matchAll(/^(?= )|\S+/g)].map((hit) => ({
    start: from + hit.index,
    end: from + hit.index + hit[0].length,
    quote: '',
  }))

/** Cuts where the cells of a header begin. */
function byPosition(head: string): Cut {
  const starts = [...head.matchAll(/(?:^| {2,})(?=\S)/g)].map((hit) => hit.index + hit[0].length)
  // A long cell moves the next one.
  const wordEnd = (line: string, at: number) =>
    at > 0 ? at - 1 + (/^\S*/.exec(line.slice(at - 1))?.[0].length ?? 0) : 0
  return (line, from) =>
    starts.map((start, index) => {
      const [begin, end] = [start, starts[index + 1] ?? line.length].map((at) => Math.max(at, wordEnd(line, at)))
      return trimmed(line, begin ?? start, end ?? line.length, from)
    })
}

/** Returns a cell without the space, the quotes and the backticks around it. */
function trimmed(line: string, begin: number, stop: number, from: number): Cell {
  const part = line.slice(begin, stop)
  const lead = /^[\s*]*/.exec(part)?.[0].length ?? 0
  const bare = part.trim().replaceAll(/^\*+|\*+$/g, '')
  const quote = /^(["'`]).*\1$/s.exec(bare)?.[1] ?? ''
  const start = begin + lead + quote.length
  return { start: from + start, end: from + Math.max(start, begin + lead + bare.length - quote.length), quote }
}

function secretColumns(text: string, cells: readonly Cell[]): Table['columns'] {
  const found = new Map<number, { name: string; kind: NameKind }>()
  const isLogin = cells.some(({ start, end }) => /^(?:user|login|e-?mail)/i.test(text.slice(start, end)))
  cells.forEach(({ start, end }, index) => {
    const name = text.slice(start, end)
    const kind = (!isLogin && /^pass(?:es)?$/i.test(name)) || !HEADER_CELL.test(name) ? null : nameKind(name)
    // Tables of tokens are mostly about grammars and counts.
    if (kind !== null) found.set(index, { name, kind: kind === 'token' ? 'weak' : kind })
  })
  return found
}

function readRows(text: string, from: number, cut: Cut, width: number): Pick<Table, 'rows' | 'end'> {
  const rows: (readonly Cell[])[] = []
  let at = from
  while (at < text.length && at - from < LONGEST) {
    const end = lineEnd(text, at)
    const line = text.slice(at, end)
    if (!RULE_LINE.test(line)) {
      const cells = line.length > LONGEST_LINE ? [] : cut(line, at)
      if (cells.length < Math.min(width, 2) || line.trim() === '' || line.trim() === '\\.') break
      rows.push(cells)
    }
    at = nextLine(text, end)
  }
  return { rows, end: at }
}

/** Reads the columns in the brackets of a statement, and its rows: tuples, or lines with tabs. */
function readTuples(text: string, open: number): Table | null {
  const close = text.slice(open, open + LONGEST_LINE).indexOf(')')
  if (close < 0) return null
  const columns = secretColumns(text, by(',')(text.slice(open, open + close), open))
  if (columns.size === 0) return null
  const after = open + close + 1
  const values = TUPLES.exec(text.slice(after, after + 20))?.[0].length
  if (values === undefined) {
    const next = nextLine(text, lineEnd(text, after))
    return /^[^\r\n]*stdin/i.test(text.slice(after, after + 100))
      ? { columns, ...readRows(text, next, by('\t'), columns.size), bodyStart: next }
      : null
  }
  const rows: (readonly Cell[])[] = []
  let at = after + values
  while (text[at] === '(' && at - open < LONGEST) {
    const end = tupleEnd(text, at + 1)
    if (end < 0) break
    rows.push(by(',')(text.slice(at + 1, end), at + 1))
    at = end + 1 + (/^\s{0,8},\s{0,8}/.exec(text.slice(end + 1, end + 20))?.[0].length ?? 0)
  }
  return { columns, rows, bodyStart: after, end: at }
}

function tupleEnd(text: string, from: number): number {
  let open = ''
  for (let at = from; at < text.length && at - from < LONGEST_LINE; at += 1) {
    const letter = text[at] ?? ''
    if (open !== '') open = letter === open ? '' : open
    else if (letter === "'" || letter === '"') open = letter
    else if (letter === ')') return at
  }
  return -1
}

function secretCells(text: string, { columns, rows }: Table): Found[] {
  const found: Found[] = []
  for (const row of rows)
    for (const [index, { name, kind }] of columns) {
      const cell = row[index]
      if (cell === undefined || cell.end - cell.start < 4) continue
      const value = text.slice(cell.start, cell.end)
      const written = { start: 0, end: value.length, quote: cell.quote, after: value.length }
      const notation = { kind: 'cell', sign: '|', spaced: true, value: written } as const
      if (/\s|\[redacted:/.test(value) || !/\d|[!#$%^&*@]/.test(value)) continue
      const isHex = /(?:^|_)token$/i.test(name) && /^[\da-f]{32,128}$/.test(value)
      if (isHex || judgeValue(value, { kind, name, before: '', notation, ahead: value }))
        found.push({ start: cell.start, end: cell.end })
    }
  return found
}

/** Returns where a line ends; at most a little after the longest. */
function lineEnd(text: string, from: number): number {
  const part = text.slice(from, from + LONGEST_LINE + 1)
  const end = part.indexOf('\n')
  const last = from + (end < 0 ? part.length : end)
  return text[last - 1] === '\r' && last > from ? last - 1 : last
}

const nextLine = (text: string, end: number) => end + (text.startsWith('\r\n', end) ? 2 : 1)
