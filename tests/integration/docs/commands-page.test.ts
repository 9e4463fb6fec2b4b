import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { expect, test } from 'vitest'
import { settings } from '../../../src/main/config/settings.ts'
import { ADDRESSES } from '../../../src/shared/data-inventory.ts'
import { dataPage } from '../../../scripts/write-data-page.ts'
import { configurationPage } from '../../../scripts/write-configuration-page.ts'
import { commandsPage } from '../../../scripts/write-commands-page.ts'
import type { ExampleCommand } from '../../../src/main/cli/example-command.ts'
import { createProgram } from '../../../src/main/cli/program.ts'

const page = readFileSync(join(import.meta.dirname, '../../../docs/commands.md'), 'utf8')

test('docs/commands.md matches the program (if not, run: npm run write:commands)', () => {
  expect(page).toBe(commandsPage())
})

test('docs/configuration.md matches the settings (if not, run: npm run write:configuration)', () => {
  expect(readFileSync(join(import.meta.dirname, '../../../docs/configuration.md'), 'utf8')).toBe(configurationPage())
})

test('every command belongs to a group, and every command, argument and flag has a sentence without a full stop', () => {
  const { commands, options } = createProgram()
  expect(commands.filter((command) => command.helpGroup() === 'Commands:').map((command) => command.name())).toEqual([])
  const texts = [commands, options, ...commands.flatMap((each) => [each.options, each.registeredArguments])]
    .flat()
    .map((item) => (typeof item.description === 'function' ? item.description() : item.description))
  expect(texts.length).toBeGreaterThan(100)
  expect(texts.filter((text) => !/^[A-Zj].*[^.]$/.test(text))).toEqual([])
})

test('every command has an example, which its help shows and which the command line understands', () => {
  const program = createProgram()
  const all = program.commands.flatMap((command) => [
    command,
    ...command.commands.filter((sub) => sub.name() !== 'help'),
  ])
  expect(all.length).toBeGreaterThan(50)
  for (const command of all) {
    const { example } = command as ExampleCommand
    expect(example, command.name()).toMatch(/^(?:aspy|claude mcp add) /)
    const known = new Set([...command.options, ...program.options].flatMap(({ long, short }) => [long, short]))
    const typed = example.split(' -- ')[0]?.match(/(?<= )--?[a-z][a-z-]*/g) ?? []
    expect(
      typed.filter((flag) => !known.has(flag)),
      example,
    ).toEqual([])
    expect(helpOf(command)).toContain(`\nExample:\n  ${example}\n`)
  }
})

function helpOf(command: Command): string {
  let text = ''
  command.configureOutput({ writeOut: (part) => (text += part) }).outputHelp()
  return text
}

test('no line of the page is longer than 120 characters', () => {
  expect(page.split('\n').filter((line) => line.length > 120)).toEqual([])
})

test('docs/data.md matches the lists (if not, run: npm run write:data), which have every setting of an address', () => {
  expect(readFileSync(join(import.meta.dirname, '../../../docs/data.md'), 'utf8')).toBe(dataPage())
  const ofAddresses = settings.map(({ key }) => key).filter((key) => /[._](url|endpoint|upstreams?)$/.test(key))
  expect(ofAddresses.length).toBeGreaterThan(4)
  expect(ADDRESSES.flatMap(({ setting }) => setting ?? []).toSorted()).toEqual(ofAddresses.toSorted())
})
