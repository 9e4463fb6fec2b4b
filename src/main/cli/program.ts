import { Command } from 'commander'
import { packageVersion } from '../base/app-files.ts'
import { AspyError } from '../../shared/contract/errors.ts'
import { nearestName } from '../../shared/nearest-name.ts'
import { describeConfig } from '../config/describe-config.ts'
import type { ExportFlags } from './commands/export.ts'
import { print } from './commands/reading.ts'
import { flagsOf, number, settings, withCommon, withJson } from './flags.ts'
import { addFindCommands, addLookCommands, addMoneyCommands, addServedCommand } from './reader-commands.ts'
import { table } from './table.ts'
import { addTeamCommand } from './team-commands.ts'

const ASSUME = "Have Claude Code treat the upstream as Anthropic's own address, whatever it is"
const NO_ASSUME = 'Never do so (default: only if the upstream is api.anthropic.com)'

/** Groups of commands by what people want to do, in the order of the help and of docs/commands.md. */
const GROUPS = {
  start: 'Start recording:',
  look: 'See what happened:',
  find: 'Find and recall:',
  keep: 'Back up, export and import:',
  team: 'Work with a team:',
  connect: 'Connect Claude Code:',
  upkeep: 'Settings and maintenance:',
} as const

/**
 * Builds the command line: the name, arguments and flags of every command. The work is done in commands/, which is
 * loaded on demand because most commands need little of the app. docs/commands.md is generated from this program.
 */
export function createProgram(): Command {
  const program = withCommon(new Command('aspy'))
    .description('Record Claude Code sessions, and search, price and trace them.')
    .usage('[command] [options]')
    .version(packageVersion(), '-V, --version', 'Show the version')
    .showSuggestionAfterError()
    .enablePositionalOptions()
    .argument('[command]', 'Command to run (default: start Aspy and open its window)')
    .action(async (unknown: string | undefined) => {
      if (unknown !== undefined) throw unknownCommand(program, unknown)
      const { start } = await import('./commands/start.ts')
      await start(settings(program), flagsOf(program))
    })
  addStartCommands(program.commandsGroup(GROUPS.start))
  addLookCommands(program.commandsGroup(GROUPS.look))
  addMoneyCommands(program.commandsGroup(GROUPS.look))
  addServedCommand(program.commandsGroup(GROUPS.look))
  addFindCommands(program.commandsGroup(GROUPS.find))
  addKeepCommands(program.commandsGroup(GROUPS.keep))
  addTeamCommand(program.commandsGroup(GROUPS.team))
  addConnectCommands(program.commandsGroup(GROUPS.connect))
  addUpkeepCommands(program.commandsGroup(GROUPS.upkeep))
  return program.helpCommand('help [command]', 'Show help for a command')
}

function addStartCommands(program: Command): void {
  command(program, 'run', 'Run Claude Code or Codex and record it (aspy run -- claude)')
    .argument('[command...]', 'Client and its arguments (default: claude)')
    .option('--full', 'Record through a tunnel, not a base URL: the client behaves as it does without Aspy')
    .option('--thinking', 'Ask Claude Code for thinking summaries')
    .option('--assume', ASSUME)
    .option('--no-assume', NO_ASSUME)
    .passThroughOptions()
    .action(async (words: string[], _flags, self: Command) => {
      const { run } = await import('./commands/run.ts')
      await run(settings(self), words, flagsOf<{ thinking?: boolean; assume?: boolean; full?: boolean }>(self))
    })
  command(program, 'serve', 'Run the app without a window')
    .option('--json', 'Print one line of JSON when ready')
    .option('--leave-after <minutes>', 'Exit after this many minutes without a client', number)
    .action(async (_flags, self: Command) => {
      const { serve } = await import('./serving.ts')
      await serve(settings(self), flagsOf(self))
    })
  command(program, 'open', 'Open the dashboard of the running app in a browser').action(
    async (_flags, self: Command) => {
      const { open } = await import('./commands/open.ts')
      await open(settings(self), !flagsOf(self).open)
    },
  )
}

