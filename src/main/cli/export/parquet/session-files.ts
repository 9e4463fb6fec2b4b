import { createHash } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { COLUMNS, type Row, type TableName } from './columns.ts'
import { ParquetFile } from './parquet-file.ts'

const FILE = 'data.parquet'
/** Rows of a session are written when they take this many characters together. */
const MAX_WAITING = 8_000_000

/** The files written for a session, relative to the export, and its row counts. */
export interface WrittenSession {
  readonly folders: readonly string[]
  readonly rows: { readonly [table in TableName]: number }
}

/** The files of one session: one for each table and month that has rows. */
export class SessionFiles {
  readonly #root: string
  readonly #session: string
  readonly #files = new Map<string, ParquetFile>()
  readonly #rows = { events: 0, texts: 0, usage: 0 }
  #waiting = 0

  constructor(root: string, sessionId: string) {
    this.#root = root
    this.#session = sessionFolder(sessionId)
  }

  add<Table extends TableName>(table: Table, row: Row<Table>): void {
    const file = this.#fileOf(table, monthOf(row.ts_wall))
    const before = file.waiting
    file.add(row)
    this.#rows[table] += 1
    this.#waiting += file.waiting - before
    if (this.#waiting < MAX_WAITING) return
    for (const each of this.#files.values()) each.flush()
    this.#waiting = 0
  }

  finish(): WrittenSession {
    for (const file of this.#files.values()) file.finish()
    return { folders: [...this.#files.keys()], rows: this.#rows }
  }

  #fileOf(table: TableName, month: string): ParquetFile {
    const folder = join(table, `month=${month}`, `session=${this.#session}`)
    const known = this.#files.get(folder)
    if (known !== undefined) return known
    const path = join(this.#root, folder, FILE)
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    const file = new ParquetFile(path, table)
    this.#files.set(folder, file)
    return file
  }
}

/** The folders of the tables in an export. */
export const TABLES = Object.keys(COLUMNS) as TableName[]

/** Returns the month of a time in UTC, such as `2026-11`; `unknown` if it is not a time with a four-digit year. */
function monthOf(time: unknown): string {
  return /^\d{4}-(0[1-9]|1[0-2])(?=-)/.exec(String(time))?.[0] ?? 'unknown'
}

/** Returns a name that is safe on every file system and different for each session, in upper and lower case too. */
function sessionFolder(id: string): string {
  if (/^[a-z0-9][a-z0-9_-]{0,99}$/.test(id)) return id
  const hash = createHash('sha256').update(id).digest('hex').slice(0, 16)
  return `${id.replaceAll(/[^A-Za-z0-9_-]+/g, '_').slice(0, 60)}.${hash}`
}
