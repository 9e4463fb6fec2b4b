import type { Redactor } from '../../redaction/redactor.ts'
import type { WritableDb } from '../database/connection.ts'
import { SUM_TABLES, tablesWithRole, type NamedTable } from '../tables.ts'
import { contentReader, contentRow } from '../log/contents.ts'
import { redactValue } from './redact-value.ts'

const PAGE = 50
/** Rows of sums of one step. */
const SUMS_PAGE = 200

/** Rows of sums by project, whose project is part of their key: they are merged, not rewritten. */
const BY_PROJECT = SUM_TABLES.filter(({ text }) => text.includes('project'))
/** Tables to redact, in an order that stays the same after a restart. */
const SWEPT = tablesWithRole('projection', 'people')
  .filter(({ text, sums }) => text.length > 0 && sums === undefined)
  .toSorted((a, b) => (a.name < b.name ? -1 : 1))

/**
 * Redacts the text that events do not contain: all other tables, including people's own entries, and contents that no
 * event refers to. `table` counts tables; null means that all are done.
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

  const merging = mergeAllProjects(db, redactor)
  function sweepSums(table: number, deadline: number) {
    let changed = 0
    do {
      const page = merging.next()
      if (page.done) return { table: null, after: 0, changed }
      changed += page.value
    } while (performance.now() < deadline)
    return { table, after: 0, changed }
  }

  return (table: number, after: number, deadline: number) => {
    const done = (result: { next: number | null; changed: number }) =>
      result.next === null
        ? { table: table + 1, after: 0, changed: result.changed }
        : { table, after: result.next, changed: result.changed }
    if (table === 0) return done(sweepContents(after, deadline))
    const swept = SWEPT[table - 1]
    if (swept) return done(swept.keys ? sweepByKeys(swept, swept.keys) : sweepRows(swept, after, deadline))
    return sweepSums(table, deadline)
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

/** Merges the sums of all tables, in steps. Yields the number of rows that a step changed. */
function* mergeAllProjects(db: WritableDb, redactor: Redactor): Generator<number, void, void> {
  const names = new Map<string, string>()
  const nameOf = (project: string): string => {
    const name = names.get(project) ?? redactor.text(project)
    names.set(project, name)
    return name
  }
  for (const sums of BY_PROJECT) yield* mergeProjects(db, sums, nameOf)
}

/**
 * Adds the sums of each project to those of the name that the rules give it. If it is interrupted, it starts over:
 * merged rows no longer have another name.
 */
function* mergeProjects(
  db: WritableDb,
  { name: table, sums }: (typeof SUM_TABLES)[number],
  nameOf: (project: string) => string,
): Generator<number, void, void> {
  const { keys } = sums
  const added = [...sums.counts, ...sums.totals]
  const names = [...keys, ...added]
  const isRow = keys.map((key) => `${key} = @${key}`).join(' AND ')
  const page = db.prepare<string[], Record<string, string>>(
    `SELECT ${keys.join(', ')} FROM ${table} WHERE (${keys.join(', ')}) > (${keys.map(() => '?').join(', ')})
     ORDER BY ${keys.join(', ')} LIMIT ${SUMS_PAGE}`,
  )
  const merge = db.prepare<[Record<string, string>]>(
    `INSERT INTO ${table} (${names.join(', ')})
     SELECT ${names.map((name) => (name === 'project' ? '@named' : name)).join(', ')} FROM ${table} WHERE ${isRow}
     ON CONFLICT (${keys.join(', ')}) DO UPDATE SET ${added.map((name) => `${name} = ${name} + excluded.${name}`).join(', ')}`,
  )
  const remove = db.prepare<[Record<string, string>]>(`DELETE FROM ${table} WHERE ${isRow}`)
  let rows = page.all(...keys.map(() => ''))
  for (let last = rows.at(-1); last !== undefined; last = rows.at(-1)) {
    let changed = 0
    for (const row of rows) {
      const { project = '' } = row
      const named = nameOf(project)
      if (named === project) continue
      merge.run({ ...row, named })
      changed += remove.run(row).changes
    }
    yield changed
    rows = page.all(...Object.values(last))
  }
}
