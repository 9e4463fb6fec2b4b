import { AspyError } from '../../../shared/contract/errors.ts'
import { checkStore } from '../../store/read/check.ts'
import { deletionRows, footprintOf } from '../../store/read/deletions.ts'
import { exportPage } from '../../store/read/export.ts'
import { keptCopies } from '../../store/transfer/kept-copies.ts'
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
  if (events === 0) throw new AspyError('not_found', `there is no session ${session_id}`)
  const row = reader.get<{ title: string | null }>('SELECT title FROM sessions WHERE id = ?', session_id)
  const copies = keptCopies(reader.databasePath).map(({ path }) => path)
  return { session_id, title: row?.title ?? null, events, bytes, copies }
}
