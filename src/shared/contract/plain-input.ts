import { z } from 'zod'
import { jsonOrNull } from '../json-fields.ts'

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
  for (const [name, sent] of Object.entries(input)) {
    const field = Object.hasOwn(schema.shape, name) ? (schema.shape[name] as z.ZodType) : undefined
    const value = field === undefined ? sent : inShape(field, sent)
    if (field === undefined) fields.push([name, value])
    else if (!isLeftOut(field, value, keepsEmpty)) fields.push([name, plainValue(typeOf(field), value)])
  }
  return Object.fromEntries(fields)
}

/**
 * Models also wrap one value in a list, and write lists and objects as text: returns a value in the shape that its field
 * has. A list of several is none of these.
 */
function inShape(field: z.ZodType, value: unknown): unknown {
  const inner = unwrapped(field)
  const isList = inner instanceof z.ZodArray
  if (!isList && !(inner instanceof z.ZodObject)) {
    const type = typeOf(inner)
    // An empty list is not a text.
    const least = type === 'string' ? 1 : 0
    const isOne = Array.isArray(value) && value.length >= least && value.length < 2 && type !== 'unknown'
    return isOne ? (value[0] ?? null) : value
  }
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value
  return jsonOrNull(value) ?? value
}

function isLeftOut(field: z.ZodType, value: unknown, keepsEmpty: boolean): boolean {
  const isBlank = typeof value === 'string' && value.trim() === ''
  if (!isBlank && value !== null) return false
  const type = typeOf(field)
  // A coerced number would read an empty value as 0.
  if (type === 'number' || type === 'boolean') return true
  if (keepsEmpty && field.safeParse(value).success) return false
  return value === null || field.safeParse(undefined).success
}

function plainValue(type: FieldType, value: unknown): unknown {
  if (type === 'string') return typeof value === 'number' || typeof value === 'boolean' ? String(value) : value
  // A coerced number would read true as 1.
  if (type === 'number' && typeof value === 'boolean') return String(value)
  if (type === 'number' && typeof value === 'string') {
    const number = Number(value)
    return Number.isFinite(number) ? number : value
  }
  if (type !== 'boolean' || (typeof value !== 'string' && typeof value !== 'number')) return value
  const read = TRUE_OR_FALSE.safeParse(String(value).trim())
  return read.success ? read.data : value
}

type FieldType = 'string' | 'number' | 'boolean' | 'choice' | 'unknown'

/** Returns the type below everything that makes a field optional or converts it. */
function unwrapped(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodNullable)
    return unwrapped(schema.unwrap())
  return schema instanceof z.ZodPipe ? unwrapped(schema.in) : schema
}

function typeOf(schema: z.core.$ZodType): FieldType {
  const inner = unwrapped(schema)
  if (inner instanceof z.ZodUnion) return inner.options[0] instanceof z.ZodBoolean ? 'boolean' : 'unknown'
  if (inner instanceof z.ZodNumber) return 'number'
  if (inner instanceof z.ZodBoolean) return 'boolean'
  if (inner instanceof z.ZodEnum || inner instanceof z.ZodLiteral) return 'choice'
  return inner instanceof z.ZodString ? 'string' : 'unknown'
}
