import { isUniqueId, uniqueId } from '../../unique-id.ts'

/**
 * Returns the keys of an item by its own id, which clients repeat in their history and their transcripts: none if the id is
 * not random enough, since a server that counts may use it again in its next answer.
 */
export const itemKeys = (itemId: string | null): readonly string[] =>
  itemId !== null && isUniqueId(itemId) ? [`item:${itemId}`] : []

/** Returns the key of the limits that came with a response. */
export const responseLimitsKey = (sessionId: string, responseId: string): string =>
  `limits-of:${uniqueId(responseId, sessionId)}`

/** Returns the key of the compaction that a response made. */
export const responseCompactionKey = (sessionId: string, responseId: string): string =>
  `compaction-of:${uniqueId(responseId, sessionId)}`
