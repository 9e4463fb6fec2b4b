import { resolve } from 'node:path'
import { Option } from 'commander'
import type { Command } from 'commander'
import { budget } from './commands/budget.ts'
import * as cache from './commands/cache.ts'
import { carry } from './commands/carry.ts'
import * as events from './commands/reading-events.ts'
import { guard } from './commands/guard.ts'
import * as reading from './commands/reading.ts'
import { FORECAST_PERIODS } from '../../shared/contract/budgets.ts'
import { CARRY_GROUPS } from '../../shared/contract/carry.ts'
import { RECALL_SYNTAX_HELP } from '../../shared/recall-syntax.ts'
import * as money from './commands/receipt.ts'
import { limits } from './commands/limits.ts'
import { remember } from './commands/remember.ts'
import { served } from './commands/served.ts'
import { unknownProject } from './commands/unknown-project.ts'
import { clientNamed } from '../../shared/vendors.ts'
import { connect } from './client.ts'
import type { Client } from './client.ts'
import { flagsOf, settings, withCommon, withJson } from './flags.ts'
import { mistypedOptions } from './mistyped-options.ts'

/** The commands that only read. */

/** Flags that narrow an answer. Each command lists those it supports. */
const SCOPE = {
  limit: ['--limit <n>', 'Maximum number of results'],
  session: ['--session <id>', 'Only this session'],
  project: ['--project <dir>', 'Only this working directory, by its path or folder name'],
  since: ['--since <time>', 'Start: a date, a time or an age such as 7d'],
  until: ['--until <time>', 'End: a date, a time or an age such as 7d'],
  client: ['--client <name>', 'Only sessions of this client, such as claude-code or agent-sdk'],
  kinds: ['--kinds <list>', 'Only these kinds of events, such as thinking,error'],
} as const
type Scope = keyof typeof SCOPE

const SPAN: readonly Scope[] = ['since', 'until']

/** Adds the commands that show what happened. */
export function addLookCommands(program: Command): void {
  reader(program, 'stats', 'Show totals: sessions, tokens, cost and models', ['project', ...SPAN]).action(
    (_flags, self: Command) => read(self, (client) => reading.stats(client, self.opts())),
  )
  reader(program, 'sessions', 'List sessions, the most recently active first', ['limit', 'project', 'since', 'client'])
    .option('--failed', 'Only sessions with API errors or failed tool calls')
    .option('--tag <tag>', 'Only sessions with this tag')
    .action((_flags, self: Command) => read(self, (client) => reading.sessions(client, self.opts())))
  reader(program, 'session', 'Show the conversation of a session', ['limit'])
    .argument('<id>', 'Session ID')
    .action((id: string, _flags, self: Command) => read(self, (client) => reading.session(client, id, self.opts())))
  reader(program, 'recent', 'List the newest events', ['limit', 'session', 'project', 'kinds']).action(
    (_flags, self: Command) => read(self, (client) => events.recent(client, self.opts())),
  )
  reader(program, 'timeline', 'List the events of a session in order', [
    'limit',
    'session',
    'project',
    ...SPAN,
    'kinds',
  ])
    .argument('[id]', 'Session ID (default: the most recently active session)')
    .action((id: string | undefined, _flags, self: Command) =>
      read(self, (client) => events.timeline(client, id, self.opts())),
    )
  reader(program, 'replay', 'Print every event of a session in the order of arrival', [])
    .argument('<id>', 'Session ID')
    .option('--turn <n>', 'Only this turn')
    .action((id: string, _flags, self: Command) =>
      withClient(self, (client) => events.replay(client, id, self.opts(), process.stdout)),
    )
  reader(program, 'tools', 'List tool calls, newest first', ['limit', 'session', 'project', 'since', 'client'])
    .option('--tool <name>', 'Only this tool')
    .option('--failed', 'Only calls that failed')
    .action((_flags, self: Command) => read(self, (client) => reading.tools(client, self.opts())))
  reader(program, 'slowest', 'List the slowest tool calls or events', ['limit', 'session', 'since'])
    .addOption(
      new Option('--by <what>', 'List tool calls, or group events by kind: count, mean, p95, max').choices([
        'tool',
        'kind',
      ]),
    )
    .action((_flags, self: Command) => read(self, (client) => events.slowest(client, self.opts())))
  reader(program, 'errors', 'List errors, newest first', ['limit', 'session', 'project', ...SPAN, 'client'])
    .option('--query <text>', 'Only errors that contain these words')
    .option('--tools', 'Also list failed tool calls')
    .action((_flags, self: Command) => read(self, (client) => reading.errors(client, self.opts())))
  reader(program, 'cache', 'List prompt cache misses, what each cost, and why', [
    'limit',
    'session',
    'project',
    ...SPAN,
  ])
    .option('--cause <kind>', 'Only misses with this cause, such as tools_changed')
    .option('--summary', 'Sum up by cause, project and client version')
    .action((_flags, self: Command) => read(self, (client) => cache.misses(client, self.opts())))
  reader(program, 'diff', 'Compare a request with the one before it', [])
    .argument('<event>', 'UUID of the request')
    .option('--against <uuid>', 'Compare with this request instead')
    .action((uuid: string, _flags, self: Command) => read(self, (client) => cache.diff(client, uuid, self.opts())))
  reader(program, 'trace', 'Show what led to an event, back to the prompt', ['project'])
    .argument('[event]', 'Event UUID')
    .option('--last-error', 'Trace the newest error')
    .option('--match <text>', 'With --last-error: only errors that contain this text')
    .option('--down', 'Show what the event led to')
    .action((uuid: string | undefined, _flags, self: Command) =>
      read(self, (client) => reading.trace(client, uuid, self.opts())),
    )
}

