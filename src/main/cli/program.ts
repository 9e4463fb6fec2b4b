import { Command } from 'commander'
import { packageVersion } from '../base/app-files.ts'
import { AspyError } from '../../shared/contract/errors.ts'
import { nearestName } from '../../shared/nearest-name.ts'
import { describeConfig } from '../config/describe-config.ts'
import { print } from './commands/reading.ts'
import { flagsOf, number, settings, withCommon } from './flags.ts'
import { addReaders } from './reader-commands.ts'
import { table } from './table.ts'

/**
 * The command line: what each command is called and takes; what it does stands in commands/, loaded when it is asked
 * for, since most of them need little of the app.
 */
export function createProgram(): Command {
  const program = withCommon(new Command('aspy'))
    .description('Records what passes between Claude Code and the Anthropic API, and gives it back.')
    .usage('[command] [options]')
    .version(packageVersion())
    .showSuggestionAfterError()
    .enablePositionalOptions()
    .argument('[command]')
    .action(async (unknown: string | undefined) => {
      if (unknown !== undefined) throw unknownCommand(program, unknown)
      const { start } = await import('./commands/start.ts')
      await start(settings(program), flagsOf(program))
    })

  command(program, 'serve', 'the app without a window')
    .option('--json', 'print one line of JSON when ready')
    .option('--leave-after <minutes>', 'end when nobody used it for so long', number)
    .action(async (_flags, self: Command) => {
      const { serve } = await import('./serving.ts')
      await serve(settings(self), flagsOf(self))
    })
  command(program, 'open', 'the dashboard of the running app in the browser').action(async (_flags, self: Command) => {
    const { open } = await import('./commands/open.ts')
    await open(settings(self), !flagsOf(self).open)
  })
  command(program, 'run', 'a client, recorded: aspy run -- claude …')
    .argument('[command...]', 'the client and its arguments (claude)')
    .option('--thinking', 'ask the client for summaries of its thinking')
    .passThroughOptions()
    .action(async (words: string[], _flags, self: Command) => {
      const { run } = await import('./commands/run.ts')
      await run(settings(self), words, flagsOf<{ thinking?: boolean }>(self))
    })
  command(program, 'import', 'bring in transcripts of Claude Code, exports and session logs')
    .argument('[path...]', 'files or folders, and nothing else is read; without one, all that is found')
    .option('--json', 'print JSON')
    .action(async (paths: string[], _flags, self: Command) => {
      const { importPaths } = await import('./commands/import.ts')
      await importPaths(settings(self), paths, flagsOf(self).json ?? false)
    })
  command(program, 'export', 'all events, or those of a session')
    .option('--session <id>', 'only this session')
    .option('--format <name>', 'jsonl (comes back by aspy import), claude, markdown')
    .option('--out <file>', 'a new file, in place of the standard output')
    .action(async (_flags, self: Command) => {
      const { exportEvents } = await import('./commands/export.ts')
      await exportEvents(settings(self), self.opts())
    })
  command(program, 'backup', 'copy all that is recorded to one file, while the app goes on')
    .argument('<file>')
    .option('--json', 'print JSON')
    .action(async (path: string, _flags, self: Command) => {
      const { backup } = await import('./commands/backup.ts')
      await backup(settings(self), path, flagsOf(self).json ?? false)
    })
  command(program, 'restore', 'put a backup in the place of what is recorded; no app may run')
    .argument('<file>')
    .option('--json', 'print JSON')
    .action(async (path: string, _flags, self: Command) => {
      const { restore } = await import('./commands/backup.ts')
      await restore(settings(self), path, flagsOf(self).json ?? false)
    })
  command(program, 'delete', 'delete a session for good')
    .argument('<id>')
    .option('--json', 'print JSON')
    .action(async (id: string, _flags, self: Command) => {
      const { deleteSession } = await import('./commands/upkeep.ts')
      await deleteSession(settings(self), id, flagsOf(self).json ?? false)
    })
  command(program, 'rebuild', 'make the tables anew that are drawn from the log')
    .option(
      '--only <name>',
      'only this projection; may be repeated',
      (name: string, all: string[]) => [...all, name],
      [],
    )
    .option('--json', 'print JSON')
    .action(async (_flags, self: Command) => {
      const { rebuild } = await import('./commands/upkeep.ts')
      const { only = [], json = false } = flagsOf<{ only?: string[] }>(self)
      await rebuild(settings(self), only, json)
    })
  command(program, 'archive', 'move old payloads to archives now, and do what else age decides')
    .option('--search <words>', 'search tool calls and results in archives instead')
    .option('--json', 'print JSON')
    .action(async (_flags, self: Command) => {
      const { archive, searchArchives } = await import('./commands/upkeep.ts')
      const { search, json = false } = flagsOf<{ search?: string }>(self)
      if (search === undefined) await archive(settings(self), json)
      else await searchArchives(settings(self), search, json)
    })
  command(program, 'reprice', 'what everything cost, by the prices known now for its day')
    .option('--json', 'print JSON')
    .action(async (_flags, self: Command) => {
      const { reprice } = await import('./commands/upkeep.ts')
      await reprice(settings(self), flagsOf(self).json ?? false)
    })
  command(program, 'config', 'every setting, its value and where it comes from')
    .option('--json', 'print JSON')
    .action((_flags, self: Command) => showConfig(self))
  command(program, 'redact', 'take secrets out of what is already stored')
    .requiredOption('--past', 'apply the rules now in force to all that is stored')
    .option('--json', 'print JSON')
    .action(async (_flags, self: Command) => {
      const { redactPast } = await import('./commands/redact.ts')
      await redactPast(settings(self), flagsOf(self).json ?? false)
    })
  command(program, 'mcp', 'MCP on stdin and stdout').action(async (_flags, self: Command) => {
    const { mcp } = await import('./commands/mcp.ts')
    await mcp(settings(self))
  })
  command(program, 'setup', 'put the plugin into Claude Code; --undo takes it out')
    .option('--undo', 'take back all that setup did')
    .option('--thinking', 'also ask Claude Code for summaries of its thinking')
    .option('--base-url', 'also send every client through Aspy, served from login on')
    .option('--claude-dir <dir>', "Claude Code's folder (CLAUDE_CONFIG_DIR, else ~/.claude)")
    .option('--json', 'print JSON')
    .action(async (_flags, self: Command) => {
      const { setup } = await import('./commands/setup.ts')
      await setup(settings(self), flagsOf(self))
    })
  command(program, 'doctor', 'what may be wrong between Claude Code and Aspy, and what mends it')
    .option('--json', 'print JSON')
    .action(async (_flags, self: Command) => {
      const { doctor } = await import('./commands/doctor.ts')
      await doctor(settings(self), flagsOf(self).json ?? false)
    })
  command(program, 'hook', "what Claude Code's hooks call: passes one on to the running app").action(async () => {
    await import('./hook.ts')
  })
  command(program, 'statusline', "one line for Claude Code's status line, from its JSON on stdin").action(async () => {
    await import('./statusline.ts')
  })
  addReaders(program)
  return program
}

function command(program: Command, name: string, description: string): Command {
  return withCommon(program.command(name).description(description))
}

function showConfig(self: Command): void {
  const described = describeConfig(settings(self).loaded)
  const text = table(described.items, [
    { title: 'Setting', of: ({ key }) => key },
    { title: 'Value', of: ({ value }) => JSON.stringify(value) },
    { title: 'From', of: ({ origin }) => origin },
    { title: 'What it does', of: ({ description }) => description, max: 200 },
  ])
  print({ json: described, text }, flagsOf(self).json)
}

function unknownCommand(program: Command, typed: string): AspyError {
  const nearest = nearestName(
    typed,
    program.commands.map((command) => command.name()),
  )
  const advice = nearest === null ? 'aspy --help lists what there is' : `did you mean "${nearest}"?`
  return new AspyError('bad_input', `there is no command "${typed}"; ${advice}`)
}
