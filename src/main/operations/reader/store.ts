import { checkStore } from '../../store/read/check.ts'
import { exportPage } from '../../store/read/export.ts'
import { given } from './given.ts'
import type { ReaderHandler } from '../../dispatch/handlers.ts'

export const eventsExport: ReaderHandler<'events.export'> = (reader, input) => exportPage(reader, given(input))

export const storeCheck: ReaderHandler<'store.check'> = (reader) => {
  const { damage, full_text } = checkStore(reader)
  return { damage: [...damage], full_text: [...full_text] }
}
