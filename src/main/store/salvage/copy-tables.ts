import type Database from 'better-sqlite3'
import type { WritableDb } from '../database/connection.ts'
import { contentReader } from '../log/contents.ts'
import { FOLLOWED_FOLDER } from '../log/import-checkpoint.ts'
import { createRetain, namedContents } from '../log/release-contents.ts'
import { wholeContents, type ReadContent } from '../log/whole-content.ts'
import { tablesWithRole, type NamedTable } from '../tables.ts'
import { mendPayload } from './mend-payload.ts'
import { idOf, readableRows, rowsAt, type Row } from './readable-rows.ts'

/** Derived from transcripts, which are looked through again. */
const PREVIEWS = new Set(['preview_files', 'preview_sessions', 'preview_items'])
/** Filled by triggers while the others are copied, or dependent on whether anything is missing. */
const LAST = new Set(['changes', 'transcript_files'])
const COUNTED_AT_ONCE = 200
/** Bounds the ids without a row that are looked up, and how far behind the last row. */
const MAX_TRIES = 1_000_000
const MAX_BEYOND = 10_000

/**
 * Copies what can be read of the log, and of what people and the store itself noted, to a new database. Returns true if
 * some of the log could not be read.
 */
export function* copyTables(
  from: Database.Database,
  to: WritableDb,
  hash: (text: string) => string,
): Generator<void, boolean, void> {
  const tables = tablesWithRole('log', 'people', 'upkeep').filter(({ name }) => !PREVIEWS.has(name))
  const sample = tried(() => from.prepare<[], ReadContent>('SELECT hash, encoding, data FROM contents LIMIT 100').all())
  const isWhole = wholeContents(sample ?? [], hash)
  let isCut = false
  // Rows of the log are kept only with their event: a key without one would keep it from being imported again.
  const inOrder = [...tables].sort((one, other) => placeOf(one) - placeOf(other))
  for (const table of inOrder) {
    if (LAST.has(table.name)) continue
    const isTableCut = yield* copyTable(from, to, table, mendingOf(table, to, isWhole))
    if (table.role === 'log') isCut ||= isTableCut
  }
  yield* countReferences(to)
  to.exec('DELETE FROM changes')
  for (const table of tables) {
    if (!LAST.has(table.name)) continue
    // Transcripts are read again from the start, which fills in what they still have.
    const isKept = (row: Row) => !isCut || table.name === 'changes' || row[1] === FOLLOWED_FOLDER
    yield* copyTable(from, to, table, (row) => (isKept(row) ? row : null))
  }
  to.prepare("DELETE FROM metadata WHERE key = 'log_open'").run()
  keepSequences(from, to)
  return isCut
}

/** Texts come before the events that refer to them, and events before the rows that belong to them. */
const placeOf = (table: NamedTable): number => (table.name === 'contents' ? 0 : isOfEvent(table) ? 2 : 1)

const isOfEvent = ({ role, owner }: NamedTable): boolean => role === 'log' && owner === 'event_id'

