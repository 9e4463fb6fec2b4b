import { expect, test } from 'vitest'
import { levelLines } from '../../support/runner/level-budgets.ts'

test('each level that ran has a line with its time and budget, and one that took longer says so', () => {
  expect(
    levelLines([
      { level: 'client', milliseconds: 419_900 },
      { level: 'unit', milliseconds: 59_000 },
      { level: 'unit', milliseconds: 1_100 },
    ]),
  ).toEqual(['unit: 2 files, 60.1 s of 60 s, over its budget', 'client: 1 files, 419.9 s of 420 s'])
  expect(levelLines([])).toEqual([])
})