/** Adds the commands about money and limits. */
export function addMoneyCommands(program: Command): void {
  reader(program, 'receipt', 'Show what was paid for, by model, day, session, agent and kind of token', [
    'session',
    ...SPAN,
  ])
    .option('--csv', 'Print CSV')
    .option(
      '--compare <file>',
      'Explain each difference to the output of ccusage daily, weekly, monthly, session or blocks --json',
    )
    .action((_flags, self: Command) => read(self, (client) => money.receipt(client, self.opts())))
  reader(program, 'budget', 'Show what this month has cost and will probably cost, compared with the last', ['project'])
    .addOption(new Option('--period <name>', 'Period (default: month)').choices(FORECAST_PERIODS))
    .action((_flags, self: Command) => read(self, (client) => budget(client, self.opts())))
  reader(program, 'carry', 'Show what it cost to carry prompts, tools and files through requests', [
    'limit',
    'session',
    'project',
    ...SPAN,
  ])
    .addOption(new Option('--by <what>', 'Group (default: kind)').choices(CARRY_GROUPS))
    .option('--blocks', 'With --session: list its blocks')
    .action((_flags, self: Command) => read(self, (client) => carry(client, self.opts())))
  reader(program, 'limits', 'Show how much of each limit is used, by whom, and the forecast at its reset', [
    'since',
  ]).action((_flags, self: Command) => read(self, (client) => limits(client, self.opts())))
}

/** Adds the command about what the API served. */
export function addServedCommand(program: Command): void {
  reader(program, 'served', 'Show where answers differ from what was asked: model, speed, tier, cache life', [
    'session',
    'since',
    'limit',
  ]).action((_flags, self: Command) => read(self, (client) => served(client, self.opts())))
}

