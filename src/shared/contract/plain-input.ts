import { z } from 'zod'

/** Text forms of a boolean, as far as models and query strings use them. */
const TRUE_OR_FALSE = z.stringbool()

/**
 * Returns the input as its schema expects it. Callers that are models, and queries of URLs, spell numbers and booleans as
 * text and send null or "" for what they leave out. Such a field is left out here, so that it never filters by nothing.
 * `keepsEmpty` is for an operation that writes: there, an empty value that the schema accepts is a value.
 */
export function plainInput(schema: z.ZodType, input: unknown, { keepsEmpty = false } = {}): unknown {
  if (!(schema instanceof z.ZodObject) || typeof input !== 'object' || input === null || Array.isArray(input))
    return input
  const fields: [string, unknown][] = []
  for (const [name, value] of Object.entries(input)) {
    const field = Object.hasOwn(schema.shape, name) ? (schema.shape[name] as z.ZodType) : undefined
    if (field === undefined) fields.push([name, value])
    else if (!isLeftOut(field, value, keepsEmpty)) fields.push([name, plainValue(typeOf(field), value)])
  }
  return Object.fromEntries(fields)
}

function isLeftOut(field: z.ZodType, value: unknown, keepsEmpty: boolean): boolean {
  const isBlank = typeof value === 'string' && value.trim() === ''
  if (!isBlank && value !== null) return false
  const type = typeOf(field)
  // A coerced number would read an empty value as 0.
  if (type !== 'other' && type !== 'string') return true
  if (keepsEmpty && field.safeParse(value).success) return false
  return value === null || field.safeParse(undefined).success
}

function plainValue(type: FieldType, value: unknown): unknown {
  if (type === 'string') return typeof value === 'number' || typeof value === 'boolean' ? String(value) : value
  if (type === 'number' && typeof value === 'string') {
    const number = Number(value)
    return Number.isFinite(number) ? number : value
  }
  if (type !== 'boolean' || (typeof value !== 'string' && typeof value !== 'number')) return value
  const read = TRUE_OR_FALSE.safeParse(String(value).trim())
  return read.success ? read.data : value
}

type FieldType = 'string' | 'number' | 'boolean' | 'other'

/** Returns the type below everything that makes a field optional or converts it. */
function typeOf(schema: z.core.$ZodType): FieldType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodNullable)
    return typeOf(schema.unwrap())
  if (schema instanceof z.ZodPipe) return typeOf(schema.in)
  if (schema instanceof z.ZodUnion) return schema.options[0] instanceof z.ZodBoolean ? 'boolean' : 'other'
  if (schema instanceof z.ZodNumber) return 'number'
  if (schema instanceof z.ZodBoolean) return 'boolean'
  return schema instanceof z.ZodString ? 'string' : 'other'
}
