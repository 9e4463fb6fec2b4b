import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server'
import type { z } from 'zod'
import { plainInput } from '../../../shared/contract/plain-input.ts'
import { describeUnknown } from '../../../shared/contract/unknown-fields.ts'

type Json = Record<string, unknown>

/** Returns a lean schema for a tool's arguments. It reads loosely written values, and refuses unknown arguments. */
export function leanArguments<Schema extends z.ZodType>(schema: Schema): ReturnType<typeof leanSchema<Schema>> {
  const { '~standard': standard } = leanSchema(schema)
  const validate: typeof standard.validate = (value) => {
    const unknown = describeUnknown(schema, value)
    return unknown === null ? standard.validate(plainInput(schema, value)) : { issues: [{ message: unknown }] }
  }
  return { '~standard': { ...standard, validate } }
}

/**
 * Returns a schema that validates the same but describes less, because every definition is part of the context of every
 * session. Leaves out details that a model cannot use, such as very high length limits.
 */
export function leanSchema<Schema extends z.ZodType>(
  schema: Schema,
): StandardSchemaWithJSON<z.input<Schema>, z.output<Schema>> {
  const standard = schema['~standard']
  const { jsonSchema } = standard
  if (jsonSchema === undefined) throw new Error('zod says no JSON schema')
  return {
    '~standard': {
      ...standard,
      jsonSchema: {
        input: (options) => leaner(jsonSchema.input(options), INPUT_NOISE),
        output: (options) => leaner(jsonSchema.output(options), OUTPUT_NOISE),
      },
    },
  } as StandardSchemaWithJSON<z.input<Schema>, z.output<Schema>>
}

const INPUT_NOISE: ReadonlySet<string> = new Set([
  '$schema',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'additionalProperties',
])
/** For answers, their type is enough: the model has the answer itself. */
const OUTPUT_NOISE: ReadonlySet<string> = new Set([...INPUT_NOISE, 'required', 'properties'])

function leaner(schema: Json, noise: ReadonlySet<string>): Json {
  const kept: Json = {}
  for (const [key, value] of Object.entries(schema)) {
    if (noise.has(key)) continue
    if (key === 'properties') kept[key] = mapped(value as Json, (property) => leaner(property, noise))
    else if (key === 'items') kept[key] = leaner(value as Json, noise)
    else kept[key] = value
  }
  return kept
}

const mapped = (properties: Json, change: (property: Json) => Json): Json =>
  Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, change(property as Json)]))
