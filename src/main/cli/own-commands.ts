import { packageVersion } from '../base/app-files.ts'
import { ExampleCommand } from './example-command.ts'
import {
  flagsOf,
  notAFlag,
  number,
  settings,
  withAnySettings,
  withCommon,
  withJson,
  withFolder,
  withSettings,
} from './flags.ts'
import { addTeamCommand } from './team-commands.ts'
import { unknownCommand } from './unknown-command.ts'
import { terminalWidth, wrapped } from './wrap.ts'

/** What a run changes, for who tries Aspy for the first time. */
const RUN_CHANGES = `
Only this run goes through Aspy: no settings of the client change, and what is written for the run is removed at its \
end. If no app runs, it starts one, which ends minutes after the last client; what was recorded stays.`

const ASSUME = "Have Claude Code treat the upstream as Anthropic's own address, whatever it is"
const NO_ASSUME = 'Never do so (default: only if the upstream is api.anthropic.com)'

/** Groups of commands by what people want to do, in the order of the help and of docs/commands.md. */
export const GROUPS = {
  start: 'Start recording:',
  look: 'See what happened:',
  find: 'Find and recall:',
  keep: 'Back up, export and import:',
  team: 'Work with a team:',
  connect: 'Connect Claude Code:',
  upkeep: 'Settings and maintenance:',
} as const

/**
 * Parses a command line and runs its command. An unknown command is named first: what follows it is not the mistake. The
 * reading commands are loaded only if none of the others is meant: the contract that describes them takes half of a
 * command's start.
 */
export async function runProgram(words: readonly string[]): Promise<void> {
  const others = emptyProgram()
  addStartCommands(others)
  addOtherCommands(others)
  const isOther = has(others, words[0] ?? '') || words.every((word) => NO_COMMAND.test(word))
  const program = isOther ? others : (await import('./program.ts')).createProgram(words[0])
  const [first = '-'] = words[0] === 'help' ? words.slice(1) : words
  const isKnown = first.startsWith('-') || first === 'help' || has(program, first)
  if (!isKnown) program.error(`aspy: ${unknownCommand(program, first)}`)
  await program.parseAsync(words, { from: 'user' })
}

/** A flag that neither is a command nor lists them. */
const NO_COMMAND = /^(?:-V|--(?!help$).+)$/

const has = (program: ExampleCommand, name: string): boolean =>
  program.commands.some((one) => one.name() === name || one.aliases().includes(name))

/** Returns the columns that help may take: also in a file or pipe, people read it. */
const helpWidth = () => (process.stdout.isTTY ? terminalWidth() : 80)

/** Returns the command line without its commands: alone, it starts the app. */
export function emptyProgram(): ExampleCommand {
  const program = withCommon(new ExampleCommand('aspy'))
    .description('Record Claude Code sessions, and search, price and trace them.')
    .usage('[command] [options]')
    .version(packageVersion(), '-V, --version', 'Show the version')
    .showSuggestionAfterError()
    .exitOverride()
    .configureOutput({
      getOutHelpWidth: helpWidth,
      writeOut: (text) => void process.stdout.write(wrapped(text, helpWidth())),
      outputError: (text, write) => write(wrapped(text, terminalWidth(process.stderr))),
    })
    .enablePositionalOptions()
    .argument('[command]', 'Command to run (default: start Aspy and open its window)')
    .action(async (unknown: string | undefined) => {
      if (unknown !== undefined) program.error(`aspy: ${unknownCommand(program, unknown)}`)
      const { start } = await import('./commands/start.ts')
      await start(settings(program), flagsOf(program))
    })
  return program
}

/** Adds the commands that do not read and come after those that do. */
export function addOtherCommands(program: ExampleCommand): void {
  addKeepCommands(program.commandsGroup(GROUPS.keep))
  addTeamCommand(program.commandsGroup(GROUPS.team))
  addConnectCommands(program.commandsGroup(GROUPS.connect))
  addUpkeepCommands(program.commandsGroup(GROUPS.upkeep))
}

