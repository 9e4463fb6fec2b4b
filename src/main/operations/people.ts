import type { EventKind } from '../../shared/event.ts'
import { memoryRows, savedSearches } from '../store/read/people.ts'
import { sayEvent } from './event-line.ts'
import type { ReaderHandler } from './handlers.ts'

export const memoriesList: ReaderHandler<'memories.list'> = (reader, { limit }) => ({
  items: memoryRows(reader, limit).map(({ payload, ...memory }) => ({
    ...memory,
    content: sayEvent(memory.kind as EventKind, reader.payload(payload)),
  })),
})

export const searchesList: ReaderHandler<'searches.list'> = (reader) => ({ items: savedSearches(reader) })