function addKeepCommands(program: Command): void {
  withJson(command(program, 'import', 'Import transcripts, exports, archives and session logs'))
    .argument('[path...]', 'Files or folders (default: every transcript found)')
    .action(async (paths: string[], _flags, self: Command) => {
      const { importPaths } = await import('./commands/import.ts')
      await importPaths(settings(self), paths, flagsOf(self).json ?? false)
    })
  command(program, 'export', 'Export all events, or one session')
    .option('--all', 'Add what people made: labels, memories, saved searches, deletions')
    .option('--session <id>', 'Only this session')
    .option('--format <name>', 'jsonl or html (can be imported again), claude or markdown')
    .option('--without <parts>', 'With --format html: leave out tools, thinking or paths, separated by commas')
    .option('--out <file>', 'Write to a new file instead of standard output')
    .option('--parquet <dir>', 'Write Parquet files by month and session to this folder, for DuckDB and others')
    .action(async (_flags, self: Command) => {
      const { parquet, ...flags } = self.opts<ExportFlags & { readonly parquet?: string }>()
      if (parquet !== undefined) {
        const { exportParquet } = await import('./commands/export-parquet.ts')
        return await exportParquet(settings(self), parquet, flags)
      }
      const { exportEvents } = await import('./commands/export.ts')
      await exportEvents(settings(self), flags)
    })
  withJson(command(program, 'backup', 'Copy all data to one file (the app can keep running)'))
    .argument('<file>', 'File to create')
    .action(async (path: string, _flags, self: Command) => {
      const { backup } = await import('./commands/backup.ts')
      await backup(settings(self), path, flagsOf(self).json ?? false)
    })
  withJson(command(program, 'restore', 'Replace all data with a backup (stop the app first)'))
    .argument('<file>', 'Backup to restore')
    .action(async (path: string, _flags, self: Command) => {
      const { restore } = await import('./commands/backup.ts')
      await restore(settings(self), path, flagsOf(self).json ?? false)
    })
}

function addConnectCommands(program: Command): void {
  withJson(command(program, 'setup', 'Install the plugin in Claude Code, or remove it with --undo'))
    .option('--undo', 'Undo everything that setup changed')
    .option('--thinking', 'Also ask Claude Code for thinking summaries')
    .option('--base-url', 'Also send every client through Aspy, and start Aspy at login')
    .option('--full', 'Like --base-url, but through a tunnel: Claude Code keeps all of its features')
    .option('--assume', `With --base-url: ${ASSUME}`)
    .option('--no-assume', `With --base-url: ${NO_ASSUME}`)
    .option('--rotate', 'Only replace the path secret of the base URL')
    .option(
      '--codex',
      'Instead let Codex ask Aspy: an MCP server and a skill; with --base-url, also send it through Aspy',
    )
    .option('--claude-dir <dir>', "Claude Code's folder (default: CLAUDE_CONFIG_DIR, then ~/.claude)")
    .action(async (_flags, self: Command) => {
      const { setup } = await import('./commands/setup.ts')
      await setup(settings(self), flagsOf(self))
    })
  withJson(command(program, 'doctor', 'Check the connection between Claude Code and Aspy, and suggest fixes')).action(
    async (_flags, self: Command) => {
      const { doctor } = await import('./commands/doctor.ts')
      await doctor(settings(self), flagsOf(self).json ?? false)
    },
  )
  command(program, 'mcp', 'Serve MCP on standard input and output').action(async (_flags, self: Command) => {
    const { mcp } = await import('./commands/mcp.ts')
    await mcp(settings(self))
  })
  command(program, 'hook', 'Forward a Claude Code hook from standard input to the running app').action(async () => {
    await import('./hook.ts')
  })
  command(program, 'statusline', "Print Claude Code's status line from JSON on standard input").action(async () => {
    await import('./statusline.ts')
  })
}

