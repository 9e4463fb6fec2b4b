import { resolve } from 'node:path'
import { InvalidArgumentError, Option } from 'commander'
import { z } from 'zod'
import { describeField } from '../../../shared/contract/describe-field.ts'
import { expectedWords } from '../../../shared/issue-words.ts'
import { nearestName } from '../../../shared/nearest-name.ts'
import { clientNamed } from '../../../shared/vendors.ts'

/** The fields of an input or of a command's own switches. */
export type Fields = Readonly<Record<string, z.core.$ZodType>>

/** A field that the command line offers as an option. */
export interface FieldOption {
  readonly field: string
  readonly option: Option
}

/** Options whose name or value is spelled differently from their field. They come first, in this order. */
const SCOPE: Readonly<Record<string, string>> = {
  limit: 'limit <n>',
  session_id: 'session <id>',
  project: 'project <dir>',
  since: 'since <time>',
  start: 'since <time>',
  until: 'until <time>',
  end: 'until <time>',
  tz: 'tz <zone>',
  client: 'client <name>',
  kinds: 'kinds <list>',
  cursor: 'cursor <next>',
}
const OWN: Readonly<Record<string, string>> = {
  actions: 'with-actions',
  add: 'add <uuid>',
  against: 'against <uuid>',
  apply: 'apply <id>',
  category: 'category <name>',
  cause: 'cause <kind>',
  compaction: 'compaction <uuid>',
  compare: 'compare <file>',
  confidence: 'confidence <number>',
  confirms: 'confirms <uuid>',
  dismiss: 'dismiss <id>',
  forget: 'forget <uuid>',
  period: 'period <name>',
  show: 'show <uuid>',
  to: 'to <limit>',
  tag: 'tag <tag>',
  tool_name: 'tool <name>',
  turn_id: 'turn <n>',
  undo: 'undo <id>',
}

/** A longer list of choices is left to the operation, which lists them if the value is none of them. */
const MAX_CHOICES = 9

/** Changes of a typed value before it is sent. */
const PARSERS: Readonly<Record<string, (typed: string) => string>> = { client: clientNamed, project: projectNamed }

/**
 * Returns the fields that have a description as options; the description is their help; those that narrow an answer in
 * `scope`.
 */
export function optionsOf(fields: Fields): {
  readonly scope: readonly FieldOption[]
  readonly own: readonly FieldOption[]
} {
  const all = Object.entries(fields).flatMap(([field, schema]) => {
    const { description, kind, choices, isList, preset } = describeField(schema)
    if (description === undefined) return []
    const spelled = SCOPE[field] ?? OWN[field] ?? `${field.replaceAll('_', '-')}${isList ? ' <list>' : VALUES[kind]}`
    const option = new Option(
      `--${spelled}`,
      isSaid(preset, description) ? description : `${description} (default: ${String(preset)})`,
    )
    const parse = PARSERS[field] ?? String
    if (isList && choices.length > 0) option.argParser((typed: string) => listOf(choices, typed))
    else if (kind !== 'switch') option.argParser((typed: string) => accepted(schema, parse(typed)))
    if (!isList && choices.length > 0 && choices.length <= MAX_CHOICES) option.choices(choices)
    return [{ field, option }]
  })
  const order = Object.keys(SCOPE)
  const place = ({ field }: FieldOption) => order.indexOf(field)
  return {
    scope: all.filter((each) => place(each) >= 0).toSorted((a, b) => place(a) - place(b)),
    own: all.filter((each) => place(each) < 0),
  }
}

/** Returns whether a description needs no default behind it: there is none, it is off, or the words have it. */
const isSaid = (preset: unknown, description: string): boolean =>
  preset === undefined || typeof preset === 'boolean' || /default/i.test(description)

/** Returns a typed value. Throws with what is expected if its field does not take it. */
function accepted(schema: z.core.$ZodType, typed: string): string {
  const isNumber = describeField(schema).kind === 'number' && typed.trim() !== ''
  const { message } = z.safeParse(schema, isNumber ? Number(typed) : typed).error?.issues[0] ?? {}
  if (message === undefined) return typed
  throw new InvalidArgumentError(expectedWords(message))
}

/** Returns typed values, separated by commas. Throws with the nearest name, or all, if one is not among them. */
function listOf(choices: readonly string[], typed: string): string {
  const unknown = typed.split(',').find((each) => !choices.includes(each.trim()))
  if (unknown === undefined) return typed
  const nearest = nearestName(unknown, choices)
  const advice = nearest === null ? `choose from ${choices.join(', ')}` : `did you mean "${nearest}"?`
  throw new InvalidArgumentError(unknown === typed ? advice : `"${unknown}" is not known; ${advice}`)
}

/** The placeholder for a value in the help. */
const VALUES = { switch: '', choice: ' <what>', number: ' <n>', text: ' <text>' } as const

/** Returns the folder that a relative path such as `.` names; a folder name is left to the reader. */
function projectNamed(given: string): string {
  if (/^\.{1,2}(?:$|[/\\])/.test(given)) return resolve(given)
  return given.replace(/(?<=[^/\\:])[/\\]+$/, '')
}
