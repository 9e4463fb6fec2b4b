import { archiveRows, lastRun, searchArchives } from '../../store/read/archives.ts'
import { given } from './given.ts'
import type { ReaderHandler } from '../../dispatch/handlers.ts'

export const storeArchives: ReaderHandler<'store.archives'> = (reader) => ({
  last_run: lastRun(reader),
  items: archiveRows(reader),
})

export const storeSearchArchives: ReaderHandler<'store.search_archives'> = (reader, { query, ...rest }) => {
  const words = query.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [query.toLowerCase()]
  return searchArchives(reader, { ...given(rest), words: [...new Set(words)] })
}
