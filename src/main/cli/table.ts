import { cellWriter, isRight, type Writer } from '../../shared/columns/cell-writer.ts'
import { shownColumns, type ShownColumn, type TableSpec, valueOf } from '../../shared/columns/column.ts'
import { lastCharacters, shortened } from '../../shared/cut-text.ts'
import { percentOf } from '../../shared/percent.ts'
import { columnUsd } from '../../shared/usd.ts'
import { visibleText } from '../../shared/visible-text.ts'
import { counted } from '../../shared/counted.ts'
import { count, dollars, duration } from '../session-page/figures.ts'
import { textWidth } from './text-width.ts'
import { when, whenIn } from './when.ts'
import { terminalWidth } from './wrap.ts'

interface TableOptions {
  /** The rows are from a team's history. */
  readonly team?: boolean
  /** Characters in a line. Default: those of the terminal. */
  readonly width?: number
}

/**
 * Formats rows as aligned text. Control characters in recorded text never reach the terminal. A terminal shows the start of
 * ids; if it is narrow, texts are cut, and columns that still have no room are named below the table.
 */
export function table<Row, Key extends string>(
  rows: readonly Row[],
  spec: TableSpec<Row, Key>,
  { team = false, width = terminalWidth() }: TableOptions = {},
  heads: { readonly [K in NoInfer<Key>]?: string } = {},
): string {
  const named: Readonly<Record<string, string | undefined>> = { ...heads }
  const isTerminal = Number.isFinite(width)
  const columns = shownColumns<Row>(spec, 'terminal', rows, team).map((shown) => {
    const name = named[shown.key] ?? shown.name
    return column(shown, name, rows.map(cellWriter(shown, rows, inList(shown, rows))), isTerminal)
  })
  // The first one names the row.
  const cut = columns.map((one, at) => (at === 0 ? { ...one, tight: one.least } : one))
  return aligned(isTerminal && rows.length > 0 ? cut.filter(isFilled) : cut, width)
}

/** Returns the formats of a column: times whose neighbours share their minute get seconds. */
function inList<Row>(shown: ShownColumn<Row>, rows: readonly Row[]): Writer {
  if (shown.format !== 'moment') return IN_TABLE
  const times = rows.map((row) => valueOf(shown, row))
  const moment = whenIn(times.map((time) => (typeof time === 'string' ? time : null)))
  return { ...IN_TABLE, texts: { ...IN_TABLE.texts, moment } }
}

/** Formats one row: a line for each column. */
export function record<Row>(row: Row, spec: TableSpec<Row>, { team = false }: TableOptions = {}): string {
  const columns = shownColumns(spec, 'terminal', [row], team)
  const width = Math.max(...columns.map(({ name }) => name.length))
  return columns
    .map((shown) => {
      const unpriced = shown.unpriced?.(row) ?? 0
      const note = unpriced === 0 ? '' : ` (${counted(unpriced, 'request')} without a price)`
      return `${shown.name.padEnd(width)}   ${plain(cellWriter(shown, [row], TERMINAL)(row))}${note}`
    })
    .join('\n')
}

/** Returns whether a column says anything of a row. */
const isFilled = ({ cells }: TextColumn, at: number): boolean =>
  at === 0 || cells.slice(1).some((cell) => cell !== '' && cell !== UNKNOWN)

interface TextColumn {
  readonly name: string
  /** The heading and the values. */
  readonly cells: readonly string[]
  readonly isRight: boolean
  readonly isMoney: boolean
  /** A time or a project: what goes first where room is short. */
  readonly isPlace: boolean
  readonly isId: boolean
  readonly from: number
  /** Width of the longest cell, and the width down to which a text can be cut. */
  readonly width: number
  readonly least: number
  /** The same where it is that or nothing. */
  readonly tight: number
}

function column<Row>(
  shown: ShownColumn<Row>,
  name: string,
  values: readonly string[],
  isTerminal: boolean,
): TextColumn {
  const { max = 60, from = 0, format = 'text' } = shown
  // A file or pipe gets every text whole.
  const shownValues = isTerminal ? shortIds(values).map((value) => upTo(plain(value), max)) : values.map(plain)
  const cells = [name, ...shownValues]
  const width = Math.max(...cells.map(textWidth))
  const isText = !isRight(shown) && format !== 'moment' && format !== 'clock'
  const isId = values.length > 0 && values.every((value) => UUID.test(value))
  const isCut = isText && !isId && shown.isWhole !== true
  const isModel = format === 'model'
  return {
    name,
    cells,
    isRight: isRight(shown),
    isMoney: format === 'money',
    isPlace: format === 'moment' || format === 'project',
    isId,
    from,
    width,
    least: isCut ? Math.min(width, isModel ? LEAST_MODEL : LEAST_TEXT) : width,
    tight: isCut ? Math.min(width, isModel ? LEAST_MODEL : TIGHT_TEXT) : width,
  }
}

/** Cuts a text to its greatest length, but no name, path or id: only a terminal without room does. */
const upTo = (text: string, max: number): string => shortened(text, text.includes(' ') ? max : Math.max(max, MAX_NAME))

/**
 * Shortens ids to what the reading commands take: eight characters, of a UUIDv7 the part that differs within a minute:
 * of events more than the time. Sessions of some clients have the client's name before theirs.
 */
