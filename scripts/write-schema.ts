/**
 * Writes the migration that brings a database of the newest version to the declared tables (`npm run schema`). The baselines
 * are frozen: stores of people have them.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { SESSION_FIGURES } from '../src/main/listings/session-figures.ts'
import { createTables } from '../src/main/store/database/create-tables.ts'
import { tablesWithRole } from '../src/main/store/tables.ts'

const folderOf = (folder: string) => join(import.meta.dirname, '..', folder)
const FOLDER = folderOf('src/main/store/database/migrations')
/** The tables of version 100, from which the first migration starts. */
const BASELINE = join(import.meta.dirname, 'schema/100.sql')
const TEAM_FOLDER = folderOf('src/main/team/store/migrations')

const HEAD =
  '-- Written by `npm run schema` from the declarations in src/main/store/schema. Never edit it once it is on main.'
const TEAM_HEAD =
  '-- Written by `npm run schema` from src/main/listings/session-figures.ts. Never edit it once it is on main.'

interface Definition {
  readonly type: 'table' | 'view' | 'index' | 'trigger'
  readonly name: string
  readonly tbl_name: string
  readonly sql: string
}

const FROM_LOG: ReadonlySet<string> = new Set(tablesWithRole('projection').map(({ name }) => name))

/** Returns the SQL that brings a database of the newest version to the declared tables; '' if nothing is missing. */
export function nextMigration(): string {
  const found = definitionsAfter((db) =>
    [BASELINE, ...files(FOLDER)].forEach((file) => db.exec(readFileSync(file, 'utf8'))),
  )
  const wanted = definitionsAfter(createTables)
  const changes: string[] = []
  const renewed = new Set<string>()
  for (const { type, name } of found.values())
    if (!wanted.has(name)) changes.push(`DROP ${type.toUpperCase()} IF EXISTS ${name};`)
  for (const definition of inOrder(wanted)) {
    const { type, name, tbl_name: table, sql } = definition
    const before = found.get(name)
    if (before !== undefined && !renewed.has(table) && partsOf(before.sql) === partsOf(sql)) continue
    const added = before === undefined || type !== 'table' ? null : addedColumns(before, definition)
    if (added !== null) {
      changes.push(...added.map((column) => `ALTER TABLE ${name} ADD COLUMN ${column};`))
      continue
    }
    if (before !== undefined && type === 'table' && !FROM_LOG.has(name) && !sql.startsWith('CREATE VIRTUAL'))
      throw new Error(`write the migration of ${name} by hand: its rows are no projection`)
    if (before !== undefined && !renewed.has(table)) changes.push(`DROP ${type.toUpperCase()} ${name};`)
    // Its indexes and triggers have gone with it.
    if (type === 'table' || type === 'view') renewed.add(name)
    changes.push(`${sql};`)
  }
  return changes.join('\n')
}

/** Returns the SQL that adds the figures of sessions that a team's store lacks, with their values; '' if it has all. */
export function nextTeamMigration(): string {
  const known = files(TEAM_FOLDER).map((file) => readFileSync(file, 'utf8'))
  const figures = known.join('\n')
  return Object.entries(SESSION_FIGURES)
    .filter(([name]) => !new RegExp(`^ {2}${name} |ALTER TABLE sessions ADD COLUMN ${name} `, 'm').test(figures))
    .map(([name, figure]) =>
      [
        `ALTER TABLE sessions ADD COLUMN ${name} ${figure.type}${'of' in figure ? ' NOT NULL DEFAULT 0' : ''};`,
        `UPDATE sessions SET ${name} = (SELECT ${figure.team} FROM events`,
        '  WHERE events.session_key = sessions.session_key AND events.member_id = sessions.member_id);',
      ].join('\n'),
    )
    .join('\n')
}

function files(folder: string): readonly string[] {
  const names = readdirSync(folder).filter((name) => /^\d{3}\.sql$/.test(name))
  return names.toSorted().map((name) => join(folder, name))
}

/** Returns the definitions of a database that has just been made, by name, without the tables behind full-text indexes. */
function definitionsAfter(create: (db: Database.Database) => void): ReadonlyMap<string, Definition> {
  const db = new Database(':memory:')
  try {
    db.unsafeMode(true)
    create(db)
    const shadows = new Set(
      (db.pragma('table_list') as { name: string; type: string }[])
        .filter(({ type }) => type === 'shadow')
        .map(({ name }) => name),
    )
    const all = db
      .prepare<[], Definition>('SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE sql IS NOT NULL')
      .all()
    return new Map(all.filter(({ tbl_name }) => !shadows.has(tbl_name)).map((one) => [one.name, one]))
  } finally {
    db.close()
  }
}

/** Tables and views first: indexes and triggers need them. */
function inOrder(definitions: ReadonlyMap<string, Definition>): readonly Definition[] {
  const rank = { table: 0, view: 1, index: 2, trigger: 3 }
  return [...definitions.values()].toSorted((a, b) => rank[a.type] - rank[b.type])
}

/** Returns a definition in a form that does not depend on layout, comments or the order of columns. */
function partsOf(sql: string): string {
  return `${headOf(sql)} ${columnsOf(sql).toSorted().join(', ')}`
}

const plain = (sql: string) =>
  sql
    .replaceAll(/--[^\n]*/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
const headOf = (sql: string) => (isTable(sql) ? plain(sql).replace(/\(.*\)/, '') : plain(sql))
const isTable = (sql: string) => sql.startsWith('CREATE TABLE')

/** Returns what stands between the brackets of CREATE TABLE, one text for each column or constraint. */
function columnsOf(sql: string): readonly string[] {
  if (!isTable(sql)) return []
  const text = plain(sql)
  const columns: string[] = []
  let depth = 0
  let from = text.indexOf('(') + 1
  for (let at = from; at < text.length; at++) {
    if (text[at] === '(') depth++
    if (depth === 0 && (text[at] === ',' || text[at] === ')')) {
      columns.push(text.slice(from, at).trim())
      from = at + 1
    }
    if (text[at] === ')' && --depth < 0) break
  }
  return columns
}

/** Returns the columns that a table gains, if that is all that changed and SQLite can add them; null otherwise. */
function addedColumns(before: Definition, { sql }: Definition): readonly string[] | null {
  const [had, has] = [columnsOf(before.sql), columnsOf(sql)]
  const added = has.filter((column) => !had.includes(column))
  const canAdd = added.every((column) => /^\w+ (?!.*PRIMARY KEY|.*UNIQUE)(.*DEFAULT|(?!.*NOT NULL))/.test(column))
  return headOf(before.sql) === headOf(sql) && had.every((column) => has.includes(column)) && canAdd ? added : null
}

/** Writes a migration as the next number of its folder. */
function write(folder: string, head: string, sql: string): void {
  if (sql === '') return
  const next = Number.parseInt(files(folder).at(-1)?.slice(-7) ?? '', 10) + 1
  writeFileSync(join(folder, `${next}.sql`), `${head}\n\n${sql}\n`)
}

if (import.meta.main) {
  write(FOLDER, HEAD, nextMigration())
  write(TEAM_FOLDER, TEAM_HEAD, nextTeamMigration())
}
