import { expect, test } from 'vitest'
import { presentLines } from './present-lines.ts'

const RECORDED = ['import a', '', 'one()', 'two(1, 2)', '}', 'three()', '}', null]

const PRESENTS: {
  readonly [what: string]: readonly [
    present: readonly string[],
    recorded: readonly (number | null)[],
    reformatted: number,
  ]
} = {
  'the same': [['import a', '', 'one()', 'two(1, 2)', '}', 'three()', '}'], [0, 1, 2, 3, 4, 5, 6], 0],
  'lines that nobody recorded': [['import b', 'import a', '', 'one()', '}'], [null, 0, 1, 2, 4], 0],
  'a block that was moved': [['import a', '', 'three()', '}', 'one()', 'two(1, 2)', '}'], [0, 1, 5, null, 2, 3, 4], 0],
  'a line that a formatter changed': [['import a', '', '  one( )', 'two(1, 2)'], [0, 1, 2, 3], 1],
  'a sign alone is not telling': [['}', 'x', '}'], [4, null, 6], 0],
  'nothing of it': [['x', 'y'], [null, null], 0],
}

test.each(Object.entries(PRESENTS))('%s', (_, [present, recorded, reformatted]) => {
  const lines = presentLines(present, RECORDED)
  expect(lines.map(({ text }) => text)).toEqual(present)
  expect(lines.map((line) => line.recorded)).toEqual(recorded)
  expect(lines.filter(({ isReformatted }) => isReformatted)).toHaveLength(reformatted)
})
