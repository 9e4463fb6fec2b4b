import { expect, test } from 'vitest'
import { foldPrompts } from './fold-prompts.ts'

test('prompts that were asked again are one row, the newest', () => {
  const prompts = [
    { id: 4, content: 'go on', asked: 2 },
    { id: 3, content: 'why?', asked: 1 },
    { id: 2, content: 'go on', asked: 2 },
    { id: 1, content: 'why?' },
  ]
  expect(foldPrompts(prompts).map(({ id }) => id)).toEqual([4, 3, 1])
})
