import { z } from 'zod'
import { shortened } from '../cut-text.ts'
import { nameMeant } from '../nearest-name.ts'

/** Bounds the unknown fields in a message, and the characters of each name. */
const NAMED_FIELDS = 3
const NAME_CHARS = 60

/**
 * Returns a message about fields that the input does not have, with the names that they resemble; null if there are none.
 * Ignoring one would answer a different question.
 */
export function describeUnknown(input: z.ZodType, value: unknown): string | null {
  if (!(input instanceof z.ZodObject) || input.def.catchall !== undefined) return null
  if (typeof value !== 'object' || value === null) return null
  const known = Object.keys(input.shape)
  const unknown: string[] = []
  for (const field of Object.keys(value)) {
    if (Object.hasOwn(input.shape, field)) continue
    const name = shortened(field, NAME_CHARS)
    const nearest = nameMeant(name, known, name.length < 8 ? 1 : 2)
    unknown.push(`"${name}"${nearest === null ? '' : ` (did you mean "${nearest}"?)`}`)
    if (unknown.length === NAMED_FIELDS) break
  }
  if (unknown.length === 0) return null
  return `there is no field ${unknown.join(', ')}; it takes ${known.length === 0 ? 'none' : known.join(', ')}`
}
