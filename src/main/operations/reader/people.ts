import type { EventKind } from '../../../shared/event.ts'
import { matchWords } from '../../recall/query.ts'
import { episodeRows } from '../../store/read/episodes.ts'
import { memoryRows, savedSearches } from '../../store/read/people.ts'
import { formatEvent } from '../../../shared/event-text.ts'
import { given } from './given.ts'
import type { ReaderHandler } from '../../dispatch/handlers.ts'

/** Returns an FTS5 expression for all words of a query, if it has any. */
function matchOf(query: string | undefined): { match?: string } {
  const match = query === undefined ? null : matchWords(query)
  return match === null ? {} : { match }
}

export const memoriesList: ReaderHandler<'memories.list'> = (reader, { query, ...rest }) => ({
  items: memoryRows(reader, { ...given(rest), ...matchOf(query) }).map(({ payload, ...memory }) => ({
    ...memory,
    content: formatEvent(memory.kind as EventKind, reader.payload(payload)),
  })),
})

export const episodesList: ReaderHandler<'episodes.list'> = (reader, { query, ...rest }) =>
  episodeRows(reader, { ...given(rest), ...matchOf(query) })

export const searchesList: ReaderHandler<'searches.list'> = (reader) => ({ items: savedSearches(reader) })
