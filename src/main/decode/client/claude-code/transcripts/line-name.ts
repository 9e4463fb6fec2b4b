import { createHash } from 'node:crypto'
import type { JsonObject } from '../../../../../shared/event.ts'
import { filledString } from '../../../../../shared/json-fields.ts'

/** Returns the beginning of a text's SHA-256. */
export const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 32)

const NAMES = ['uuid', 'sessionId', 'timestamp', 'leafUuid', 'messageId'] as const

/** True for an object that is a line of its own, and no part of one. */
export const isRecord = (object: JsonObject): boolean =>
  filledString(object['type']) !== null && NAMES.some((name) => filledString(object[name]) !== null)

/** Returns the identity of a line: its uuid or, without one, a digest of its text. */
export const lineName = (line: JsonObject, text?: string): string =>
  filledString(line['uuid']) ?? digestOf(text ?? JSON.stringify(line))

/** Returns the part of a line that is kept if it is not valid JSON. */
export const beginningOf = (text: string): string => text.slice(0, 64 * 1024).toWellFormed()
