import { cellWriter, isRight, type Writer } from '../../shared/columns/cell-writer.ts'
import { shownColumns, type ShownColumn, type TableSpec } from '../../shared/columns/column.ts'
import { shortened } from '../../shared/cut-text.ts'
import { percentOf } from '../../shared/percent.ts'
import { visibleText } from '../../shared/visible-text.ts'
import { counted } from '../../shared/counted.ts'
import { count, dollars, duration } from '../session-page/figures.ts'
import { when } from './when.ts'
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
  return aligned(
    shownColumns<Row>(spec, 'terminal', rows, team).map((shown) => {
      const name = named[shown.key] ?? shown.name
      return column(shown, name, rows.map(cellWriter(shown, rows, TERMINAL)), Number.isFinite(width))
    }),
    width,
  )
}

/** Formats one row: a line for each column. */
export function record<Row>(row: Row, spec: TableSpec<Row>, { team = false }: TableOptions = {}): string {
  const columns = shownColumns(spec, 'terminal', [row], team)
  const width = Math.max(...columns.map(({ name }) => name.length))
  return columns
    .map((shown) => {
      const unpriced = shown.unpriced?.(row) ?? 0
      const note = unpriced === 0 ? '' : ` (${counted(unpriced, 'call')} without a price)`
      return `${shown.name.padEnd(width)}   ${plain(cellWriter(shown, [row], TERMINAL)(row))}${note}`
    })
    .join('\n')
}

interface TextColumn {
  readonly name: string
  /** The heading and the values. */
  readonly cells: readonly string[]
  readonly isRight: boolean
  readonly isMoney: boolean
  readonly from: number
  /** Width of the longest cell, and the width down to which a text can be cut. */
  readonly width: number
  readonly least: number
}

function column<Row>(shown: ShownColumn<Row>, name: string, values: readonly string[], isCut: boolean): TextColumn {
  const { max = 60, from = 0, format = 'text' } = shown
  const cells = [name, ...(isCut ? shortIds(values) : values).map((value) => shortened(plain(value), max))]
  const width = Math.max(...cells.map(({ length }) => length))
  const isText = !isRight(shown) && format !== 'moment' && format !== 'clock'
  const isId = values.every((value) => UUID.test(value))
  return {
    name,
    cells,
    isRight: isRight(shown),
    isMoney: format === 'money',
    from,
    width,
    least: isText && !isId ? Math.min(width, LEAST_TEXT) : width,
  }
}

/**
 * Shortens ids to what the reading commands take: eight characters, for events the part of a UUIDv7 that differs within a
 * minute. Sessions of some clients have the client's name before theirs.
 */
export function shortIds(values: readonly string[]): readonly string[] {
  const short = values.map((value) => {
    const [, prefix = '', uuid] = UUID.exec(value) ?? []
    return uuid === undefined ? value : prefix + uuid.slice(0, uuid[14] === '7' && prefix === '' ? 18 : 8)
  })
  return new Set(short).size === new Set(values).size ? short : values
}

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
          return isRight ? cell.padStart(room) : cell.padEnd(room)
        })
        .join(GAP)
        .trimEnd(),
    ) ?? []
  const left = columns.filter((one) => !kept.includes(one)).map(({ name }) => name)
  return [...lines, ...(left.length === 0 ? [] : [`(no room for: ${left.join(', ')})`])].join('\n')
}

/** A path that is cut keeps its end, which says more than its beginning. */
const PATH = /^(?:~?\/|[A-Za-z]:\\)\S+$/

const cutTo = (text: string, room: number): string =>
  PATH.test(text) && text.length > room ? `…${text.slice(1 - room)}` : shortened(text, room)

const lineOf = (widths: readonly number[]) => widths.reduce((sum, one) => sum + one + GAP.length, -GAP.length)

/**
 * Leaves out columns until a line has room for the least width of the others: those with the highest `from`, the last
 * first, then numbers, then all that cannot be cut, the last first. Money goes after other numbers. At least one column stays.
 */
function fitting(columns: readonly TextColumn[], width: number): readonly TextColumn[] {
  if (columns.length < 2 || lineOf(columns.map(({ least }) => least)) <= width) return columns
  const rest = columns.slice(1)
  const most = Math.max(...rest.map(({ from }) => from))
  const last =
    rest.findLast(({ from, isMoney }) => most > 0 && from === most && !isMoney) ??
    rest.findLast((one) => one.isRight && !one.isMoney) ??
    rest.findLast((one) => one.least === one.width) ??
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

/** Characters of a text below which it says too little. */
const LEAST_TEXT = 16
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

export { counted } from '../../shared/counted.ts'
export { count, dollars } from '../session-page/figures.ts'
export { when } from './when.ts'
