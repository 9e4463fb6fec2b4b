/**
 * Ids shorter than this are not random enough to be unique: some model servers count from 0. OpenAI's have 29 characters or
 * more.
 */
const MIN_UNIQUE_CHARACTERS = 20

/** Returns an id of an API as a key may contain it: as it is or, if it is too short to be unique, behind its session. */
export function uniqueId(id: string, sessionId: string): string {
  return id.length >= MIN_UNIQUE_CHARACTERS ? id : `${sessionId}:${id}`
}