function* copyTable(from: Database.Database, to: WritableDb, table: NamedTable, mend: (row: Row) => Row | null) {
  const names = Object.keys(table.columns)
  // The new database already has some notes of its own, such as when it was created.
  const verb = table.name === 'metadata' ? 'INSERT OR REPLACE' : 'INSERT OR IGNORE'
  const insert = to.prepare(
    `${verb} INTO ${table.name} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
  )
  let isCut = false
  const copy = to.transaction((rows: readonly Row[]) => {
    for (const row of rows) {
      const mended = mend(row)
      if (mended !== row) isCut = true
      if (mended !== null) insert.run(...mended)
    }
  })
  const pages = readableRows(from, table)
  for (let page = pages.next(); ; page = pages.next()) {
    if (page.done) {
      isCut ||= page.value
      break
    }
    copy(page.value)
    yield
  }
  // Torn pages may also read as empty ones, so ids that have no row yet are looked up.
  for (const rows of rowsAt(from, table, unseenIds(from, to, table, isCut))) {
    copy(rows)
    yield
  }
  return isCut
}

/** Ids that a table may have beyond the rows that were copied. */
function* unseenIds(from: Database.Database, to: WritableDb, table: NamedTable, isCut: boolean) {
  if (table.withoutRowid === true) {
    if (isCut && isOfEvent(table)) yield* to.prepare<[], number>('SELECT id FROM events').pluck().all()
    return
  }
  if (table.name === 'changes') return
  const id = idOf(table)
  const page = to
    .prepare<[number], number>(`SELECT ${id} FROM ${table.name} WHERE ${id} > ? ORDER BY ${id} LIMIT 1000`)
    .pluck()
  let tries = 0
  let before = 0
  for (let ids = page.all(before); ids.length > 0; ids = page.all(before))
    for (const next of ids) {
      for (let gap = before + 1; gap < next && tries < MAX_TRIES; gap += 1, tries += 1) yield gap
      before = next
    }
  const known = knownIds(from, table)
  if (known.length === 0 && !isCut) return
  const last = Math.min(before + MAX_BEYOND, ...known)
  for (let beyond = before + 1; beyond <= last; beyond += 1) yield beyond
}

/** The highest id of a table by its sequence and its indexes, as far as they can be read. */
function knownIds(from: Database.Database, table: NamedTable): readonly number[] {
  const asked = [
    `SELECT seq FROM sqlite_sequence WHERE name = '${table.name}'`,
    ...Object.keys(table.indexes ?? {}).map((index) => `SELECT max(rowid) FROM ${table.name} INDEXED BY ${index}`),
  ]
  const known = asked.map((sql) => tried(() => from.prepare<[], number>(sql).pluck().get()) ?? 0)
  const most = Math.max(0, ...known.filter((id) => Number.isSafeInteger(id)))
  return most === 0 ? [] : [most]
}

/** Leaves out rows that damage made up, or whose event is lost, and notes lost texts in the others. */
function mendingOf(
  table: NamedTable,
  to: WritableDb,
  isWhole: (row: ReadContent) => boolean,
): (row: Row) => Row | null {
  const names = Object.keys(table.columns)
  const at = (name: string) => names.indexOf(name)
  const payload = at('payload')
  const read = contentReader(to)
  const mended = (row: Row): Row | null => {
    const json = row[payload]
    if (typeof json !== 'string') return row
    const mendedJson = mendPayload(json, read)
    if (mendedJson === null && table.name === 'events') return null
    return mendedJson === json ? row : row.with(payload, mendedJson)
  }
  if (table.name === 'contents') {
    const [key, encoding, data] = [at('hash'), at('encoding'), at('data')]
    return (row) => (isWhole({ hash: row[key], encoding: row[encoding], data: row[data] }) ? row : null)
  }
  if (table.name === 'events') return mended
  if (!isOfEvent(table)) return (row) => row
  const event = to.prepare<[unknown]>('SELECT 1 FROM events WHERE id = ?')
  const owner = at('event_id')
  return (row) => (event.get(row[owner]) === undefined ? null : mended(row))
}

/** Counts the references to each text again, and removes texts that nothing refers to. */
function* countReferences(to: WritableDb): Generator<void, void, void> {
  const retain = createRetain(to)
  to.exec('UPDATE contents SET refs = 0')
  for (const table of ['events', 'sighting_rows']) {
    const page = to.prepare<[number], { id: number; payload: string | null }>(
      `SELECT id, payload FROM ${table} WHERE id > ? ORDER BY id LIMIT ${COUNTED_AT_ONCE}`,
    )
    const count = to.transaction((rows: readonly { payload: string | null }[]) => {
      for (const { payload } of rows) if (payload !== null) retain(namedContents(payload))
    })
    for (let after = 0; ;) {
      const rows = page.all(after)
      const last = rows.at(-1)
      if (last === undefined) break
      count(rows)
      after = last.id
      yield
    }
  }
  to.exec('DELETE FROM contents WHERE refs = 0')
}

/** New rows get none of the numbers that were given before, even if their rows are lost. */
function keepSequences(from: Database.Database, to: WritableDb): void {
  const set = to.prepare<[number, string, number]>('UPDATE sqlite_sequence SET seq = ? WHERE name = ? AND seq < ?')
  const add = to.prepare<[string, string]>(
    'INSERT INTO sqlite_sequence (name, seq) SELECT ?, 0 WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = ?)',
  )
  for (const table of tablesWithRole('log', 'upkeep')) {
    if (!String(table.columns[idOf(table)]).includes('AUTOINCREMENT')) continue
    add.run(table.name, table.name)
    for (const most of knownIds(from, table)) set.run(most, table.name, most)
  }
}

/** Returns undefined if what is asked cannot be read. */
export function tried<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof RangeError || (error instanceof Error && error.name === 'SqliteError')) return undefined
    throw error
  }
}
