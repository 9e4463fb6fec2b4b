import type { Command } from 'commander'
import { afterEach, expect, test, vi } from 'vitest'
import { withTyped } from '../base/typed-command.ts'
import { COMMON_OPTIONS } from './example-command.ts'
import { createProgram } from './program.ts'

test("the help of a command lists its own options before those of every command, and both groups' headings", () => {
  const leaves = createProgram().commands.filter(
    ({ options, commands }) => commands.length === 0 && options.some(({ long }) => long === '--json'),
  )
  expect(leaves.length).toBeGreaterThan(20)
  for (const command of leaves) {
    const headings = command.helpInformation().match(/^\S.*:$/gm)
    expect(headings?.slice(-2)).toEqual(['Options:', COMMON_OPTIONS])
  }
})

/** Sentences name these only as things, or nobody types them. */
const NOT_TYPED = new Set(['backup', 'mcp', 'hook', 'statusline', 'help'])

test.each(
  createProgram()
    .commands.map((each) => each.name())
    .filter((name) => !NOT_TYPED.has(name)),
)('a sentence that names aspy %s gets its path and its folder', (name) => {
  expect(withTyped(`run aspy ${name} now`, '/opt/aspy', ' --data /x')).toMatch(/^run \/opt\/aspy .*--data \/x/)
})

const { columns, isTTY } = process.stdout
afterEach(() => void Object.assign(process.stdout, { columns, isTTY }))

const withItsOwn = (command: Command): readonly Command[] => [command, ...command.commands.flatMap(withItsOwn)]

test.each([40, 80, 200])('help fits %i columns, except for commands to copy', (width) => {
  Object.assign(process.stdout, { columns: width, isTTY: true })
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  for (const command of withItsOwn(createProgram())) command.outputHelp()
  const lines = write.mock.calls.flatMap(([text]) => String(text).split('\n'))
  write.mockRestore()
  expect(lines.length).toBeGreaterThan(1000)
  expect(lines.filter((line) => line.length > width && !line.startsWith('  aspy '))).toEqual([])
})
