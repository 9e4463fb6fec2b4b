import { type NumberFormat, type ShownColumn, type TextFormat, valueOf } from './column.ts'

/** The formats of a surface. */
export interface Writer {
  /** Text for an unknown value. */
  readonly unknown: string
  readonly texts: { readonly [Format in TextFormat]: (text: string) => string }
  readonly numbers: { readonly [Format in Exclude<NumberFormat, 'money'>]: (value: number) => string }
  /** Returns the format of all amounts of a column. */
  readonly money: (amounts: readonly number[]) => (usd: number) => string
}

/** Returns a function that formats a row's cell in a column. `rows` are all rows of the table. */
export function cellWriter<Row>(column: ShownColumn<Row>, rows: readonly Row[], writer: Writer): (row: Row) => string {
  const { format = 'text' } = column
  const { unknown, texts } = writer
  if (!isOfNumbers(format)) {
    return (row) => {
      const value = valueOf(column, row)
      return value === null ? unknown : texts[format](String(value))
    }
  }
  const write =
    format === 'money'
      ? writer.money(rows.map((row) => valueOf(column, row)).filter((value) => typeof value === 'number'))
      : writer.numbers[format]
  return (row) => {
    const value = valueOf(column, row)
    return typeof value === 'number' ? write(value) : (value ?? unknown).toString()
  }
}

const NUMBERS: ReadonlySet<string> = new Set<NumberFormat>(['count', 'exact', 'money', 'duration', 'share'])
const isOfNumbers = (format: NumberFormat | TextFormat): format is NumberFormat => NUMBERS.has(format)

/** Returns whether a column is right-aligned. */
export const isRight = <Row>({ align, format = 'text' }: ShownColumn<Row>): boolean =>
  align === undefined ? isOfNumbers(format) : align === 'right'
