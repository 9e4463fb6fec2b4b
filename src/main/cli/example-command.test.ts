import { expect, test } from 'vitest'
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
