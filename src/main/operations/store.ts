import { checkStore } from '../store/read/check.ts'
import type { ReaderHandler } from './handlers.ts'

export const storeCheck: ReaderHandler<'store.check'> = (reader) => {
  const { damage, full_text } = checkStore(reader)
  return { damage: [...damage], full_text: [...full_text] }
}
