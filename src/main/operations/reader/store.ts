import { homedir } from 'node:os'
import { checkStore } from '../../store/read/check.ts'
import { deletionRows, footprintOf, sessionsThatQuote } from '../../store/read/deletions.ts'
import { exportPage } from '../../store/read/export.ts'
import { sessionFiles } from '../../transcripts/session-files.ts'
import { keptCopies } from '../../store/transfer/kept-copies.ts'
import { noSession } from '../../store/delete/tombstones.ts'
import { usagePage } from '../../store/read/usage-export.ts'
import { given } from './given.ts'
import type { ReaderHandler } from '../../dispatch/handlers.ts'

export const eventsExport: ReaderHandler<'events.export'> = (reader, input) => exportPage(reader, given(input))

export const usageExport: ReaderHandler<'usage.export'> = (reader, input) => usagePage(reader, given(input))

export const storeCheck: ReaderHandler<'store.check'> = (reader) => {
  const { damage, full_text } = checkStore(reader)
  return { damage: [...damage], full_text: [...full_text] }
}

export const sessionDeletions: ReaderHandler<'sessions.deletions'> = (reader) => deletionRows(reader)

export const sessionFootprint: ReaderHandler<'sessions.footprint'> = (reader, { session_id }) => {
  const { events, bytes } = footprintOf(reader, session_id)
  if (events === 0) throw noSession((sql, id) => reader.get(sql, id), session_id)
  const row = reader.get<{ title: string | null }>('SELECT title FROM sessions WHERE id = ?', session_id)
  const copies = keptCopies(reader.databasePath).map(({ path }) => path)
  const read = reader.all<{ path: string }>('SELECT path FROM transcript_files').map(({ path }) => path)
  return {
    session_id,
    title: row?.title ?? null,
    events,
    bytes,
    copies,
    quoted_by: [...sessionsThatQuote(reader, session_id)],
    transcripts: [...sessionFiles(session_id, read, process.env, homedir())],
  }
}
