import { type Command, Option } from 'commander'
import { findOperation, type OperationOutput } from '../../../shared/contract/index.ts'
import { describeField } from '../../../shared/contract/describe-field.ts'
import { lastMoment, moment } from '../../../shared/contract/fields.ts'
import { isOfThisMachine } from '../../../shared/contract/team.ts'
import { teamCannot } from '../../../shared/team-cannot.ts'
import { DAY_MS } from '../../../shared/time-units.ts'
import { z } from 'zod'
import { connect, type Client } from '../client.ts'
import type { ExampleCommand } from '../example-command.ts'
import { flagsOf, settings, withCommon, withJson } from '../flags.ts'
import { mistypedOptions } from '../mistyped-options.ts'
import { print } from '../print-all.ts'
import { count } from '../table.ts'
import { sayAside } from '../wrap.ts'
import { optionsOf, type FieldOption, type Fields } from './field-options.ts'
import { isEmpty, type ReadingCommand } from './reading-command.ts'
import { unknownNames } from './unknown-names.ts'

/** Adds reading commands to the command line, with options and help from the contract. */
export function addReadingCommands(program: ExampleCommand, commands: readonly ReadingCommand[]): void {
  for (const command of commands) addReadingCommand(program, command)
}

function addReadingCommand(program: ExampleCommand, declared: ReadingCommand): void {
  const command = withJson(withCommon(program.shown(declared.example, declared.summary)))
  for (const [syntax, help] of Object.values(declared.arguments)) command.argument(syntax, help)
  const { scope, own } = optionsOf(fieldsOf(declared))
  for (const { option } of scope) command.addOption(option)
  if (!isOfThisMachine(declared.operation)) command.addOption(teamOption(declared.operation))
  for (const { option } of own) command.addOption(option)
  if (declared.takesPasted) command.allowUnknownOption()
  if (declared.details !== undefined) command.addHelpText('after', `\n${declared.details}`)
  command.action((...typed: readonly unknown[]) => {
    if (declared.takesPasted) reportMistyped(command)
    const words = typed.slice(0, Object.keys(declared.arguments).length)
    return read(command, declared, valuesOf(command, declared, [...scope, ...own], words))
  })
}

/** Offers the team's history. Commands that a team cannot answer accept the option without offering it, and say why. */
const teamOption = (operation: string): Option =>
  new Option('--team', "Read the team's history instead of this machine's").hideHelp(
    teamCannot(operation) !== undefined,
  )

/** Returns the fields that the command may offer: those of its operation that are not arguments, and its own. */
function fieldsOf({ operation, arguments: typed, own }: ReadingCommand): Fields {
  const input = findOperation(operation)?.input
  const shape: Fields = input instanceof z.ZodObject ? input.shape : {}
  const offered = Object.entries(shape).filter(([field]) => !(field in typed) && !(field in own))
  return { ...Object.fromEntries(offered), ...own }
}

/** Returns the typed values by field: the fields of the operation, and the command's own. */
function valuesOf(self: Command, declared: ReadingCommand, options: readonly FieldOption[], words: readonly unknown[]) {
  const flags: Readonly<Record<string, unknown>> = self.opts()
  const byOption = options.map(({ field, option }) => [field, flags[option.attributeName()]] as const)
  const byPlace = Object.keys(declared.arguments).map((field, index) => {
    const word = words[index]
    const value = Array.isArray(word) ? word.join(' ').trim() || undefined : word
    const [syntax = ''] = declared.arguments[field] ?? []
    if (value === undefined && syntax.startsWith('<')) self.error(`error: missing required argument '${field}'`)
    return [field, value] as const
  })
  const given = [...byOption, ...byPlace].filter(([, value]) => value !== undefined)
  const isOwn = (field: string) => field in declared.own && !(field in declared.arguments)
  return {
    input: Object.fromEntries(given.filter(([field]) => !isOwn(field))),
    own: Object.fromEntries(given.filter(([field]) => isOwn(field))),
  }
}

