import { cellWriter, isRight, type Writer } from '../../shared/columns/cell-writer.ts'
import { shownColumns, type TableSpec } from '../../shared/columns/column.ts'
import { shortened } from '../../shared/cut-text.ts'
import { visibleText } from '../../shared/visible-text.ts'
import { count, counted, dollars, duration } from '../session-page/figures.ts'

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
export function table<Row, Key extends string>(
  rows: readonly Row[],
  spec: TableSpec<Row, Key>,
  { team = false, width = process.stdout.columns ?? Infinity }: TableOptions = {},
  heads: { readonly [K in NoInfer<Key>]?: string } = {},
): string {
  const named: Readonly<Record<string, string | undefined>> = { ...heads }
  return aligned(
    shownColumns<Row>(spec, 'terminal', rows, team).map((shown) => {
      const { key, name, max, from } = shown
      return column(named[key] ?? name, rows.map(cellWriter(shown, rows, TERMINAL)), isRight(shown), max, from)
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
  readonly cells: readonly string[]
  readonly from: number
}

function column(name: string, values: readonly string[], isRight: boolean, max = 60, from = 0): TextColumn {
  const cells = [name, ...values.map((value) => shortened(plain(value), max))]
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
  numbers: { count: (value) => count(Math.round(value)), exact: count, duration, share: percent },
  money: () => dollars,
}

export { count, counted, dollars } from '../session-page/figures.ts'
