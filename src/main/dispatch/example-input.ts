import { z } from 'zod'
import type { Operation } from '../../shared/contract/operation.ts'
import { TUNNEL_KEY_LENGTH, TUNNEL_KEY_PREFIX } from '../../shared/tunnel-key.ts'

type Schema = z.core.JSONSchema.BaseSchema

/** Bounds nested examples. */
const MAX_DEPTH = 4

/** Values for fields whose schema does not describe their format. */
const EXAMPLES: { readonly [field: string]: unknown } = {
  uuid: '01993b6e-3c5a-7b1e-8a2c-5d2f7c9e1a40',
  call_id: 'toolu_01',
  hash: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  hook_event_name: 'SessionStart',
  start: 'startup',
  key: 'budgets.daily_usd',
  value: 20,
  tunnel_key: `${TUNNEL_KEY_PREFIX}${'x'.repeat(TUNNEL_KEY_LENGTH)}`,
  name: 'Failed builds',
  address: '/recall?query=build',
  session_id: 'my-session',
  since: '7d',
  until: '2026-11-21',
  began_at: '2026-11-21T10:00:00Z',
  project: '/home/me/project',
  path: '/home/me/file',
  query: 'login',
}

/**
 * Returns an example of an operation's input: its required fields, and those named in `fields`. Null if no example can be
 * made that the operation accepts.
 */
export function exampleInput(operation: Operation, fields: readonly string[] = []): object | null {
  const { variants } = operation
  if (variants !== undefined) {
    const [first] = Object.entries(variants.cases)
    return { ...variants.example, [variants.by]: first?.[0], [variants.field]: first?.[1].example }
  }
  const schema: Schema = z.toJSONSchema(operation.input, { io: 'input', unrepresentable: 'any' })
  // An operation may need one of several optional fields.
  const single = Object.keys(schema.properties ?? {}).map((name) => [name])
  for (const named of [fields, [], ...single]) {
    const example = objectOf(schema, named, 0)
    if (operation.input.safeParse(example).success) return example
  }
  return null
}

function objectOf(schema: Schema, fields: readonly string[], depth: number): { readonly [field: string]: unknown } {
  const required = schema.required ?? []
  return Object.fromEntries(
    Object.entries(schema.properties ?? {})
      .filter(([name]) => required.includes(name) || fields.includes(name))
      .map(([name, field]) => [name, valueOf(name, field, depth)]),
  )
}

function valueOf(name: string, field: z.core.JSONSchema._JSONSchema, depth: number): unknown {
  if (Object.hasOwn(EXAMPLES, name)) return EXAMPLES[name]
  if (typeof field === 'boolean' || depth > MAX_DEPTH) return null
  if (field.const !== undefined) return field.const
  if (field.enum !== undefined) return field.enum[0]
  if (field.default !== undefined) return field.default
  const [option] = field.anyOf ?? field.oneOf ?? []
  if (option !== undefined) return valueOf(name, option, depth + 1)
  switch (field.type) {
    case 'string':
      return textOf(name, field)
    case 'integer':
    case 'number':
      return Math.max(1, Number(field.minimum ?? 1))
    case 'boolean':
      return true
    case 'array': {
      const item = Array.isArray(field.items) ? field.items[0] : field.items
      return item === undefined ? [] : [valueOf(name, item, depth + 1)]
    }
    case 'object':
      return objectOf(field, [], depth + 1)
    default:
      return 'any value'
  }
}

function textOf(name: string, { format }: Schema): string {
  if (format === 'date') return '2026-11-21'
  if (format === 'date-time') return '2026-11-21T10:00:00Z'
  if (format === 'uri') return 'https://example.org'
  return name.replaceAll('_', '-')
}
