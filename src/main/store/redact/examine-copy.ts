import { closeSync, existsSync, openSync, readSync, rmSync } from 'node:fs'
import Database from 'better-sqlite3'
import type { AnyEvent, Json } from '../../../shared/event.ts'
import type { AnyDraft } from '../../decode/draft.ts'
import type { Redactor } from '../../redaction/redactor.ts'
import { existingArchives } from '../archive/archive-tables.ts'
import type { ReadableDb } from '../database/connection.ts'
import { contentReader, contentText } from '../log/contents.ts'
import { EVENT_COLUMNS, eventOfRow, type EventRow } from '../log/log.ts'
import { tablesWithRole } from '../tables.ts'
import type { KeptCopy } from '../transfer/kept-copies.ts'
import { createArchiveChanges, messagesOf } from './redact-archives.ts'
import { redactValue } from './redact-value.ts'

/** True if the rules would change anything in a copy; 'unreadable' for a damaged copy or one of another version. */
export type CopyContent = 'unredacted' | 'nothing' | 'unreadable'

const PAGE = 20
const CHUNK_BYTES = 256 * 1024
/** Longer than most secrets, which may lie across two chunks. */
const OVERLAP_BYTES = 4096

/** Examines a copy with the current rules, up to the first text that they would change. Changes nothing in it. */
export function* examineCopy(copy: KeptCopy, redactor: Redactor): Generator<void, CopyContent, void> {
  if (copy.database === null) return 'unreadable'
  const content = yield* examineDatabase(copy.database, copy.archives, redactor)
  return content === 'unreadable' && (yield* isTextChanged(copy.database, redactor)) ? 'unredacted' : content
}

function* examineDatabase(path: string, archives: string | null, redactor: Redactor) {
  // A reader of a database in WAL mode leaves these.
  const made = ['-wal', '-shm'].map((part) => path + part).filter((file) => !existsSync(file))
  try {
    const db = new Database(path, { readonly: true, fileMustExist: true }) as unknown as ReadableDb
    try {
      for (const isChanged of changesIn(db, archives, redactor)) {
        if (isChanged) return 'unredacted'
        yield
      }
      return 'nothing'
    } finally {
      db.close()
    }
  } catch {
    // A copy may be damaged in any way, which is why some are kept.
    return 'unreadable'
  } finally {
    for (const file of made) rmSync(file, { force: true })
  }
}

/** Looks for secrets in the bytes of a file that SQLite cannot read. */
function* isTextChanged(path: string, redactor: Redactor): Generator<void, boolean, void> {
  const file = openSync(path, 'r')
  const chunk = Buffer.alloc(CHUNK_BYTES)
  try {
    for (let at = 0; ; at += CHUNK_BYTES - OVERLAP_BYTES) {
      const bytes = readSync(file, chunk, 0, CHUNK_BYTES, at)
      const text = chunk.toString('latin1', 0, bytes)
      if (redactor.text(text) !== text) return true
      if (bytes < CHUNK_BYTES) return false
      yield
    }
  } finally {
    closeSync(file)
  }
}

function* changesIn(db: ReadableDb, archives: string | null, redactor: Redactor): Generator<boolean, void, void> {
  yield* changedEvents(db, redactor)
  yield* changedContents(db, redactor)
  yield* changedRows(db, redactor)
  if (archives === null) return
  const archived = createArchiveChanges(db, archives, redactor)
  for (const _ of archived.noteCalls()) yield false
  for (const archive of existingArchives(db)) yield* archived.examine(archive)
}

function* changedEvents(db: ReadableDb, redactor: Redactor): Generator<boolean, void, void> {
  const fetch = contentReader(db)
  const page = db.prepare<[number], EventRow>(
    `SELECT ${EVENT_COLUMNS} FROM events WHERE id > ? ORDER BY id LIMIT ${PAGE}`,
  )
  for (let rows = page.all(0); rows.length > 0; rows = page.all(rows.at(-1)?.id ?? 0)) {
    const events = rows.map((row) => eventOfRow(row, fetch))
    const joined = redactor.neighbours(events as unknown as readonly AnyDraft[]) as unknown as readonly AnyEvent[]
    yield joined.some((event, at) => event !== events[at])
    for (const event of events) yield isEventChanged(event, fetch, redactor)
  }
}

function isEventChanged(event: AnyEvent, fetch: (hash: string) => string | null, redactor: Redactor): boolean {
  const { payload, error_message: error, project } = event
  if (redactor.json(payload) !== payload) return true
  for (const text of [error, project]) if (typeof text === 'string' && redactor.text(text) !== text) return true
  if (event.kind !== 'model_request' && event.kind !== 'model_response') return false
  const { headers } = event.payload
  if (redactor.headers(headers).length !== headers.length) return true
  const messages = event.kind === 'model_request' ? messagesOf(event.payload.request) : []
  return messages.some((hashes) => {
    const texts = hashes.flatMap((hash) => fetch(hash) ?? [])
    const blocks = texts.map((text) => JSON.parse(text) as Json)
    return texts.length === hashes.length && redactor.json(blocks) !== blocks
  })
}

function* changedContents(db: ReadableDb, redactor: Redactor): Generator<boolean, void, void> {
  const rows = db.prepare<[], { encoding: string; data: Buffer }>('SELECT encoding, data FROM contents')
  for (const { encoding, data } of rows.iterate()) {
    const text = contentText(encoding, data)
    yield redactValue(text, redactor) !== text
  }
}

function* changedRows(db: ReadableDb, redactor: Redactor): Generator<boolean, void, void> {
  const columnsOf = db.prepare<[string], string>('SELECT name FROM pragma_table_info(?)').pluck()
  const tables = [...tablesWithRole('projection', 'people'), { name: 'sighting_rows', text: ['payload'] }]
  for (const { name, text: columns } of tables) {
    const existing = new Set(columnsOf.all(name))
    // Earlier versions have fewer tables.
    const known = columns.filter((column) => existing.has(column))
    if (known.length === 0) continue
    const rows = db.prepare<[], readonly unknown[]>(`SELECT ${known.join(', ')} FROM ${name}`).raw()
    for (const row of rows.iterate())
      yield row.some((value) => typeof value === 'string' && redactValue(value, redactor) !== value)
  }
}
