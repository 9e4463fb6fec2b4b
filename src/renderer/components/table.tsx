import type { ReactNode } from 'react'
import { cellWriter, isRight } from '../../shared/columns/cell-writer.ts'
import { type ShownColumn, shownColumns, type TableSpec, type Tone, valueOf } from '../../shared/columns/column.ts'
import { formatExact, plural } from '../lib/format.ts'
import { history } from '../lib/history.ts'
import { WINDOW_WRITER } from '../lib/window-writer.ts'
import { ScrollRegion } from './scroll-region.tsx'

/** Cells that show more than their text, such as a link: by the column's key. */
export type RichCells<Row, Key extends string> = {
  readonly [K in Key]?: (row: Row, text: string) => ReactNode
}

/** The column that a table is sorted by. */
export interface Sorting {
  readonly by: string
  readonly onSort: (by: string) => void
}

interface TableProps<Row, Key extends string> {
  readonly columns: TableSpec<Row, Key>
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => string | number
  readonly cells?: RichCells<Row, NoInfer<Key>>
  /** Headings that replace the columns' own. */
  readonly heads?: { readonly [K in NoInfer<Key>]?: string }
  readonly sorting?: Sorting
  /** Below this width, the table scrolls sideways. A Tailwind `min-w-…` class. */
  readonly minWidth?: string
  /** The row's link or button covers it. */
  readonly isLink?: boolean | ((row: Row) => boolean)
  readonly isSelected?: (row: Row) => boolean
}

