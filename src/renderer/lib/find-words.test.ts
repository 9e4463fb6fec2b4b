import { expect, test } from 'vitest'
import { foundWords, wordPattern } from './find-words.ts'

test('the forms that the search matched are marked, as whole words', () => {
  const words = foundWords(['the <mark>Tests</mark> ran', 'one <mark>test</mark> of <mark>tests</mark>'])
  expect(words).toEqual(['tests', 'test'])
  const pattern = wordPattern(words)
  expect(
    [...'Test the tests, not the testing of latest (test)'.matchAll(pattern ?? /$/g)].map(([word]) => word),
  ).toEqual(['Test', 'tests', 'test'])
  expect([...'a.b(c) axb(c)'.matchAll(wordPattern(['a.b(c)']) ?? /$/g)]).toHaveLength(1)
  expect(wordPattern([])).toBeNull()
})
