import { type ExampleCommand, HELP_COMMAND } from './example-command.ts'
import { withCommon, withJson, withSettings } from './flags.ts'
import { addOtherCommands, addStartCommands, command, emptyProgram, GROUPS } from './own-commands.ts'
import { addReadingCommands } from './reading/add-reading-commands.ts'
import { FILE_COMMANDS, FIND_COMMANDS, LOOK_COMMANDS } from './reading/reading-commands.ts'

/**
 * Builds the command line: the name, arguments and flags of every command. The work is done in commands/, which is
 * loaded on demand because most commands need little of the app. docs/commands.md is generated from this program.
 * `only` leaves out all others if it is a reading command: describing them takes longer than most of them run.
 */
export function createProgram(only?: string): ExampleCommand {
  const program = emptyProgram()
  const named = [...LOOK_COMMANDS, ...FIND_COMMANDS].filter(({ example }) => example.split(' ')[1] === only)
  if (named.length > 0) {
    addReadingCommands(program, named)
    return program
  }
  addStartCommands(program)
  addReadingCommands(program.commandsGroup(GROUPS.look), LOOK_COMMANDS)
  addFileCommands(program)
  addReadingCommands(program.commandsGroup(GROUPS.find), FIND_COMMANDS)
  addOtherCommands(program)
  return program.helpCommand(...HELP_COMMAND)
}

function addFileCommands(program: ExampleCommand): void {
  const file = command(
    program,
    'aspy file history src/app.ts',
    'Show what recorded tool calls did to a file, and its text then',
  ).enablePositionalOptions()
  addReadingCommands(file, FILE_COMMANDS)
  withJson(
    withCommon(
      file.shown('aspy file restore src/app.ts --at 0199c2d4', 'Write a file as it was after an event, to a new place'),
    ),
  )
    .argument('<path>', 'File, also one that is gone')
    .option('--at <event>', 'UUID of the event (default: after all that is recorded)')
    .option('--out <path>', 'New file (default: the path itself if nothing is there, else with .restored)')
    .option('--over', 'Write it where a newer file is, which is kept beside it')
    .option('--preview', 'Only show what would change')
    .action(withSettings(async () => (await import('./commands/restore-file.ts')).restoreFile))
}