/** Flags that name what is recorded. */
interface ScopeFlags {
  readonly project?: string
  readonly client?: string
  readonly tag?: string
  readonly model?: string
  readonly tool?: string
  readonly team?: boolean
}

async function read(self: Command, declared: ReadingCommand, { input, own }: ReturnType<typeof valuesOf>) {
  refuseEmptySpan(self, input)
  // Times are shown in the zone in which they are asked for.
  if (typeof input['tz'] === 'string') process.env['TZ'] = input['tz']
  const { json = false, project, team = false, ...named } = flagsOf<ScopeFlags>(self)
  const client = await clientOf(self, team)
  try {
    const printed = await declared.ask(client, input, own, json)
    if (printed === null) return
    const isSilent = json || team || declared.takesAnyProject === true
    // A name that selects something is known.
    const names = { project, ...(isEmpty(printed.json) ? named : {}) }
    const aside = printed.aside ?? (isSilent ? undefined : await unknownNames(client, names))
    const more = printed.isExact === true ? [] : moreText(printed.json, limitOf(declared, input))
    const text = [printed.text, ...more.map((one) => `(${one})`)].join('\n')
    print({ ...printed, text, ...(aside === undefined ? {} : { aside }) }, json)
  } finally {
    await client.close()
  }
}

/** Returns the limit of a list that has no pages, which ends there without saying so. */
function limitOf(declared: ReadingCommand, input: Readonly<Record<string, unknown>>): number | undefined {
  const { limit, cursor } = fieldsOf(declared)
  if (limit === undefined || cursor !== undefined) return undefined
  return Number(input['limit'] ?? describeField(limit).preset)
}

/** Says that an answer, or the conversation in it, is a page of more, or as long as its `limit` without pages. */
export function moreText(answer: unknown, limit?: number): readonly string[] {
  const { history, groups, ...page } = answer as Partial<OperationOutput<'recall.search'>> & {
    readonly history?: unknown
    readonly groups?: unknown
  }
  if (history !== undefined) return moreText(history)
  const { items, next, total = 0, total_about: isMore } = page
  // What is shown are all groups, not the items beside them.
  if (!Array.isArray(items) || groups !== undefined) return []
  if (items.length === limit) return [`${count(limit)} shown; there may be more: see --limit`]
  if (typeof next !== 'string') return []
  const of = total > items.length ? ` of ${isMore === true ? 'more than ' : ''}${count(total)}` : ''
  return [`${count(items.length)}${of} shown; there are more: see --limit`]
}

/** An answer without rows would not say that no time is asked for, or one that is still to come. */
function refuseEmptySpan(self: Command, { since, until, tz }: Readonly<Record<string, unknown>>): void {
  const [from, to] = [moment.safeParse(since).data, lastMoment.safeParse(until).data]
  if (from !== undefined && to !== undefined && from > to)
    self.error(`error: --since cannot be "${String(since)}": it is after --until ${String(until)}`)
  // A day of another zone may have begun there.
  if (from !== undefined && Date.parse(from) > Date.now() + (tz === undefined ? 0 : DAY_MS))
    self.error(`error: --since cannot be "${String(since)}": it is still to come`)
}

async function clientOf(self: Command, isTeam: boolean): Promise<Client> {
  if (!isTeam) return connect(settings(self))
  const { connectToTeam } = await import('../team-client.ts')
  return connectToTeam(settings(self))
}

/** Says on standard error which searched words look like mistyped options; those after `--` are meant as text. */
function reportMistyped(self: Command): void {
  const end = process.argv.indexOf('--')
  const asText = end === -1 ? [] : process.argv.slice(end + 1)
  const known = self.options.flatMap(({ long }) => long ?? [])
  const typed = self.args.filter((word) => !asText.includes(word))
  for (const one of mistypedOptions(typed, known))
    sayAside(`aspy: ${one.typed} is searched as text. Did you mean the option ${one.meant}?`)
}
