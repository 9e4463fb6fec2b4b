import type { Redactor } from '../../redaction/redactor.ts'
import type { WritableDb } from '../database/connection.ts'
import { contentReader } from '../log/contents.ts'
import { redactValue } from './redact-value.ts'
import { zstdCompressSync } from 'node:zlib'

const PAGE = 50

/** Columns that name something: their values are no texts, and other rows refer to them. */
const NAMING = /^(?:id|key|uuid|hash|path|.*_(?:id|uuid|hash))$/
/** Tables with another way of their own, or without text of anyone. */
const APART = new Set([
  'events',
  'key_rows',
  'parent_keys',
  'sighting_rows',
  'contents',
  'ancestry',
  'event_counts',
  'metadata',
])

interface TextTable {
  readonly name: string
  /** Columns of the primary key, where that is all a row is known by; else it has a rowid. */
  readonly keys: readonly string[]
  readonly columns: readonly string[]
}

/**
 * Redacts what the log's rows did not lead to: every text column of every other table (people's own among them), and
 * contents that no event names. `table` counts tables; null: all are done.
 */
export function createTableSweep(db: WritableDb, redactor: Redactor) {
  const tables = textTables(db)
  const byProject = tables.filter(isByProject)
  const others = tables.filter((table) => !isByProject(table))
  const fetch = contentReader(db)
  const rewrite = db.prepare<[number, string, Buffer, number]>(
    'UPDATE contents SET bytes = ?, encoding = ?, data = ? WHERE id = ?',
  )
  const contentPage = db.prepare<[number], { id: number; hash: Buffer }>(
    `SELECT id, hash FROM contents WHERE id > ? ORDER BY id LIMIT ${PAGE}`,
  )

  function sweepRows({ name, columns }: TextTable, after: number, deadline: number) {
    const page = db.prepare<[number], { row_id: number } & Record<string, string | number | null>>(
      `SELECT rowid AS row_id, ${columns.join(', ')} FROM ${name} WHERE rowid > ? ORDER BY rowid LIMIT ${PAGE}`,
    )
    const updates = new Map(
      columns.map((column) => [
        column,
        db.prepare<[string, number]>(`UPDATE ${name} SET ${column} = ? WHERE rowid = ?`),
      ]),
    )
    return inPages(after, deadline, (from) => {
      const rows = page.all(from)
      let changed = 0
      for (const row of rows)
        for (const [column, update] of updates) {
          const value = row[column]
          if (typeof value !== 'string') continue
          const redacted = redactValue(value, redactor)
          if (redacted === value) continue
          update.run(redacted, row.row_id)
          changed += 1
        }
      return { last: rows.at(-1)?.row_id ?? null, changed }
    })
  }

  /** Small tables without rowid (tasks, labels, memories …), each in one go. */
  function sweepByKeys({ name, keys, columns }: TextTable) {
    let changed = 0
    for (const column of columns) {
      const update = db.prepare<(string | number)[]>(
        `UPDATE ${name} SET ${column} = ? WHERE ${keys.map((key) => `${key} = ?`).join(' AND ')}`,
      )
      const rows = db
        .prepare<[], (string | number)[]>(
          `SELECT ${column}, ${keys.join(', ')} FROM ${name} WHERE ${column} IS NOT NULL`,
        )
        .raw()
        .all()
      for (const [value, ...key] of rows) {
        const redacted = redactValue(String(value), redactor)
        if (redacted !== value) changed += update.run(redacted, ...key).changes
      }
    }
    return { next: null, changed }
  }

  function sweepContents(after: number, deadline: number) {
    return inPages(after, deadline, (from) => {
      const rows = contentPage.all(from)
      let changed = 0
      for (const { id, hash } of rows) {
        const text = fetch(hash.toString('hex')) ?? ''
        const redacted = redactValue(text, redactor)
        if (redacted === text) continue
        // Kept under its hash: whoever may still name it finds it there.
        const [plain, packed] = [Buffer.from(redacted), zstdCompressSync(redacted)]
        const smaller = packed.length < plain.length
        rewrite.run(plain.length, smaller ? 'zstd' : 'plain', smaller ? packed : plain, id)
        changed += 1
      }
      return { last: rows.at(-1)?.id ?? null, changed }
    })
  }

  return (table: number, after: number, deadline: number) => {
    const done = (result: { next: number | null; changed: number }) =>
      result.next === null
        ? { table: table + 1, after: 0, changed: result.changed }
        : { table, after: result.next, changed: result.changed }
    if (table === 0) return done(sweepContents(after, deadline))
    const rows = others[table - 1]
    if (rows) return done(rows.keys.length > 0 ? sweepByKeys(rows) : sweepRows(rows, after, deadline))
    let changed = 0
    for (const { name } of byProject) changed += mergeProjects(db, name, redactor)
    return { table: null, after: 0, changed }
  }
}

/** Runs `page` until it gives no last row, or the time is over. */
function inPages(
  after: number,
  deadline: number,
  page: (after: number) => { readonly last: number | null; readonly changed: number },
): { readonly next: number | null; readonly changed: number } {
  let [next, changed] = [after, 0]
  do {
    const done = page(next)
    changed += done.changed
    if (done.last === null) return { next: null, changed }
    next = done.last
  } while (performance.now() < deadline)
  return { next, changed }
}

function textTables(db: WritableDb): readonly TextTable[] {
  const names = db
    .prepare<[], { name: string; wr: number }>(
      "SELECT name, wr FROM pragma_table_list WHERE schema = 'main' AND type = 'table' ORDER BY name",
    )
    .all()
  const columnsOf = db
    .prepare<[string], string>("SELECT name FROM pragma_table_info(?) WHERE type = 'TEXT' ORDER BY cid")
    .pluck()
  const keysOf = db.prepare<[string], string>('SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk').pluck()
  return names
    .filter(({ name }) => !APART.has(name) && !name.startsWith('sqlite_'))
    .map(({ name, wr }) => ({
      name,
      keys: wr === 1 ? keysOf.all(name) : [],
      columns: columnsOf.all(name).filter((column) => !NAMING.test(column)),
    }))
    .filter(({ columns }) => columns.length > 0)
}

/** Counts kept by project: their project is a part of their key, and there is no rowid. */
const isByProject = ({ name }: TextTable): boolean => name === 'rollups' || name === 'tool_rollups'

/** Counts of a project go to the name that it has by the rules. */
function mergeProjects(db: WritableDb, table: string, redactor: Redactor): number {
  const columns = db
    .prepare<[string], { name: string; pk: number }>('SELECT name, pk FROM pragma_table_info(?)')
    .all(table)
  const names = columns.map(({ name }) => name)
  const keys = columns.filter(({ pk }) => pk > 0).map(({ name }) => name)
  const sums = columns.filter(({ pk }) => pk === 0).map(({ name }) => `${name} = ${name} + excluded.${name}`)
  const merge = db.prepare<[string, string]>(
    `INSERT INTO ${table} (${names.join(', ')})
     SELECT ${names.map((name) => (name === 'project' ? '?' : name)).join(', ')} FROM ${table} WHERE project = ?
     ON CONFLICT (${keys.join(', ')}) DO UPDATE SET ${sums.join(', ')}`,
  )
  const remove = db.prepare<[string]>(`DELETE FROM ${table} WHERE project = ?`)
  let changed = 0
  for (const project of db.prepare<[], string>(`SELECT DISTINCT project FROM ${table}`).pluck().all()) {
    const redacted = redactor.text(project)
    if (redacted === project) continue
    merge.run(redacted, project)
    changed += remove.run(project).changes
  }
  return changed
}
