import { expect, test } from 'vitest'
import { foundWords, textPattern, wordPattern } from './find-words.ts'

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

test('of two words, one of which begins the other, the longer is marked', () => {
  expect('see a.b and a'.match(wordPattern(['a', 'a.b']) ?? /$/)).toEqual(['a.b', 'a'])
})

test('a text is found as it was typed, in any case', () => {
  expect('a.b A.B axb'.match(textPattern(' a.b ') ?? /$/)).toEqual(['a.b', 'A.B'])
  expect(textPattern('  ')).toBeNull()
})
