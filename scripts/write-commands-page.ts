/** Writes docs/commands.md from the command line program. Run it after changing a command, an argument or a flag. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command, Option } from 'commander'
import { ExampleCommand } from '../src/main/cli/example-command.ts'
import { createProgram } from '../src/main/cli/program.ts'

const HEAD = `# Commands

<!-- Generated from src/main/cli/program.ts by scripts/write-commands-page.ts. Do not edit. -->

From a clone, \`aspy\` is the script \`bin/aspy\`: type its path, or run \`npm link\` once. \`aspy <command> --help\` shows
the same text as this page.

\`aspy\` without a command starts Aspy and opens its window. If Aspy already runs, it opens the window of that app.

A command that fails prints one line on standard error and exits with 1, or with 2 if what was typed or a file that it
names cannot be used. After Ctrl+C it exits with 130; \`aspy status\` exits with 3 if Aspy does not run.

Commands that read take any beginning of an id that names one thing, and for a session also an id of one of its events.
Deleting takes eight characters of a session's id or all of it.
`

/** Returns the text of docs/commands.md. */
export function commandsPage(): string {
  const program = createProgram()
  const groups = Map.groupBy(program.commands, (command) => command.helpGroup().replace(/:$/, ''))
  return [
    HEAD,
    `## Flags of every command\n\n${program.options.map(flagLine).join('\n')}\n`,
    ...[...groups].map(([title, commands]) => groupSection(title, commands)),
  ].join('\n')
}

function groupSection(title: string, commands: readonly Command[]): string {
  const rows = commands.map(
    (command) => `| [\`${usageOf(command)}\`](#aspy-${command.name()}) | ${command.description()} |`,
  )
  const table = ['| command | what it does |', '|---|---|', ...rows].join('\n')
  const all = commands.flatMap((command) => [command, ...command.commands.filter((sub) => sub.name() !== 'help')])
  return [`## ${title}\n\n${table}\n`, ...all.map(commandSection)].join('\n')
}

function commandSection(command: Command): string {
  const common = new Set(rootOf(command).options.map(({ flags }) => flags))
  const lines = [
    ...command.registeredArguments.map(
      (argument) => `- \`${command.createHelp().argumentTerm(argument)}\`: ${argument.description}`,
    ),
    ...command.options.filter(({ flags, hidden }) => !hidden && !common.has(flags)).map(flagLine),
  ]
  const details = lines.length === 0 ? '' : `\n${lines.join('\n')}\n`
  const example = command instanceof ExampleCommand ? command.example : ''
  return `### ${fullName(command)}\n\n${command.description()}.\n\nExample: \`${example}\`\n${details}`
}

function rootOf(command: Command): Command {
  return command.parent === null ? command : rootOf(command.parent)
}

/** Returns a command with those it belongs to, such as `aspy team join`. */
function fullName(command: Command): string {
  return command.parent === null ? 'aspy' : `${fullName(command.parent)} ${command.name()}`
}

function flagLine({ flags, description, argChoices, mandatory }: Option): string {
  const choices = argChoices === undefined ? '' : ` (${argChoices.join(' or ')})`
  return `- \`${flags}\`: ${description}${choices}${mandatory ? ' (required)' : ''}`
}

/** Returns a command with its arguments, such as `aspy session <id>`. */
function usageOf(command: Command): string {
  const names = command.registeredArguments.map((argument) => {
    const name = `${argument.name()}${argument.variadic ? '...' : ''}`
    return argument.required ? `<${name}>` : `[${name}]`
  })
  return ['aspy', command.name(), ...names].join(' ')
}

if (import.meta.main) writeFileSync(join(import.meta.dirname, '../docs/commands.md'), commandsPage())