/** Adds the commands that start and stop Aspy. */
export function addStartCommands(whole: ExampleCommand): void {
  const program = whole.commandsGroup(GROUPS.start)
  command(program, 'aspy run -- claude --model opus', 'Run Claude Code or Codex and record it (aspy run -- claude)')
    .argument('[command...]', 'Client and its arguments (default: claude)')
    .option('--full', 'Record through a tunnel, not a base URL: the client behaves as it does without Aspy')
    .option('--thinking', 'Ask Claude Code for thinking summaries')
    .option('--assume', ASSUME)
    .option('--no-assume', NO_ASSUME)
    .passThroughOptions()
    .addHelpText('after', RUN_CHANGES)
    .action(withAnySettings(async () => (await import('./commands/run.ts')).run))
  command(program, 'aspy serve --leave-after 60', 'Run the app without a window')
    .option('--json', 'Print one line of JSON when ready')
    .option('--leave-after <minutes>', 'Exit after this many minutes without a client', number)
    .option('--wait', 'If it cannot start, as while another Aspy serves the data, try again until it can')
    .action(withSettings(async () => (await import('./serving.ts')).serve))
  withJson(command(program, 'aspy status', 'Show whether Aspy runs, and what passed unrecorded')).action(
    withFolder(async () => (await import('./commands/status.ts')).status),
  )
  command(program, 'aspy stop', 'Stop Aspy once its requests have ended; clients go on, unrecorded')
    .option('--now', 'Cut the requests that are in progress; once stopped, end the keeper, too')
    .action(withFolder(async () => (await import('./commands/stop.ts')).stop))
  command(program, 'aspy restart', 'Start Aspy again, without closing its ports').action(
    withFolder(async () => (await import('./commands/stop.ts')).restart),
  )
  command(program, 'aspy open', 'Open the dashboard of the running app in a browser').action(
    withSettings(async () => (await import('./commands/open.ts')).open),
  )
}

function addKeepCommands(program: ExampleCommand): void {
  withJson(command(program, 'aspy import ~/.claude/projects', 'Import transcripts, exports, archives and session logs'))
    .argument('[path...]', 'Files or folders (default: every transcript found)')
    .action(withSettings(async () => (await import('./commands/import.ts')).importPaths))
  command(
    program,
    'aspy export --session 5f0c2f1e --format markdown --out session.md',
    'Export all events, or one session',
  )
    .option('--all', 'Add what people made: labels, memories, saved searches, deletions')
    .option('--session <id>', 'Only this session')
    .option('--format <name>', 'jsonl or html (can be imported again), claude or markdown')
    .option(
      '--without <parts>',
      'With --format html or markdown: leave out requests, tools, thinking or paths, separated by commas',
    )
    .option('--out <file>', 'Write to a new file instead of standard output', notAFlag)
    .option(
      '--parquet <dir>',
      'Write Parquet files by month and session to this folder, for DuckDB and others',
      notAFlag,
    )
    .action(withSettings(async () => (await import('./commands/export.ts')).exportEvents))
  withJson(
    command(program, 'aspy backup ~/aspy-2026-11.backup', 'Copy all data to one file (the app can keep running)'),
  )
    .argument('<file>', 'File to create')
    .action(withSettings(async () => (await import('./commands/backup.ts')).backup))
  withJson(
    command(program, 'aspy restore ~/aspy-2026-11.backup', 'Replace all data with a backup (stop the app first)'),
  )
    .argument('<file>', 'Backup to restore')
    .action(withSettings(async () => (await import('./commands/backup.ts')).restore))
}

function addConnectCommands(program: ExampleCommand): void {
  withJson(command(program, 'aspy setup --base-url', 'Install the plugin in Claude Code, or remove it with --undo'))
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
    .action(withAnySettings(async () => (await import('./commands/setup.ts')).setup))
  withJson(command(program, 'aspy off', 'Send no further client through Aspy: undo base URLs and full mode')).action(
    withFolder(async () => (await import('./commands/off.ts')).off),
  )
  withJson(command(program, 'aspy doctor', 'Check the connection between Claude Code and Aspy, and suggest fixes'))
    .option('--fix', 'First do the fixes that can be undone, and say how')
    .action(withAnySettings(async () => (await import('./commands/doctor.ts')).doctor))
  command(program, 'aspy mcp', 'Serve MCP on standard input and output').action(
    withSettings(async () => (await import('./commands/mcp.ts')).mcp),
  )
  command(
    program,
    'aspy hook < event.json',
    'Forward a Claude Code hook from standard input to the running app',
  ).action(async () => {
    await import('./hook.ts')
  })
  command(program, 'aspy statusline < status.json', "Print Claude Code's status line from JSON on standard input")
    .addHelpText('after', STATUS_LINE)
    .action(async () => {
      await import('./statusline.ts')
    })
}