export function shortIds(values: readonly string[]): readonly string[] {
  const short = values.map((value) => {
    const [, prefix = '', uuid] = UUID.exec(value) ?? []
    return uuid === undefined ? value : prefix + uuid.slice(0, uuid[14] !== '7' ? 8 : prefix === '' ? 18 : 13)
  })
  return new Set(short).size === new Set(values).size ? short : values
}

/** Returns ids as they are printed: short on a terminal, whole for a file or pipe. */
export const shownIds = (ids: readonly string[]): readonly string[] => (process.stdout.isTTY ? shortIds(ids) : ids)

const UUID = /^([a-z]+-)?([\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12})$/

function aligned(columns: readonly TextColumn[], width: number): string {
  const kept = fitting(columns, width)
  const widths = cutWidths(kept, width)
  const lines =
    kept[0]?.cells.map((_, at) =>
      kept
        .map(({ cells, isRight }, index) => {
          const room = widths[index] ?? 0
          const cell = cutTo(cells[at] ?? '', room)
          const space = ' '.repeat(Math.max(0, room - textWidth(cell)))
          return isRight ? space + cell : cell + space
        })
        .join(GAP)
        .trimEnd(),
    ) ?? []
  const left = columns.filter(({ cells }) => kept.every((one) => one.cells !== cells)).map(({ name }) => name)
  return [...lines, ...(left.length === 0 ? [] : [`(no room for: ${left.join(', ')})`])].join('\n')
}

/** A path that is cut keeps its end, which says more than its beginning. */
const PATH = /^(?:~?\/|[A-Za-z]:\\)\S+$/

function cutTo(text: string, room: number, most = room): string {
  if (textWidth(text) <= room) return text.toWellFormed()
  const cut = PATH.test(text) ? `…${lastCharacters(text, most - 1)}` : shortened(text, most)
  return textWidth(cut) <= room || most <= 1 ? cut : cutTo(text, room, most - 1)
}

const lineOf = (widths: readonly number[]) => widths.reduce((sum, one) => sum + one + GAP.length, -GAP.length)

/**
 * Leaves out columns until a line has room for the least width of the others: those with the highest `from`, then times and
 * projects, then numbers, the last first; then texts are cut further. After that go a time in the first column, and texts in
 * between: the first column names a row, the last says what it is. Money goes after other numbers, ids after texts. At
 * least one column stays.
 */
function fitting(columns: readonly TextColumn[], width: number): readonly TextColumn[] {
  if (columns.length < 2 || lineOf(columns.map(({ least }) => least)) <= width) return columns
  const rest = columns.slice(1)
  const most = Math.max(...rest.map(({ from }) => from))
  const cheap =
    rest.findLast(({ from, isMoney }) => most > 0 && from === most && !isMoney) ??
    rest.findLast(({ isPlace }) => isPlace) ??
    rest.findLast((one) => one.isRight && !one.isMoney)
  if (cheap === undefined && columns.some(({ least, tight }) => tight < least))
    return fitting(
      columns.map((one) => ({ ...one, least: one.tight })),
      width,
    )
  const last =
    cheap ??
    columns.find(({ isPlace }) => isPlace) ??
    rest.slice(0, -1).findLast(({ isId, isMoney }) => !isId && !isMoney) ??
    rest.at(-1)
  return fitting(
    columns.filter((one) => one !== last),
    width,
  )
}

/** Returns the widths of columns in a line: the widest texts are cut first. */
function cutWidths(columns: readonly TextColumn[], width: number): readonly number[] {
  const widths = columns.map((one) => one.width)
  while (lineOf(widths) > width) {
    const widest = Math.max(...widths.filter((one, index) => one > (columns[index]?.least ?? 0)))
    if (widest === -Infinity) break
    const at = widths.findLastIndex((one, index) => one === widest && one > (columns[index]?.least ?? 0))
    widths[at] = widest - 1
  }
  return widths
}

/** Characters of the longest name or path in a table. */
const MAX_NAME = 300
/** Characters of a text below which it says too little. */
const LEAST_TEXT = 16
/** The same where it is that or nothing. */
const TIGHT_TEXT = 8
/** Characters of a model's name below which it may be another's. */
const LEAST_MODEL = 24
const GAP = '  '
const UNKNOWN = '-'

/** Returns text on one line, without control characters. What reorders or hides text is shown by its name. */
export function plain(text: string): string {
  return visibleText(text)
    .replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ')
    .trim()
}

/** Returns text with its line breaks but without control characters. What reorders or hides text is shown by its name. */
export function plainLines(text: string): string {
  return visibleText(text).replace(/[^\P{Cc}\n\t]/gu, '')
}

/** Formats a share of 1 as a percentage. */
export const percent = (share: number): string => `${percentOf(share)}%`

const asIs = (text: string) => text
/** A terminal shows exact figures, and times that sort. */
const TERMINAL: Writer = {
  unknown: UNKNOWN,
  texts: { text: asIs, moment: when, clock: when, model: asIs, project: asIs },
  numbers: { count: (value) => count(Math.round(value)), exact: count, duration, share: percent },
  money: () => dollars,
}
const IN_TABLE: Writer = { ...TERMINAL, money: (amounts) => columnUsd(amounts) }

export { counted } from '../../shared/counted.ts'
export { count, dollars } from '../session-page/figures.ts'
export { when } from './when.ts'
