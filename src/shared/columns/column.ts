/** Kinds of values. Each surface formats them in its own way: exact on a terminal, short in the window. */
export type NumberFormat = 'count' | 'exact' | 'money' | 'duration' | 'share'
export type TextFormat = 'text' | 'moment' | 'clock' | 'model' | 'project'

/** A value of a cell, as files have it. Lists are joined. */
export type Value = string | number | boolean | null

/** A color with a meaning: the importance of a cell, or a problem. */
export type Tone = 'ink' | 'soft' | 'faint' | 'strong' | 'warn' | 'bad'

/** A column of a table for people. */
export interface Column<Row> {
  /** Heading. */
  readonly name: string
  /** Returns the value; null if it is unknown. Default: the row's field with the column's name. */
  readonly of?: (row: Row) => Value | undefined
  /** Default: `text`. */
  readonly format?: NumberFormat | TextFormat
  /** Default: numbers right, others left. */
  readonly align?: 'left' | 'right'
  /** Default: `strong` for money, `ink` for the first column, `soft` for the rest. */
  readonly tone?: Tone | ((row: Row) => Tone)
  /** Explains the column, as a tooltip of its heading and as its description where there is room. */
  readonly hint?: string
  /** Tooltip of a cell. Default: the details that its text leaves out. */
  readonly title?: (row: Row) => string | undefined
  /** A long text is cut to the room that is left, or wraps. */
  readonly fit?: 'cut' | 'wrap'
  /** Number of calls without a price, which make an amount a lower bound. */
  readonly unpriced?: (row: Row) => number
  /** Value of the operation's `sort` for this column. */
  readonly sort?: string
  /** Width in a table of fixed columns, in rem. Without it, the column takes the rest. */
  readonly width?: number
  /** Window width in px from which on the column is shown. A narrow terminal drops columns with the highest one first. */
  readonly from?: WindowWidth
  /** It names the row: a terminal never cuts it. */
  readonly isWhole?: true
  /** Maximum length of a text on a terminal, in characters. */
  readonly max?: number
  /** `team`: only in a team's history. `filled`: only if a row has a value. Otherwise: only on this surface. */
  readonly only?: 'team' | 'filled' | Surface
}

/** Surfaces for people. */
type Surface = 'window' | 'terminal'

/** Widths at which the window shows more columns. */
export const WINDOW_WIDTHS = [0, 560, 700, 760, 1000, 1200] as const
export type WindowWidth = (typeof WINDOW_WIDTHS)[number]

/** A table for people: its columns, and which of them a surface shows in which order. */
export interface TableSpec<Row, Key extends string = string> {
  readonly columns: { readonly [K in Key]: Column<Row> }
  /** Default: all columns. */
  readonly window?: readonly NoInfer<Key>[]
  /** Default: all columns. */
  readonly terminal?: readonly NoInfer<Key>[]
  /** Columns of a CSV, JSON or Markdown file: fields of the row as they are, or columns. Default: all columns. */
  readonly file?: readonly (NoInfer<Key> | (keyof Row & string))[]
}

/** A column without a field of its name in the row must define its value. */
type ColumnsOf<Row, Key extends string> = {
  readonly [K in Key]: K extends keyof Row ? Column<Row> : Column<Row> & Required<Pick<Column<Row>, 'of'>>
}

/** Declares a table of rows: `tableOf<Session>()({ columns: { … } })`. TypeScript infers the keys of the columns. */
export const tableOf =
  <Row>() =>
  <Key extends string>(spec: TableSpec<Row, Key> & { readonly columns: ColumnsOf<Row, Key> }): TableSpec<Row, Key> =>
    spec

/** A column that a surface shows, with its key. */
export interface ShownColumn<Row> extends Column<Row> {
  readonly key: string
}

/** Returns the columns of a table that the window or a terminal shows. */
export function shownColumns<Row>(
  spec: TableSpec<Row>,
  surface: Surface,
  rows: readonly Row[],
  isTeam: boolean,
): readonly ShownColumn<Row>[] {
  return (spec[surface] ?? Object.keys(spec.columns)).flatMap((key) => {
    const column = spec.columns[key]
    if (column === undefined || column.only === OTHER[surface] || (column.only === 'team' && !isTeam)) return []
    const shown = { key, ...column }
    return column.only === 'filled' && rows.every((row) => isEmpty(valueOf(shown, row))) ? [] : [shown]
  })
}

const OTHER: Readonly<Record<Surface, Surface>> = { window: 'terminal', terminal: 'window' }

const isEmpty = (value: Value) => value === null || value === ''

/** Returns the value of a cell. */
export const valueOf = <Row>({ key, of }: ShownColumn<Row>, row: Row): Value =>
  plainValue(of === undefined ? fieldOf(row, key) : of(row))

const fieldOf = (row: unknown, key: string): unknown =>
  row !== null && typeof row === 'object' ? Reflect.get(row, key) : undefined

function plainValue(value: unknown): Value {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value
  return Array.isArray(value) ? value.join(', ') : null
}

/** The rows of a table as values, for a file. */
export interface ValueTable {
  readonly columns: readonly string[]
  readonly rows: readonly (readonly Value[])[]
}

/** Returns the rows of a table for a file. Its columns have the names of the operation's fields. */
export function valueTable<Row>(spec: TableSpec<Row>, rows: readonly Row[]): ValueTable {
  const columns = spec.file ?? Object.keys(spec.columns)
  return {
    columns,
    rows: rows.map((row) =>
      columns.map((key) => {
        const field = fieldOf(row, key)
        const column = spec.columns[key]
        return field === undefined && column !== undefined ? valueOf({ key, ...column }, row) : plainValue(field)
      }),
    ),
  }
}
