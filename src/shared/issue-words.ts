import type { z } from 'zod'

const TYPES: Readonly<Record<string, string>> = {
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  string: 'a text',
  array: 'a list, such as ["a", "b"]',
  object: 'a table, such as { name = "value" }',
  record: 'a table, such as { name = "value" }',
}
const BOUNDS: Readonly<Record<string, string>> = { '>=': 'from', '<=': 'up to', '>': 'above', '<': 'below' }

/** What a schema says of a value, and in which words a person reads what to give. */
const SAID: readonly (readonly [RegExp, (...groups: string[]) => string])[] = [
  [/^.*expected int, received number$/, () => 'give a whole number'],
  [/^.*expected number, received NaN$/, () => 'give a number'],
  [/^.*expected (\w+), received \w+$/, (type) => `give ${TYPES[type ?? ''] ?? type}`],
  [/^.*expected number to be ([<>]=?)(\S+)$/, (sign, bound) => `give a number ${BOUNDS[sign ?? ''] ?? ''} ${bound}`],
  [
    /^.*expected (?:string|array) to have ([<>]=?)(\d+) (\w+)$/,
    (sign, bound, what) =>
      `give ${sign === '<=' ? 'at most' : 'at least'} ${bound} ${bound === '1' ? what?.slice(0, -1) : what}`,
  ],
  [/^.*expected one of (.*)$/, (all) => `choose one of ${all?.replaceAll('"', '').replaceAll('|', ', ')}`],
  [/^not a time: /, () => ''],
  [/^Invalid URL$/, () => 'give an address that begins with http:// or https://'],
]

/** Says in words what a person is to give in the place of a value that a schema refuses. */
export function expectedWords(message: string): string {
  for (const [pattern, said] of SAID) {
    const found = pattern.exec(message)
    if (found !== null) return message.replace(found[0], said(...found.slice(1)))
  }
  return message
}

/** Says which part of a named value a schema refuses, what it is, and what to give: `port cannot be 70000: …`. */
export function refusalOf(name: string, value: unknown, issue: z.core.$ZodIssue | undefined): string {
  const path = issue?.path ?? []
  const at = partAt(value, path)
  const steps = path.map((key, at) =>
    path[at + 1] === 'project' ? key : (folderAt(value, path.slice(0, at + 1)) ?? key),
  )
  const where = [...(name === '' ? [] : [name]), ...steps].map(String).join('.')
  const inner = issue?.code === 'invalid_key' ? issue.issues[0] : issue
  const words = expectedWords(inner?.message ?? 'not valid')
  if (issue?.code === 'unrecognized_keys') return `${where} has no ${issue.keys[0]}`
  if (issue?.code === 'invalid_key') return `${name} cannot have "${String(path.at(-1))}": give ${words}`
  return at === undefined ? `${where} is missing: ${words}` : `${where} cannot be ${JSON.stringify(at)}: ${words}`
}

const partAt = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>((part, key) => (part as Readonly<Record<PropertyKey, unknown>> | undefined)?.[key], value)

/** An item of a list is named by its project, not by its number. */
function folderAt(value: unknown, path: readonly PropertyKey[]): string | undefined {
  const item = typeof path.at(-1) === 'number' ? partAt(value, path) : undefined
  const folder = (item as { readonly project?: unknown } | null | undefined)?.project
  return typeof folder === 'string' ? folder : undefined
}