/** Adds the commands that search, or prepare text for a model. */
export function addFindCommands(program: Command): void {
  reader(program, 'recall', 'Search prompts, thinking and answers', ['limit', 'session', 'project', ...SPAN, 'client'])
    .argument('<query...>', 'Words to search for')
    // A pasted command has options of its own.
    .allowUnknownOption()
    .option('--pack', 'Print the matches as one text for a model')
    .option('--title <text>', 'With --pack: first line of the text')
    .option('--with-actions', 'With --pack: also what each turn edited and ran')
    .option('--tools', 'Also search tool calls and results')
    .addHelpText('after', `\n${RECALL_SYNTAX_HELP}`)
    .action((words: string[], _flags, self: Command) => {
      reportMistyped(words, self)
      return read(self, (client) => reading.recall(client, words.join(' '), self.opts()))
    })
  reader(program, 'remember', 'List what you asked to remember, or remember an event', [
    'limit',
    'session',
    'project',
    ...SPAN,
  ])
    .argument('[words...]', 'Words to search for; with --add, the fact in your own words')
    .option('--category <name>', 'Only this category; with --add, that of the fact: preference, decision, warning …')
    .option('--show <uuid>', 'Show a remembered event with the events that confirm it')
    .option('--add <uuid>', 'Remember this event, or change what is remembered of it')
    .option('--confirms <uuid>', 'With --add: the event only confirms this remembered one')
    .option('--confidence <number>', 'With --add: from 0 to 1')
    .option('--forget <uuid>', 'Forget a remembered event')
    .option('--pack', 'Print the facts as one text for a model')
    .action((words: string[], _flags, self: Command) =>
      read(self, (client) => remember(client, words.join(' '), self.opts())),
    )
  reader(program, 'dropped', 'List what the last compaction of a session dropped', ['limit'])
    .argument('<id>', 'Session ID')
    .argument('[query...]', 'Only messages that contain all these words')
    .option('--compaction <uuid>', 'Use this compaction instead of the last one')
    .option('--pack', 'Print the messages as one text for a model')
    .action((id: string, words: string[], _flags, self: Command) =>
      read(self, (client) => reading.dropped(client, id, words.join(' '), self.opts())),
    )
  reader(program, 'resume', 'Summarize where a session left off, as one text for a model', ['project'])
    .argument('[id]', 'Session ID (default: the most recently active session)')
    .option('--lost', 'Print only the messages that the last resume did not carry')
    .action((id: string | undefined, _flags, self: Command) =>
      read(self, (client) => events.resume(client, id, self.opts())),
    )
  withJson(
    withCommon(program.command('guard').description('Show the guard and the requests that wait, or decide about them')),
  )
    .argument('[decision]', 'Forward it once, forward it and raise the cap, or stop it: once, raise or stop')
    .argument('[id]', 'ID of a waiting request (default: all)')
    .option('--to <limit>', 'With raise: the new limit (default: twice the present one)')
    .action((decision: string | undefined, id: string | undefined, flags: { to?: string }, self: Command) =>
      read(self, (client) => guard(client, decision, id, flags.to)),
    )
}

/** Says on standard error which searched words look like options; those after `--` are meant as text. */
function reportMistyped(words: readonly string[], self: Command): void {
  const end = process.argv.indexOf('--')
  const asText = end === -1 ? [] : process.argv.slice(end + 1)
  const known = self.options.flatMap(({ long }) => long ?? [])
  const typed = words.filter((word) => !asText.includes(word))
  for (const one of mistypedOptions(typed, known)) {
    console.error(`aspy: ${one.typed} is searched as text. Did you mean the option ${one.meant}?`)
  }
}

function reader(program: Command, name: string, description: string, scope: readonly Scope[]): Command {
  const command = withJson(withCommon(program.command(name).description(description)))
  for (const each of scope) {
    const [flag, what] = SCOPE[each]
    if (each === 'client') command.option(flag, what, clientNamed)
    else if (each === 'project') command.option(flag, what, projectNamed)
    else command.option(flag, what)
  }
  command.option('--team', "Read the team's history instead of this machine's")
  return command
}

/** Returns the folder that a relative path such as `.` names; a folder name is left to the reader. */
function projectNamed(given: string): string {
  if (/^\.{1,2}(?:$|[/\\])/.test(given)) return resolve(given)
  return given.replace(/(?<=[^/\\:])[/\\]+$/, '')
}

/** These have their own answer for an unknown project, or accept one that has no record yet. */
const TAKES_ANY_PROJECT: readonly string[] = ['recall', 'remember', 'budget', 'resume']

const read = (self: Command, what: (client: Client) => Promise<reading.Printed>): Promise<void> =>
  withClient(self, async (client) => {
    const { json: asJson, project, team } = flagsOf<{ json?: boolean; project?: string; team?: boolean }>(self)
    const printed = await what(client)
    const isSilent = asJson === true || team === true || TAKES_ANY_PROJECT.includes(self.name())
    const aside = printed.aside ?? (isSilent ? undefined : await unknownProject(client, project))
    reading.print({ ...printed, ...(aside === undefined ? {} : { aside }) }, asJson)
  })

async function withClient(self: Command, work: (client: Client) => Promise<void>): Promise<void> {
  const isTeam = flagsOf<{ team?: boolean }>(self).team === true
  const client = isTeam
    ? (await import('./team-client.ts')).connectToTeam(settings(self))
    : await connect(settings(self))
  try {
    await work(client)
  } finally {
    await client.close()
  }
}
