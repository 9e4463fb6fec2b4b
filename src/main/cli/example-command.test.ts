import { expect, test } from 'vitest'
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
