import { expect, test } from 'vitest'
import { formsOf } from './forms.ts'

test('each form of an irregular word leads to all its other forms', () => {
  expect(formsOf('buy')).toEqual(['bought'])
  expect(formsOf('bought')).toEqual(['buy'])
  expect(formsOf('going')).toEqual(expect.arrayContaining(['went', 'gone']))
  expect(formsOf('children')).toEqual(['child'])
  expect(formsOf('indices')).toEqual(['index'])
  expect(formsOf('3')).toEqual(expect.arrayContaining(['three', 'third']))
  expect(formsOf('theme')).toEqual([])
})

test('a word is not listed as another form of itself', () => {
  for (const word of ['beat', 'found', 'run', 'september', 'goes']) expect(formsOf(word)).not.toContain(word)
})
