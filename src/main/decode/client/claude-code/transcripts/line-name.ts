import { createHash } from 'node:crypto'
import type { JsonObject } from '../../../../../shared/event.ts'
import { filledString } from '../../../../../shared/json-fields.ts'

/** Returns the beginning of a text's SHA-256. */
export const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 32)

/** Returns the identity of a line: its uuid or, without one, a digest of its text. */
export const lineName = (line: JsonObject, text?: string): string =>
  filledString(line['uuid']) ?? digestOf(text ?? JSON.stringify(line))
