import type Database from 'better-sqlite3'
import type { NamedTable } from '../tables.ts'

export type Row = readonly unknown[]
type Key = readonly unknown[]

/** Rows read at a time where nothing is damaged. */
const PAGE = 200

/**
 * Yields the rows of a damaged table that SQLite can still read, in pages; some may come twice, and rows next to the
 * damage may be skipped. Pages are halved around an error, and reading goes on behind it. A table without rowids is also
 * read from its end, and through its indexes. Returns true if some part could not be read.
 */
export function* readableRows(db: Database.Database, table: NamedTable): Generator<readonly Row[], boolean, void> {
  const keys = table.keys ?? [idOf(table)]
  const own = new Scan(db, table, keys, null)
  yield* own.rows()
  if (!own.isCut || table.withoutRowid !== true) return own.isCut
  yield* new Scan(db, table, keys, null, 'DESC').rows()
  for (const [index, columns] of Object.entries(table.indexes ?? {})) {
    if (columns.includes('WHERE')) continue
    const named = /\(([^)]*)\)/.exec(columns)?.[1]?.split(', ') ?? []
    for (const order of ['ASC', 'DESC'] as const)
      yield* new Scan(db, table, [...new Set([...named, ...keys])], index, order).rows()
  }
  return true
}

/** The column with the rowid. */
export function idOf(table: NamedTable): string {
  const found = Object.keys(table.columns).find((name) => String(table.columns[name]).startsWith('INTEGER PRIMARY KEY'))
  return found ?? 'rowid'
}

/** Yields the rows with one of the ids that SQLite can read one by one. */
export function* rowsAt(
  db: Database.Database,
  table: NamedTable,
  ids: Iterable<number>,
): Generator<readonly Row[], void> {
  const one = new Scan(db, table, [table.keys?.[0] ?? idOf(table)], null)
  let tries = 0
  for (const id of ids) {
    const rows = one.at(id)
    tries += 1
    if (rows.length > 0 || tries % PAGE === 0) yield rows
  }
}

/** Reads a table in the order of a key. */
class Scan {
  readonly #db: Database.Database
  readonly #table: NamedTable
  readonly #keys: readonly string[]
  readonly #index: string | null
  readonly #order: 'ASC' | 'DESC'
  readonly #places: readonly number[]
  readonly #isText: boolean
  readonly #statements = new Map<string, Database.Statement<unknown[], Row>>()
  /** True once some part could not be read. */
  isCut = false

  constructor(
    db: Database.Database,
    table: NamedTable,
    keys: readonly string[],
    index: string | null,
    order: 'ASC' | 'DESC' = 'ASC',
  ) {
    this.#db = db
    this.#table = table
    this.#keys = keys
    this.#index = index
    this.#order = order
    const names = Object.keys(table.columns)
    this.#places = keys.map((key) => names.indexOf(key))
    this.#isText = !String(table.columns[keys[0] ?? '']).startsWith('INTEGER')
  }

  *rows(): Generator<readonly Row[], void, void> {
    let after: Key | null = null
    let limit = PAGE
    const passed = new Set<string>()
    for (;;) {
      const page = this.#after(after, limit)
      const reached: Key | null = page === null ? null : this.#furthest(page)
      if (page !== null && reached === null) return
      if (page !== null) yield page
      // Damage may put rows out of order, so that what was read comes again.
      if (reached !== null && !passed.has(JSON.stringify(reached))) {
        after = reached
        limit = Math.min(PAGE, limit * 2)
      } else if (page === null && limit > 1) limit = Math.floor(limit / 2)
      else {
        this.isCut = true
        // Read backwards, a table is read as far as the damage.
        if (this.#order === 'DESC') return
        const next: Row | null = this.#beyond(after)
        if (next === null || passed.has(JSON.stringify(this.#keyOf(next)))) return
        yield [next]
        after = this.#keyOf(next)
      }
      passed.add(JSON.stringify(after))
    }
  }

  /** The key up to which a page was read; null if it has no row. */
  #furthest(page: readonly Row[]): Key | null {
    const last = page.at(-1)
    if (last === undefined) return null
    const key = this.#keyOf(last)
    if (this.#keys.length > 1 || typeof key[0] !== 'number' || this.#order === 'DESC') return key
    const most = Math.max(...page.map((row) => Number(this.#keyOf(row)[0])))
    if (most !== key[0]) this.isCut = true
    return [most]
  }

  at(id: number): readonly Row[] {
    return this.#read(`${this.#keys[0]} = ?`, [id], -1) ?? []
  }

  #keyOf(row: Row): Key {
    return this.#places.map((place) => row[place])
  }

  /** The first row of the nearest place behind the damage; null if there is none. */
  #beyond(after: Key | null): Row | null {
    const first = after?.[0] ?? (this.#isText ? '' : 0)
    for (const start of startsAfter(first)) {
      const found = this.#read(`${this.#keys[0]} >= ?`, [start], 1)
      if (found !== null) return found[0] ?? null
    }
    return null
  }

  #after(after: Key | null, limit: number): readonly Row[] | null {
    if (after === null) return this.#read('1', [], limit)
    const sign = this.#order === 'ASC' ? '>' : '<'
    return this.#read(`(${this.#keys.join(', ')}) ${sign} (${this.#keys.map(() => '?').join(', ')})`, after, limit)
  }

  /** Returns null if a page that is needed cannot be read. */
  #read(where: string, values: Key, limit: number): readonly Row[] | null {
    const { name, columns } = this.#table
    const order = this.#keys.map((key) => `${key} ${this.#order}`).join(', ')
    const from = this.#index === null ? name : `${name} INDEXED BY ${this.#index}`
    const sql = `SELECT ${Object.keys(columns).join(', ')} FROM ${from} WHERE ${where} ORDER BY ${order} LIMIT ${limit}`
    try {
      const statement = this.#statements.get(sql) ?? this.#db.prepare<unknown[], Row>(sql).raw()
      this.#statements.set(sql, statement)
      return statement.all(...values)
    } catch (error) {
      // Also numbers that no recorded row has, which damage made up.
      if (error instanceof Error && (error instanceof RangeError || error.name === 'SqliteError')) return null
      throw error
    }
  }
}

/** Yields keys behind another, nearest first. */
function* startsAfter(first: unknown): Generator<unknown> {
  if (typeof first === 'number') for (let step = 1; step < 2 ** 40; step *= 2) yield first + step
  else if (first === '') for (let code = 0x21; code < 0x7f; code += 1) yield String.fromCharCode(code)
  else if (typeof first === 'string')
    for (let at = first.length - 1; at >= 0; at -= 1)
      yield first.slice(0, at) + String.fromCharCode(first.charCodeAt(at) + 1)
}
