import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { HEAVY_FILES, leftOut, pathOf } from '../../support/runner/heavy-files.ts'
import { levelLines } from '../../support/runner/level-budgets.ts'

test('each level that ran has a line with its time and budget, and one that took longer says so', () => {
  expect(
    levelLines([
      { level: 'client', milliseconds: 279_900 },
      { level: 'unit', milliseconds: 59_000 },
      { level: 'unit', milliseconds: 1_100 },
    ]),
  ).toEqual(['unit: 2 files, 60.1 s of 60 s, over its budget', 'client: 1 files, 279.9 s of 280 s'])
  expect(levelLines([])).toEqual([])
})

test('a file that only heavy runs and those that name files run is there, and another shows the same in every run', () => {
  const root = join(import.meta.dirname, '../../..')
  const isThere = (name: string) => existsSync(join(root, pathOf(name)))
  const names = Object.entries(HEAVY_FILES)
  expect(names.flat().filter((name) => !isThere(name))).toEqual([])
  expect(names.filter(([, other]) => other in HEAVY_FILES)).toEqual([])
})

test.each([
  [['run'], false, true],
  [['run', '--project', 'browser', 'tests/e2e'], false, true],
  [['run', 'tests/e2e/window-year.test.ts'], false, false],
  [['list'], false, false],
  [['run'], true, false],
])('the words %j, heavy: %s, leave them out: %s', (words, isHeavy, isSo) => {
  expect(leftOut(words, isHeavy).length > 0).toBe(isSo)
})
