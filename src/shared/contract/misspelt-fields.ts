import { z } from 'zod'
import { nearestName } from '../nearest-name.ts'

/** Of so many misspelt fields each is named, and of a name so many characters: whoever sends more has sent something else. */
const NAMED_FIELDS = 3
const NAME_CHARS = 60
/** Of so many fields the names are compared: no operation takes more. */
const COMPARED_FIELDS = 50

/**
 * What is wrong with fields that the input does not know but whose names come close to some that it does; null: nothing. A
 * misspelt field left out in silence would have another question answered. Fields that resemble nothing are left out: they
 * come from callers that are newer, or that say one thing to several operations.
 */
export function sayMisspelt(input: z.ZodType, value: unknown): string | null {
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
