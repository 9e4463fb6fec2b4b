import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { CHECKED, filesBelow, HABITS, habitsBelow, habitsIn } from './habits.ts'
import { ROOT } from './pages.ts'

test.each(CHECKED)('%s is free of our worst habits', (path) => {
  expect(filesBelow(path).length).toBeGreaterThan(0)
  expect(habitsBelow(path)).toEqual([])
})

test.each([
  'The tables are made anew.',
  'Dearest sessions',
  'What was asked lately',
  'It says whence it came.',
  'It comes back by itself, later.',
  'The key stands in the file.',
  'The file lies beside the database.',
  'It is no compaction.',
  'The window is told of it.',
  'Who types asks again with each letter.',
  'Of the one before, which may have ended in it.',
  'There are no words for it.',
  'A processor is asked any more.',
  'Who leaves wants no word of it.',
])('a sentence with a habit is rejected: %j', (sentence) => {
  expect(habitsIn('page.md', sentence).length).toBeGreaterThan(0)
})

test('each habit is rejected by a sentence above, also where a comment breaks the line', () => {
  expect(HABITS.length).toBe(14)
  expect(habitsIn('file.ts', '/**\n * The key stands\n * in the file.\n */')).toHaveLength(1)
})

test.each([
  'There is no update check.',
  'It is no longer read.',
  'Who owns this file? Nobody does.',
  'Restart Aspy.',
  'The path is in `whence.ts`.',
])('an ordinary sentence passes: %j', (sentence) => {
  expect(habitsIn('page.md', sentence)).toEqual([])
})

test('every folder of the sources is checked', () => {
  const folders = readdirSync(join(ROOT, 'src'), { withFileTypes: true }).filter((entry) => entry.isDirectory())
  expect(folders.map(({ name }) => `src/${name}`).filter((path) => !CHECKED.includes(path))).toEqual([])
})
