import { Option } from 'commander'
import type { Command } from 'commander'
import * as events from './commands/reading-events.ts'
import * as reading from './commands/reading.ts'
import { connect } from './client.ts'
import type { Client } from './client.ts'
import { flagsOf, settings, withCommon } from './flags.ts'

/** The commands that only read: what each is called and takes. */

/** What narrows an answer; each command names those that it heeds. */
const SCOPE = {
  limit: ['--limit <n>', 'how many'],
  session: ['--session <id>', 'only this session'],
  project: ['--project <dir>', 'only this working directory'],
  since: ['--since <time>', 'a date, a time or an age (7d)'],
  until: ['--until <time>', 'up to a date, a time or an age'],
  kinds: ['--kinds <list>', 'only these kinds of events: thinking,error'],
} as const

export function addReaders(program: Command): void {
  reader(
    program,
    'recall',
    'search what was asked, thought and answered',
    'limit',
    'session',
    'project',
    'since',
    'until',
  )
    .argument('<query...>')
    .option('--pack', 'as one text for a model')
    .option('--tools', 'search tool calls and results too')
    .action((words: string[], _flags, self: Command) =>
      read(self, (client) => reading.recall(client, words.join(' '), self.opts())),
    )
  reader(program, 'dropped', 'what the last compaction of a session dropped', 'limit')
    .argument('<id>', 'the session')
    .argument('[query...]', 'only what holds all these words')
    .option('--compaction <uuid>', 'not the last one but this')
    .option('--pack', 'as one text for a model')
    .action((id: string, words: string[], _flags, self: Command) =>
      read(self, (client) => reading.dropped(client, id, words.join(' '), self.opts())),
    )
  reader(program, 'stats', 'totals', 'project', 'since', 'until').action((_flags, self: Command) =>
    read(self, (client) => reading.stats(client, self.opts())),
  )
  reader(program, 'sessions', 'sessions, newest first', 'limit', 'project', 'since').action((_flags, self: Command) =>
    read(self, (client) => reading.sessions(client, self.opts())),
  )
  reader(program, 'session', 'one session: what was said', 'limit')
    .argument('<id>')
    .action((id: string, _flags, self: Command) => read(self, (client) => reading.session(client, id, self.opts())))
  reader(program, 'resume', 'where a session stood, as one text for a model', 'project')
    .argument('[id]', 'the session; without one, that which was active last')
    .action((id: string | undefined, _flags, self: Command) =>
      read(self, (client) => events.resume(client, id, self.opts())),
    )
  reader(program, 'recent', 'the newest events', 'limit', 'session', 'project', 'kinds').action(
    (_flags, self: Command) => read(self, (client) => events.recent(client, self.opts())),
  )
  reader(
    program,
    'timeline',
    'what happened in a session, in order',
    'limit',
    'session',
    'project',
    'since',
    'until',
    'kinds',
  )
    .argument('[id]', 'the session; without one, that which was active last')
    .action((id: string | undefined, _flags, self: Command) =>
      read(self, (client) => events.timeline(client, id, self.opts())),
    )
  reader(program, 'replay', 'all events of a session, in the order in which they came')
    .argument('<id>')
    .option('--turn <n>', 'only this turn')
    .action((id: string, _flags, self: Command) =>
      withClient(self, (client) => events.replay(client, id, self.opts(), process.stdout)),
    )
  reader(program, 'tools', 'tool calls, newest first', 'limit', 'session', 'project', 'since')
    .option('--tool <name>', 'only this tool')
    .action((_flags, self: Command) => read(self, (client) => reading.tools(client, self.opts())))
  reader(program, 'slowest', 'what took longest', 'limit', 'session', 'since')
    .addOption(new Option('--by <what>', 'tool calls, or events of any kind').choices(['tool', 'kind']))
    .action((_flags, self: Command) => read(self, (client) => events.slowest(client, self.opts())))
  reader(program, 'errors', 'errors, newest first', 'limit', 'session', 'project', 'since', 'until')
    .option('--query <text>', 'words of the error')
    .action((_flags, self: Command) => read(self, (client) => reading.errors(client, self.opts())))
  reader(program, 'trace', 'why an event happened', 'project')
    .argument('[event]', 'its uuid')
    .option('--last-error', 'the newest error instead')
    .option('--match <text>', 'with --last-error: a word of it')
    .option('--down', 'what it caused instead')
    .action((uuid: string | undefined, _flags, self: Command) =>
      read(self, (client) => reading.trace(client, uuid, self.opts())),
    )
}

function reader(
  program: Command,
  name: string,
  description: string,
  ...scope: readonly (keyof typeof SCOPE)[]
): Command {
  const command = withCommon(program.command(name).description(description)).option('--json', 'print JSON')
  for (const each of scope) command.option(SCOPE[each][0], SCOPE[each][1])
  return command
}

const read = (self: Command, what: (client: Client) => Promise<reading.Printed>): Promise<void> =>
  withClient(self, async (client) => reading.print(await what(client), flagsOf(self).json))

async function withClient(self: Command, work: (client: Client) => Promise<void>): Promise<void> {
  const client = await connect(settings(self))
  try {
    await work(client)
  } finally {
    await client.close()
  }
}
