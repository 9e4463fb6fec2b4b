import type { CSSProperties, ReactNode } from 'react'
import { isRight } from '../../shared/columns/cell-writer.ts'
import { type ShownColumn, WINDOW_WIDTHS } from '../../shared/columns/column.ts'
import { Cell, FROM, Head, lookOf, type Sorting, sortOf, titleOf, type WrittenColumn } from './table.tsx'

/** Classes of a row whose cells line up with those of other rows, in a table with `gridStyle`. */
export const GRID_ROW =
  'grid grid-cols-(--at-0) min-[560px]:grid-cols-(--at-560) min-[700px]:grid-cols-(--at-700) min-[760px]:grid-cols-(--at-760) min-[1000px]:grid-cols-(--at-1000) min-[1200px]:grid-cols-(--at-1200) items-center gap-x-3 px-4'

/** Leaves room for the scroll bar, in the rows and above them, so that heads and cells line up. */
export const GUTTER = '[scrollbar-gutter:stable]'

/**
 * Returns the style of a table of grid rows: the widths of its columns in a window of each width. `lead`: width before
 * the columns, in rem.
 */
export function gridStyle<Row>(columns: readonly ShownColumn<Row>[], lead?: number): CSSProperties {
  const template = (window: number) =>
    [
      ...(lead === undefined ? [] : [`${lead}rem`]),
      ...columns
        .filter(({ from = 0 }) => from <= window)
        .map(({ width }) => (width === undefined ? 'minmax(0,1fr)' : `${width}rem`)),
    ].join(' ')
  return Object.fromEntries(WINDOW_WIDTHS.map((window) => [`--at-${window}`, template(window)]))
}

interface GridHeadProps<Row> {
  readonly columns: readonly ShownColumn<Row>[]
  readonly sorting?: Sorting
  /** A head before the columns' heads. */
  readonly lead?: ReactNode
}

/** The heads of a table of grid rows. */
export function GridHead<Row>({ columns, sorting, lead }: GridHeadProps<Row>) {
  return (
    <div
      role="row"
      className={`${GRID_ROW} ${GUTTER} label relative h-9 shrink-0 overflow-hidden after:absolute after:inset-x-0 after:bottom-0 after:border-b after:border-line`}
    >
      {lead}
      {columns.map((column) => (
        <span
          key={column.key}
          role="columnheader"
          aria-sort={sortOf(column, sorting)}
          className={`${isRight(column) ? 'text-right' : ''} ${FROM[column.from ?? 0]}`}
        >
          <Head column={column} sorting={sorting} />
        </span>
      ))}
    </div>
  )
}

/** The cells of a grid row. Texts are truncated to their column's width. */
export function GridCells<Row>({
  columns,
  row,
}: {
  readonly columns: readonly WrittenColumn<Row>[]
  readonly row: Row
}) {
  return columns.map((column, index) => (
    <div
      key={column.key}
      role="cell"
      title={titleOf(column, row)}
      className={`min-w-0 ${column.width === undefined ? '' : 'truncate text-small'} ${isRight(column) ? 'text-right' : ''} ${lookOf(column, row, index)} ${FROM[column.from ?? 0]}`}
    >
      <Cell column={column} row={row} />
    </div>
  ))
}
