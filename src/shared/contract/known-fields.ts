import { z } from 'zod'
import { nearestName } from '../nearest-name.ts'

/** Of so many unknown fields each is named, and of a name so many characters: whoever sends more has sent something else. */
const NAMED_FIELDS = 3
const NAME_CHARS = 60

/**
 * The input, refusing fields that it does not know: a misspelt one, left out in silence, would have another question
 * answered. One that takes any field (`z.looseObject`) goes on doing so.
 */
export function onlyKnownFields<Input extends z.ZodType>(input: Input): Input {
  if (!(input instanceof z.ZodObject) || input.def.catchall !== undefined) return input
  const known = Object.keys(input.shape)
  return input.clone({
    ...input.def,
    catchall: z.never(),
    error: (issue: z.core.$ZodRawIssue) =>
      issue.code === 'unrecognized_keys' ? sayUnknown(issue.keys, known) : undefined,
  })
}

function sayUnknown(fields: readonly string[], known: readonly string[]): string {
  const named = fields.slice(0, NAMED_FIELDS).map((field) => {
    const name = field.slice(0, NAME_CHARS)
    const nearest = nearestName(name, known)
    return nearest === null ? `"${name}"` : `"${name}" (did you mean "${nearest}"?)`
  })
  const taken = known.length === 0 ? 'it takes none' : `it takes ${known.join(', ')}`
  return `there is no field ${named.join(', ')}; ${taken}`
}
