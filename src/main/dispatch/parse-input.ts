import type { z } from 'zod'
import { AspyError } from '../../shared/contract/errors.ts'
import { describeMisspelt } from '../../shared/contract/misspelt-fields.ts'
import type { Operation } from '../../shared/contract/operation.ts'

/** Parses an operation's input. Throws `bad_input` with the field and what is expected. */
export function parseInput(operation: Operation, input: unknown): unknown {
  const misspelt = describeMisspelt(operation.input, input)
  if (misspelt !== null) throw new AspyError('bad_input', `${operation.name}: ${misspelt}`)
  const parsed = operation.input.safeParse(input ?? {})
  if (parsed.success) return parseVariant(operation, parsed.data)
  throw badInput(operation, parsed.error.issues.map(formatIssue), input)
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
    formatIssue({ ...issue, path: [variants.field, ...issue.path] } as z.core.$ZodIssue),
  )
  throw badInput(operation, issues, input)
}

function caseOf({ variants }: Operation, input: unknown) {
  if (variants === undefined || typeof input !== 'object' || input === null) return undefined
  const value = (input as { readonly [name: string]: unknown })[variants.by]
  const found = typeof value === 'string' && Object.hasOwn(variants.cases, value) ? variants.cases[value] : undefined
  return found === undefined ? undefined : { value, ...found }
}

/** Names what is wrong and, if the operation has examples, shows the one that fits best. */
function badInput(operation: Operation, issues: readonly string[], input: unknown): AspyError {
  return new AspyError('bad_input', `${operation.name}: ${issues.join('; ')}${exampleFor(operation, input)}`)
}

function exampleFor(operation: Operation, input: unknown): string {
  const { variants } = operation
  if (variants === undefined) return ''
  const [first] = Object.entries(variants.cases)
  const meant = caseOf(operation, input)
  const [value, example] = meant ? [meant.value, meant.example] : [first?.[0], first?.[1].example]
  return `; for example ${JSON.stringify({ ...variants.example, [variants.by]: value, [variants.field]: example })}`
}

/** Formats an issue for the user: the field, and what is expected. */
function formatIssue(issue: z.core.$ZodIssue): string {
  const field = issue.path.map(String).join('.')
  const missing = /expected ([^,]+), received undefined$/.exec(issue.message)
  if (field !== '' && missing) return `${field} is missing (expected ${missing[1] ?? 'a value'})`
  const message = issue.message.charAt(0).toLowerCase() + issue.message.slice(1)
  return field === '' ? message : `${field}: ${message}`
}
