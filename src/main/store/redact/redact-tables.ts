import type { Redactor } from '../../redaction/redactor.ts'
import type { WritableDb } from '../database/connection.ts'
import { SUM_TABLES, tablesWithRole, type NamedTable } from '../tables.ts'
import { contentReader, contentRow } from '../log/contents.ts'
import { redactValue } from './redact-value.ts'

const PAGE = 50

/** Rows of sums by project, whose project is part of their key: they are merged, not rewritten. */
const BY_PROJECT = SUM_TABLES.filter(({ text }) => text.includes('project'))
/** Tables to redact, in an order that stays the same after a restart. */
const SWEPT = tablesWithRole('projection', 'people')
  .filter(({ text, sums }) => text.length > 0 && sums === undefined)
  .toSorted((a, b) => (a.name < b.name ? -1 : 1))

/**
 * Redacts what redacting events does not reach: the text of all other tables, including what people made, and contents
 * that no event refers to. `table` counts tables; null means that all are done.
 */
export function createTableSweep(db: WritableDb, redactor: Redactor) {
  const fetch = contentReader(db)
  const rewrite = db.prepare<[number, string, Uint8Array, number]>(
    'UPDATE contents SET bytes = ?, encoding = ?, data = ? WHERE id = ?',
  )
  const contentPage = db.prepare<[number], { id: number; hash: Buffer }>(
    `SELECT id, hash FROM contents WHERE id > ? ORDER BY id LIMIT ${PAGE}`,
  )

  function sweepRows({ name, text: columns }: NamedTable, after: number, deadline: number) {
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

  /** Redacts a small table without rowid (tasks, labels) at once. */
  function sweepByKeys({ name, text: columns }: NamedTable, keys: readonly string[]) {
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
        // It keeps its hash, under which something may still refer to it.
        const { bytes, encoding, data } = contentRow(redacted, [])
        rewrite.run(bytes, encoding, data, id)
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
    const swept = SWEPT[table - 1]
    if (swept) return done(swept.keys ? sweepByKeys(swept, swept.keys) : sweepRows(swept, after, deadline))
    let changed = 0
    for (const sums of BY_PROJECT) changed += mergeProjects(db, sums, redactor)
    return { table: null, after: 0, changed }
  }
}

/** Runs `page` until it returns no last row or the deadline passes. */
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

/** Adds the sums of each project to those of the name that the rules give it. */
function mergeProjects(db: WritableDb, { name: table, sums }: (typeof SUM_TABLES)[number], redactor: Redactor): number {
  const added = [...sums.counts, ...sums.totals]
  const names = [...sums.keys, ...added]
  const merge = db.prepare<[string, string]>(
    `INSERT INTO ${table} (${names.join(', ')})
     SELECT ${names.map((name) => (name === 'project' ? '?' : name)).join(', ')} FROM ${table} WHERE project = ?
     ON CONFLICT (${sums.keys.join(', ')}) DO UPDATE SET ${added.map((name) => `${name} = ${name} + excluded.${name}`).join(', ')}`,
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
