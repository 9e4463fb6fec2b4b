import type { z } from 'zod'
import { AspyError } from '../../shared/contract/errors.ts'
import { timesInZone } from '../../shared/contract/fields.ts'
import { describeUnknown } from '../../shared/contract/unknown-fields.ts'
import type { Operation, RawBody } from '../../shared/contract/operation.ts'
import { plainInput } from '../../shared/contract/plain-input.ts'
import { exampleInput } from './example-input.ts'
import { parseJsonObject } from './json-object.ts'

/** Parses an operation's input. Throws `bad_input` with the field and the expected value. */
export function parseInput(operation: Operation, sent: unknown): unknown {
  const unknown = describeUnknown(operation.input, sent)
  if (unknown !== null) throw badInput(operation, [unknown], sent)
  const input = plainInput(operation.input, sent, { keepsEmpty: operation.writes })
  const withNul = operation.place === 'reader' ? fieldWithNul(input) : null
  if (withNul !== null)
    throw new AspyError(
      withNul === 'query' ? 'bad_query' : 'bad_input',
      `${operation.name}: ${withNul} contains a NUL character, which cannot be searched for; leave it out`,
    )
  const parsed = operation.input.safeParse(timesInZone(operation.input, input) ?? {})
  if (parsed.success) return parseVariant(operation, parsed.data)
  const fields = parsed.error.issues.map(({ path }) => String(path[0] ?? ''))
  throw badInput(
    operation,
    parsed.error.issues.map((issue) => formatIssue(issue, input)),
    input,
    fields,
  )
}

/** Refuses a body that is not a JSON object. */
export const refuseBody = (operation: Operation, problem: string): AspyError =>
  badInput(operation, [problem], undefined)

/** Returns the name of the first field with a NUL, at which SQLite ends a text; null if there is none. */
function fieldWithNul(input: unknown): string | null {
  if (typeof input !== 'object' || input === null) return null
  for (const [name, value] of Object.entries(input)) {
    const texts: readonly unknown[] = Array.isArray(value) ? value : [value]
    if (texts.some((text) => typeof text === 'string' && text.includes('\0'))) return name
  }
  return null
}

/**
 * Returns the input as the bytes of its JSON. Parses them only if they are few. Throws `too_large`, and `bad_input` for
 * invalid input.
 */
export function parseRawBody(operation: Operation, input: unknown, { maxBytes, parsedBytes }: RawBody): Uint8Array {
  const bytes = input instanceof Uint8Array ? input : new TextEncoder().encode(JSON.stringify(input ?? {}))
  if (bytes.byteLength > maxBytes)
    throw new AspyError('too_large', `${operation.name}: the body is larger than ${maxBytes} bytes`)
  if (bytes.byteLength > parsedBytes) return bytes
  const { value, problem } = parseJsonObject(new TextDecoder().decode(bytes))
  if (problem !== null) throw refuseBody(operation, problem)
  parseInput(operation, value)
  return bytes
}

/** Parses the field whose shape another field decides, and fills in its defaults. */
function parseVariant(operation: Operation, input: unknown): unknown {
  const { variants } = operation
  if (variants === undefined) return input
  const fields = input as { readonly [name: string]: unknown }
  const variant = caseOf(operation, input)
  if (variant === undefined) return input
  const parsed = variant.schema.safeParse(fields[variants.field])
  if (parsed.success) return { ...fields, [variants.field]: parsed.data }
  const issues = parsed.error.issues.map((issue) =>
    formatIssue({ ...issue, path: [variants.field, ...issue.path] } as z.core.$ZodIssue, input),
  )
  throw badInput(operation, issues, input)
}

function caseOf({ variants }: Operation, input: unknown) {
  if (variants === undefined || typeof input !== 'object' || input === null) return undefined
  const value = (input as { readonly [name: string]: unknown })[variants.by]
  const found = typeof value === 'string' && Object.hasOwn(variants.cases, value) ? variants.cases[value] : undefined
  return found === undefined ? undefined : { value, ...found }
}

/** Names the error and shows an example of the input. */
function badInput(operation: Operation, issues: readonly string[], input: unknown, fields: readonly string[] = []) {
  return new AspyError('bad_input', `${operation.name}: ${issues.join('; ')}${exampleFor(operation, input, fields)}`)
}

function exampleFor(operation: Operation, input: unknown, fields: readonly string[]): string {
  const { variants } = operation
  const meant = caseOf(operation, input)
  const example =
    variants !== undefined && meant
      ? { ...variants.example, [variants.by]: meant.value, [variants.field]: meant.example }
      : exampleInput(operation, fields)
  // Only a caller whose body could not be read needs to see that no field is required.
  const saysNothing = example === null || (input !== undefined && Object.keys(example).length === 0)
  return saysNothing ? '' : `; for example ${JSON.stringify(example)}`
}

/** Formats an issue for the user: the field and the expected value. */
function formatIssue(issue: z.core.$ZodIssue, input: unknown): string {
  const field = issue.path.map(String).join('.')
  // The message itself does not distinguish a missing field from a wrong one: for a number that may be sent as text,
  // both are NaN.
  const [, expected] = /expected (.+?)(?:, received \w+)?$/.exec(issue.message) ?? []
  if (field !== '' && expected !== undefined && valueAt(input, issue.path) === undefined)
    return `${field} is missing (expected ${expected})`
  const message = issue.message.charAt(0).toLowerCase() + issue.message.slice(1)
  return field === '' ? message : `${field}: ${message}`
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null ? (value as Record<PropertyKey, unknown>)[key] : undefined,
    input,
  )
}