function addUpkeepCommands(program: Command): void {
  withJson(command(program, 'config', 'List all settings, with their values and sources')).action(
    (_flags, self: Command) => showConfig(self),
  )
  withJson(command(program, 'tag', 'Tag a session, or list all tags'))
    .argument('[id]', 'Session ID')
    .argument('[tags...]', 'Tags to add')
    .option('--remove <tag>', 'Remove this tag; can be repeated', (name: string, all: string[]) => [...all, name], [])
    .action(async (id: string | undefined, tags: string[], _flags, self: Command) => {
      const { tag } = await import('./commands/tag.ts')
      const { remove = [], json = false } = flagsOf<{ remove?: string[] }>(self)
      await tag(settings(self), { id, tags, remove, json })
    })
  withJson(command(program, 'delete', 'Delete a session permanently'))
    .argument('<id>', 'Session ID')
    .option('--yes', 'Delete without asking; required if there is no terminal')
    .action(async (id: string, _flags, self: Command) => {
      const { deleteSession } = await import('./commands/delete.ts')
      const { json = false, yes = false } = flagsOf<{ yes?: boolean }>(self)
      await deleteSession(settings(self), id, { json, yes })
    })
  withJson(command(program, 'redact', 'Remove secrets from data that is already stored'))
    .requiredOption('--past', 'Apply the current rules to all stored data')
    .option('--yes', 'Remove copies with unredacted data without asking; without a terminal, they are kept')
    .action(async (_flags, self: Command) => {
      const { redactPast } = await import('./commands/redact.ts')
      const { json = false, yes = false } = flagsOf<{ yes?: boolean }>(self)
      await redactPast(settings(self), { json, yes })
    })
  withJson(command(program, 'archive', 'Move old payloads to archives and apply the retention settings now'))
    .option('--search <words>', 'Search archived tool calls and results instead')
    .action(async (_flags, self: Command) => {
      const { archive, searchArchives } = await import('./commands/upkeep.ts')
      const { search, json = false } = flagsOf<{ search?: string }>(self)
      if (search === undefined) await archive(settings(self), json)
      else await searchArchives(settings(self), search, json)
    })
  withJson(
    command(program, 'vacuum', 'Rewrite the database file, so that no deleted text remains in unused bytes'),
  ).action(async (_flags, self: Command) => {
    const { vacuum } = await import('./commands/upkeep.ts')
    await vacuum(settings(self), flagsOf(self).json ?? false)
  })
  withJson(command(program, 'rebuild', 'Rebuild derived tables from the event log'))
    .option(
      '--only <name>',
      'Only this projection; can be repeated',
      (name: string, all: string[]) => [...all, name],
      [],
    )
    .action(async (_flags, self: Command) => {
      const { rebuild } = await import('./commands/upkeep.ts')
      const { only = [], json = false } = flagsOf<{ only?: string[] }>(self)
      await rebuild(settings(self), only, json)
    })
  withJson(command(program, 'reprice', 'Recalculate past costs from the current price list')).action(
    async (_flags, self: Command) => {
      const { reprice } = await import('./commands/upkeep.ts')
      await reprice(settings(self), flagsOf(self).json ?? false)
    },
  )
}

function command(program: Command, name: string, description: string): Command {
  return withCommon(program.command(name).description(description))
}

function showConfig(self: Command): void {
  const described = describeConfig(settings(self).loaded)
  const text = table(described.items, [
    { title: 'Setting', of: ({ key }) => key },
    { title: 'Value', of: ({ value }) => JSON.stringify(value) },
    { title: 'Source', of: ({ origin }) => origin },
    { title: 'Description', of: ({ description }) => description, max: 200 },
  ])
  print({ json: described, text }, flagsOf(self).json)
}

function unknownCommand(program: Command, typed: string): AspyError {
  const nearest = nearestName(
    typed,
    program.commands.map((command) => command.name()),
  )
  const advice = nearest === null ? 'run aspy --help for a list' : `did you mean "${nearest}"?`
  return new AspyError('bad_input', `unknown command "${typed}"; ${advice}`)
}
