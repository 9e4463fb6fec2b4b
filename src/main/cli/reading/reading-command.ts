import { withTypedHere } from '../../base/folder-of-run.ts'
import type { z } from 'zod'
import {
  findOperation,
  type OperationInput,
  type OperationName,
  type OperationOutput,
} from '../../../shared/contract/index.ts'
import type { Client } from '../client.ts'
import { table } from '../table.ts'
import type { TableSpec } from '../../../shared/columns/column.ts'

/** Output of a reading command: text for people, and the answer for `--json`. */
export interface Printed {
  readonly json: unknown
  readonly text: string
  /** The text is written as it is, without an end of line of ours: it may go to a file. */
  readonly isExact?: boolean
  /** Text that is not part of the answer: printed on standard error. */
  readonly aside?: string
}

/** Marks a text that is copied elsewhere: a terminal breaks none of its lines. */
export const toPaste = (printed: Printed): Printed => ({ ...printed, text: `${printed.text}\n`, isExact: true })

/** Writes an answer as text. */
type Text<Name extends OperationName> = (
  answer: OperationOutput<Name>,
  input: OperationInput<Name>,
  isTeam: boolean,
) => string

/** A typed word or more: `<id>`, `[id]` or `[words...]`, and the help. */
type Argument = readonly [syntax: string, help: string]

interface Declared<Name extends OperationName, Own extends z.ZodRawShape> {
  /** The whole line as a person types it. Its second word is the name of the command. */
  readonly example: string
  /** By default the operation's. */
  readonly summary?: string
  /** The operation. Its fields that have a description and are not arguments are options. */
  readonly operation: Name
  /** Fields that are typed without an option, in this order. */
  readonly arguments?: { readonly [Field in keyof OperationInput<Name>]?: Argument }
  /** Options that are not fields of the operation, declared in the same way. */
  readonly own?: Own
  /** Unknown options are words: the search text may be a pasted command. */
  readonly takesPasted?: true
  /** Shown below the options in the help. */
  readonly details?: string
  /** The answer itself says that a project is unknown, or an empty answer is fine for a project without records. */
  readonly takesAnyProject?: true
}

/** Gets the answer that a command prints. Returns null if it has printed everything itself. */
type Ask<Input, Own> = (client: Client, input: Input, own: Own, asJson: boolean) => Promise<Printed | null>

/** A reading command as data. Its options and their help come from the contract. */
export interface ReadingCommand extends Omit<Declared<OperationName, z.ZodRawShape>, 'arguments' | 'summary'> {
  readonly summary: string
  readonly arguments: Readonly<Record<string, Argument>>
  readonly own: z.ZodRawShape
  readonly ask: Ask<object, object>
}

/** Declares a command that prints the answer of one operation with `text`, or asks for more than that with `ask`. */
export function reading<const Name extends OperationName, Own extends z.ZodRawShape = Record<never, never>>(
  command: Declared<Name, Own> &
    (
      | { readonly text: Text<Name> }
      | { readonly ask: Ask<OperationInput<Name>, z.input<z.ZodObject<Own>>>; readonly text?: never }
    ),
): ReadingCommand {
  const { operation, own = {} } = command
  const ask: Ask<OperationInput<Name>, z.input<z.ZodObject<Own>>> = command.text === undefined
    ? command.ask
    : (client, input) => answered(client, operation, input, command.text)
  return {
    ...command,
    summary: command.summary ?? (findOperation(operation)?.summary ?? '').replace(/\.$/, ''),
    arguments: (command.arguments ?? {}) as ReadingCommand['arguments'],
    own,
    ask: ask as Ask<object, object>,
  }
}

/**
 * Runs an operation and prints its answer. Throws `not_found` if the answer is empty because the named session does not
 * exist.
 */
export async function answered<Name extends OperationName>(
  client: Client,
  operation: Name,
  input: OperationInput<Name>,
  text: Text<Name>,
): Promise<Printed> {
  const answer = await client.call(operation, input)
  if (isEmpty(answer) && 'session_id' in input) await requireSession(client, input.session_id)
  return { json: answer, text: text(answer, input, client.isTeam) }
}

/** Returns whether all lists of an answer are empty. */
export function isEmpty(answer: unknown): boolean {
  const lists = Object.values(answer ?? {}).filter((value) => Array.isArray(value))
  return lists.length > 0 && lists.every(({ length }) => length === 0)
}

/** Throws `not_found` if a session is named that does not exist: an empty answer would not say why. */
export async function requireSession(client: Client, session: string | undefined): Promise<void> {
  if (session !== undefined) await client.call('sessions.get', { session_id: session })
}

interface ListOptions<Name extends string> {
  /** The field of the answer that has the rows. Default: `items`. */
  readonly at?: Name
  /** `none` is only true without filters: with them, there may be something else. */
  readonly isOfAll?: true
}

/** Fields that leave out nothing that there is: failed tool calls are errors, too. */
const WIDENING: readonly string[] = ['limit', 'tools']

/** Writes a list of an answer as a table, or says that it is empty. */
export const listed =
  <Row, const Name extends string = 'items'>(
    spec: TableSpec<Row>,
    none: string,
    { at = 'items' as Name, isOfAll }: ListOptions<Name> = {},
  ) =>
  (answer: { readonly [Field in NoInfer<Name>]: readonly Row[] }, input: object, team: boolean): string => {
    const rows: readonly Row[] = answer[at]
    if (rows.length > 0) return table(rows, spec, { team })
    return isOfAll && Object.keys(input).some((field) => !WIDENING.includes(field))
      ? 'No matches.'
      : withTypedHere(none)
  }