const STATUS_LINE = `
To show it, put this into ~/.claude/settings.json, beside what is there:
  "statusLine": { "type": "command", "command": "aspy statusline" }`

function addUpkeepCommands(program: ExampleCommand): void {
  const config = withJson(
    command(program, 'aspy config set guard.day_usd 20', 'List all settings, or set one, such as a cap or a budget'),
  )
  config.action(withSettings(async () => (await import('./commands/config.ts')).listSettings))
  withJson(command(config, 'aspy config get guard.day_usd', 'Print the value of a setting, or of all in a section'))
    .argument('<key>', 'The setting, such as guard.day_usd, or a section, such as guard')
    .action(withSettings(async () => (await import('./commands/config.ts')).showSetting))
  withJson(command(config, 'aspy config set guard.day_usd 20', 'Write a setting to the config file'))
    .argument('<key>', 'The setting, such as guard.day_usd')
    .argument('<value>', 'Its value; JSON for lists and tables')
    .action(withSettings(async () => (await import('./commands/config.ts')).setSetting))
  withJson(command(config, 'aspy config unset guard.day_usd', 'Restore the default of a setting'))
    .argument('<key>', 'The setting, such as guard.day_usd')
    .action(withSettings(async () => (await import('./commands/config.ts')).unsetSetting))
  command(program, 'aspy report --out report.json', 'Show what a bug report needs: versions, figures and no text')
    .option('--out <file>', 'Write it to this file, too')
    .action(withAnySettings(async () => (await import('./commands/report.ts')).report))
  withJson(command(program, 'aspy tag 5f0c2f1e release urgent', 'Tag a session, or list all tags'))
    .argument('[id]', 'Session ID')
    .argument('[tags...]', 'Tags to add')
    .option('--remove <tag>', 'Remove this tag; can be repeated', repeated)
    .action(withSettings(async () => (await import('./commands/tag.ts')).tag))
  withJson(command(program, 'aspy delete 5f0c2f1e', 'Delete a session permanently'))
    .argument('<id>', 'Session ID')
    .option('--yes', 'Delete without asking; required if there is no terminal')
    .action(withSettings(async () => (await import('./commands/delete.ts')).deleteSession))
  withJson(command(program, 'aspy redact --past', 'Remove secrets from data that is already stored'))
    .option('--past', 'Apply the current rules to all stored data')
    .option('--yes', 'Do not ask before redacting or removing copies with unredacted data; required without a terminal')
    .addHelpText('after', OWN_WORDS)
    .action(withSettings(async () => (await import('./commands/redact.ts')).redactPast))
  withJson(
    command(
      program,
      'aspy archive --search ECONNRESET',
      'Move old payloads to archives and apply the retention settings now',
    ),
  )
    .option('--search <words>', 'Search archived tool calls and results instead')
    .action(withSettings(async () => (await import('./commands/upkeep.ts')).archive))
  withJson(
    command(program, 'aspy vacuum', 'Rewrite the database file, so that no deleted text remains in unused bytes'),
  ).action(withSettings(async () => (await import('./commands/upkeep.ts')).vacuum))
  withJson(command(program, 'aspy rebuild --only sessions', 'Rebuild derived tables from the event log'))
    .option('--only <name>', 'Only this projection; can be repeated', repeated)
    .action(withSettings(async () => (await import('./commands/upkeep.ts')).rebuild))
  withJson(command(program, 'aspy reprice', 'Recalculate past costs from the current price list')).action(
    withSettings(async () => (await import('./commands/upkeep.ts')).reprice),
  )
}

const OWN_WORDS = `
To remove a word of your own, make it a rule first:
  aspy config set redaction.patterns '[{ "name": "client", "pattern": "Northwind" }]'`

/** Collects the values of an option that can be repeated. */
const repeated = (value: string, all: readonly string[] = []): readonly string[] => [...all, value]

/** Adds a command with an example and what it does. */
export const command = (program: ExampleCommand, example: string, description: string): ExampleCommand =>
  withCommon(program.shown(example, description))
