import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { commandsPage } from '../../../scripts/write-commands-page.ts'
import { createProgram } from '../../../src/main/cli/program.ts'

const page = readFileSync(join(import.meta.dirname, '../../../docs/commands.md'), 'utf8')

test('docs/commands.md matches the program (if not, run: npx node scripts/write-commands-page.ts)', () => {
  expect(page).toBe(commandsPage())
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

test('no line of the page is longer than 120 characters', () => {
  expect(page.split('\n').filter((line) => line.length > 120)).toEqual([])
})
