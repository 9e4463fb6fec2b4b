import { expect, test } from 'vitest'
import { formsOf } from './forms.ts'

test('irregular words know their other forms, from each to all', () => {
  expect(formsOf('buy')).toEqual(['bought'])
  expect(formsOf('bought')).toEqual(['buy'])
  expect(formsOf('going')).toEqual(expect.arrayContaining(['went', 'gone']))
  expect(formsOf('children')).toEqual(['child'])
  expect(formsOf('indices')).toEqual(['index'])
  expect(formsOf('3')).toEqual(expect.arrayContaining(['three', 'third']))
  expect(formsOf('theme')).toEqual([])
})

test('a word is no other form of itself', () => {
  for (const word of ['beat', 'found', 'run', 'september', 'goes']) expect(formsOf(word)).not.toContain(word)
})
