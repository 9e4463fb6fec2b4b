import { uniqueId } from '../../unique-id.ts'

/** Returns the key of an item by its own id, which clients repeat in their history and their transcripts. */
export const itemKey = (sessionId: string, itemId: string): string => `item:${uniqueId(itemId, sessionId)}`

/** Returns the key of the compaction that a response made. */
export const responseCompactionKey = (sessionId: string, responseId: string): string =>
  `compaction-of:${uniqueId(responseId, sessionId)}`
