import { z } from 'zod'
import { nearestName } from '../nearest-name.ts'

/** Bounds the misspelt fields in a message, and the characters of each name. */
const NAMED_FIELDS = 3
const NAME_CHARS = 60
/** Bounds the fields that are compared. No operation has more. */
const COMPARED_FIELDS = 50

/**
 * Returns a message about unknown fields whose names resemble known ones; null if there are none. Ignoring a misspelt field
 * would answer a different question. Other unknown fields are ignored: they come from newer callers, or from callers that
 * send the same input to several operations.
 */
export function describeMisspelt(input: z.ZodType, value: unknown): string | null {
  if (!(input instanceof z.ZodObject) || input.def.catchall !== undefined) return null
  if (typeof value !== 'object' || value === null) return null
  const known = Object.keys(input.shape)
  const meant: string[] = []
  for (const field of Object.keys(value).slice(0, COMPARED_FIELDS)) {
    if (field.length > NAME_CHARS || field in input.shape || meant.length === NAMED_FIELDS) continue
    const nearest = nearestName(field, known, field.length < 8 ? 1 : 2)
    if (nearest !== null) meant.push(`"${field}" (did you mean "${nearest}"?)`)
  }
  return meant.length === 0 ? null : `there is no field ${meant.join(', ')}; it takes ${known.join(', ')}`
}
