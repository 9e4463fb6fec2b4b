import { cellWriter, isRight, type Writer } from '../../shared/columns/cell-writer.ts'
import { shownColumns, type TableSpec } from '../../shared/columns/column.ts'
import { visibleText } from '../../shared/visible-text.ts'
import { count, dollars, duration } from '../session-page/figures.ts'

/** A column of a text table: its title and the cell of each row. */
export interface Column<Row> {
  readonly title: string
  readonly of: (row: Row) => string | number | null
  /** Aligns to the right, for numbers. */
  readonly right?: true
  /** Maximum length of a cell in characters. */
  readonly max?: number
}

interface TableOptions {
  /** The rows are from a team's history. */
  readonly team?: boolean
  /** Characters in a line. Default: those of the terminal. */
  readonly width?: number
}

/**
 * Formats rows as aligned text. Control characters in recorded text never reach the terminal. In a narrow terminal, the columns
 * that the spec gives up first are left out and named below the table.
 */
export function table<Row>(
  rows: readonly Row[],
  spec: TableSpec<Row> | readonly Column<Row>[],
  { team = false, width = process.stdout.columns ?? Infinity }: TableOptions = {},
): string {
  if (isList(spec)) {
    return aligned(
      spec.map(({ title, of, right = false, max }) => column(title, rows.map(of), right, max)),
      Infinity,
    )
  }
  return aligned(
    shownColumns(spec, 'terminal', rows, team).map((shown) => {
      const { name, max, from } = shown
      return column(name, rows.map(cellWriter(shown, rows, TERMINAL)), isRight(shown), max, from)
    }),
    width,
  )
}

const isList = <Row>(spec: TableSpec<Row> | readonly Column<Row>[]): spec is readonly Column<Row>[] =>
  Array.isArray(spec)

interface TextColumn {
  readonly name: string
  readonly cells: readonly string[]
  readonly from: number
}

function column(
  name: string,
  values: readonly (string | number | null)[],
  isRight: boolean,
  max = 60,
  from = 0,
): TextColumn {
  const cells = [name, ...values.map((value) => cut(plain(String(value ?? UNKNOWN)), max))]
  const width = Math.max(...cells.map(({ length }) => length))
  return { name, cells: cells.map((cell) => (isRight ? cell.padStart(width) : cell.padEnd(width))), from }
}

function aligned(columns: readonly TextColumn[], width: number): string {
  const kept = fitting(columns, width)
  const lines =
    kept[0]?.cells.map((_, at) =>
      kept
        .map(({ cells }) => cells[at] ?? '')
        .join(GAP)
        .trimEnd(),
    ) ?? []
  const left = columns.filter((one) => !kept.includes(one)).map(({ name }) => name)
  return [...lines, ...(left.length === 0 ? [] : [`(no room for: ${left.join(', ')})`])].join('\n')
}

/** Leaves out the columns with the highest `from`, the last first, until a line has room. */
function fitting(columns: readonly TextColumn[], width: number): readonly TextColumn[] {
  const line = columns.reduce((sum, { cells: [head = ''] }) => sum + head.length + GAP.length, -GAP.length)
  const last = columns.findLast(({ from }) => from === Math.max(...columns.map((one) => one.from)))
  if (line <= width || last === undefined || last.from === 0) return columns
  return fitting(
    columns.filter((one) => one !== last),
    width,
  )
}

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

function cut(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max - 1)}…`
}

/** Formats a time as 2026-11-21 10:15, in the local time zone. */
export function when(iso: string | null): string {
  if (iso === null) return '-'
  const date = new Date(iso)
  const two = (n: number) => String(n).padStart(2, '0')
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}`
}

/** Formats a share of 1 as a percentage. */
export const percent = (share: number): string =>
  `${(share * 100).toFixed(share !== 0 && Math.abs(share) < 0.1 ? 1 : 0)}%`

const asIs = (text: string) => text
/** A terminal shows exact figures, and times that sort. */
const TERMINAL: Writer = {
  unknown: UNKNOWN,
  texts: { text: asIs, moment: when, clock: when, model: asIs, project: asIs },
  numbers: { count, exact: count, duration, share: percent },
  money: () => dollars,
}

export { count, counted, dollars, duration } from '../session-page/figures.ts'
