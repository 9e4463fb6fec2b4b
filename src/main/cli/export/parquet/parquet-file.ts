import { appendFileSync } from 'node:fs'
import { zstdCompressSync } from 'node:zlib'
import { ByteWriter, ParquetWriter, schemaFromColumnData } from 'hyparquet-writer'
import { COLUMNS, type Cell, type ColumnType, type TableName } from './columns.ts'

const TYPES = {
  string: 'STRING',
  integer: 'INT64',
  double: 'DOUBLE',
  boolean: 'BOOLEAN',
  timestamp: 'TIMESTAMP',
} as const satisfies { readonly [type in ColumnType]: string }

type AnyRow = { readonly [column: string]: Cell }

/** One file of an export. Rows wait in memory until `flush` appends them as a row group. */
export class ParquetFile {
  /** Estimate of the memory that waiting rows take, in characters. */
  waiting = 0
  #rows: AnyRow[] = []
  readonly #columns: readonly (readonly [name: string, type: ColumnType])[]
  readonly #writer: ParquetWriter

  /** `path`: a file that does not exist yet, in a folder that does. Its owner alone can read it. */
  constructor(path: string, table: TableName) {
    this.#columns = Object.entries<ColumnType>(COLUMNS[table])
    const columnData = this.#columns.map(([name, type]) => ({ name, type: TYPES[type], data: [] }))
    this.#writer = new ParquetWriter({
      writer: new AppendingWriter(path),
      schema: schemaFromColumnData({ columnData }).map(withoutZone),
      codec: 'ZSTD',
      compressors: { ZSTD: (bytes) => zstdCompressSync(bytes) },
      createdBy: 'aspy',
    })
  }

  add(row: AnyRow): void {
    this.#rows.push(row)
    for (const value of Object.values(row)) this.waiting += typeof value === 'string' ? value.length : 8
  }

  /** Appends the waiting rows as one row group. */
  flush(): void {
    const rows = this.#rows
    if (rows.length === 0) return
    this.#rows = []
    this.waiting = 0
    const columnData = this.#columns.map(([name, type]) => ({ name, data: rows.map((row) => stored(type, row[name])) }))
    void this.#writer.write({ columnData, rowGroupSize: rows.length })
  }

  /** Appends the waiting rows and the footer, without which the file cannot be read. */
  finish(): void {
    this.flush()
    void this.#writer.finish()
  }
}

/** Appends each finished row group to the file and keeps no file open in between: a session can have many. */
class AppendingWriter extends ByteWriter {
  readonly #path: string

  constructor(path: string) {
    super()
    this.#path = path
  }

  flush(): void {
    appendFileSync(this.#path, this.getBytes(), { mode: 0o600 })
    this.index = 0
  }

  override finish(): void {
    this.flush()
  }
}

type Element = ReturnType<typeof schemaFromColumnData>[number]

/** Declares timestamps as UTC without a zone, so that readers compute days in UTC wherever they run. */
function withoutZone(element: Element): Element {
  if (element.converted_type !== 'TIMESTAMP_MILLIS') return element
  const { converted_type: _, ...rest } = element
  return { ...rest, logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: false, unit: 'MILLIS' } }
}

/** Returns a value as the library takes it; null if a number or a time does not fit its column. */
function stored(type: ColumnType, value: Cell | undefined): Cell | bigint | Date | undefined {
  if (value === null || value === undefined) return undefined
  switch (type) {
    case 'integer':
      return typeof value === 'number' && Number.isSafeInteger(value) ? BigInt(value) : undefined
    case 'timestamp': {
      const time = new Date(String(value))
      return Number.isNaN(time.getTime()) ? undefined : time
    }
    case 'string':
      return String(value)
    case 'boolean':
    case 'double':
      return value
  }
}