/** A table inside a card: its heads and cells come from its columns. */
export function Table<Row, Key extends string>(props: TableProps<Row, Key>) {
  const {
    columns: spec,
    rows,
    keyOf,
    cells = {},
    heads = {},
    sorting,
    minWidth = '',
    isLink = false,
    isSelected,
  } = props
  const named: Readonly<Record<string, string | undefined>> = { ...heads }
  const columns = writtenColumns(spec, rows, cells).map((column) => ({
    ...column,
    name: named[column.key] ?? column.name,
  }))
  const table = (
    <table className={`w-full text-small ${minWidth}`}>
      <thead>
        <tr className="label border-b text-left">
          {columns.map((column, index) => (
            <th
              key={column.key}
              aria-sort={sortOf(column, sorting)}
              className={`py-2 font-medium ${placeOf(column, index)} ${FROM[column.from ?? 0]}`}
            >
              <Head column={column} sorting={sorting} />
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)} className={rowLook(isOn(isLink, row), isSelected?.(row) ?? false)}>
            {columns.map((column, index) => (
              <td
                key={column.key}
                title={titleOf(column, row)}
                className={`py-2 ${placeOf(column, index)} ${FITS[fitOf(column)]} ${lookOf(column, row, index)} ${FROM[column.from ?? 0]}`}
              >
                <Cell column={column} row={row} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
  if (minWidth === '') return <div className="px-5 pb-3">{table}</div>
  return (
    <ScrollRegion label={`Table: ${columns[0]?.name ?? ''}`} className="fade-x mx-5 pb-3">
      {table}
    </ScrollRegion>
  )
}

/** A shown column with the functions that format its cells. */
export interface WrittenColumn<Row> extends ShownColumn<Row> {
  readonly write: (row: Row) => string
  readonly rich: ((row: Row, text: string) => ReactNode) | undefined
}

/** Returns the columns that the window shows of a table, with the functions that format their cells. */
export function writtenColumns<Row, Key extends string>(
  spec: TableSpec<Row, Key>,
  rows: readonly Row[],
  cells: RichCells<Row, NoInfer<Key>>,
): readonly WrittenColumn<Row>[] {
  const rich: Readonly<Record<string, WrittenColumn<Row>['rich']>> = { ...cells }
  return shownColumns<Row>(spec, 'window', rows, history === 'team').map((column) => ({
    ...column,
    write: cellWriter(column, rows, WINDOW_WRITER),
    rich: rich[column.key],
  }))
}

/** The heading of a column: a button if it sorts the table. */
export function Head<Row>({
  column: { name, hint, sort },
  sorting,
}: {
  readonly column: ShownColumn<Row>
  readonly sorting: Sorting | undefined
}) {
  if (sort === undefined || sorting === undefined) return hint === undefined ? name : <span title={hint}>{name}</span>
  const isOn = sorting.by === sort
  return (
    <button
      type="button"
      title={hint}
      onClick={() => sorting.onSort(sort)}
      className={`min-h-6 min-w-6 rounded-small hover:text-ink ${isOn ? 'font-semibold text-ink' : ''}`}
    >
      {name}
      {isOn && ' ↓'}
    </button>
  )
}

/** Returns a head's `aria-sort`. */
export function sortOf<Row>(
  { sort }: ShownColumn<Row>,
  sorting: Sorting | undefined,
): 'descending' | 'none' | undefined {
  if (sort === undefined || sorting === undefined) return undefined
  return sorting.by === sort ? 'descending' : 'none'
}

/** The content of a cell. */
export function Cell<Row>({ column, row }: { readonly column: WrittenColumn<Row>; readonly row: Row }) {
  const text = column.write(row)
  const unpriced = column.unpriced?.(row) ?? 0
  return (
    <>
      {column.rich?.(row, text) || text}
      {unpriced > 0 && text !== WINDOW_WRITER.unknown && (
        <span className="text-warn" title={`${plural(unpriced, 'request')} without a price`}>
          {' +?'}
        </span>
      )}
    </>
  )
}

/** Returns the tooltip of a cell, with the details that its text leaves out. */
export function titleOf<Row>(column: ShownColumn<Row>, row: Row): string | undefined {
  const { title, format = 'text' } = column
  if (title !== undefined) return title(row)
  const value = valueOf(column, row)
  if (typeof value !== 'string' || value === '') return undefined
  if (format === 'moment' || format === 'clock') return formatExact(value)
  return format === 'model' || format === 'project' || column.fit === 'cut' ? value : undefined
}

const TONES: Readonly<Record<Tone, string>> = {
  ink: '',
  soft: 'text-soft',
  faint: 'text-faint',
  strong: 'font-semibold',
  warn: 'font-medium text-warn',
  bad: 'font-medium text-bad',
}

/** Returns the classes of a cell's color and weight. */
export function lookOf<Row>({ tone, format }: ShownColumn<Row>, row: Row, index: number): string {
  const own = typeof tone === 'function' ? tone(row) : tone
  return TONES[own ?? (format === 'money' ? 'strong' : index === 0 ? 'ink' : 'soft')]
}

const FITS = {
  cut: 'w-2/3 max-w-0 min-w-20 sm:min-w-40 truncate',
  wrap: 'max-w-80 wrap-anywhere',
  line: 'whitespace-nowrap',
  free: '',
} as const

const fitOf = <Row,>({ fit, format = 'text' }: ShownColumn<Row>): keyof typeof FITS =>
  fit ?? (format === 'text' ? 'free' : 'line')

const placeOf = <Row,>(column: ShownColumn<Row>, index: number): string =>
  `${index === 0 ? '' : 'pl-4'} ${isRight(column) ? 'text-right' : ''}`

/** Hides a column in a narrower window. */
export const FROM = {
  0: '',
  560: 'max-[560px]:hidden',
  700: 'max-[700px]:hidden',
  760: 'max-[760px]:hidden',
  1000: 'max-[1000px]:hidden',
  1200: 'max-[1200px]:hidden',
} as const

const isOn = <Row,>(isLink: boolean | ((row: Row) => boolean), row: Row): boolean =>
  typeof isLink === 'function' ? isLink(row) : isLink

function rowLook(isLink: boolean, isSelected: boolean): string {
  const pointed = isSelected ? 'bg-accent-soft' : 'hover:bg-hover'
  return `border-b align-top last:border-0 ${isLink ? `relative ${pointed}` : ''}`
}
