/**
 * Ids shorter than this are not random enough to be unique: some model servers number them from 0. OpenAI's have 29
 * characters or more.
 */
const MIN_UNIQUE_CHARACTERS = 20

/** Returns whether an id is random enough to be unique. */
export const isUniqueId = (id: string): boolean => id.length >= MIN_UNIQUE_CHARACTERS

/** Returns an id of an API for use in a key: as it is or, if it is too short to be unique, after its session. */
export const uniqueId = (id: string, sessionId: string): string => (isUniqueId(id) ? id : `${sessionId}:${id}`)
