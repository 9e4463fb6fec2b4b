import { expect, test } from 'vitest'
import { exampleIn, keptAsking } from './start-ideas.ts'

test('what keeps being asked comes once each, the most frequent first', () => {
  const prompts = [
    { content: 'Go on.', asked: 2 },
    { content: 'once', asked: 1 },
    { content: 'yes', asked: 12 },
    { content: '/exit', asked: 9 },
    { content: 'Run the tests.', asked: 7 },
    { content: 'Go on.', asked: 2 },
    { content: 'unknown' },
  ]
  expect(keptAsking(prompts).map(({ content }) => content)).toEqual(['Run the tests.', 'Go on.'])
  expect(keptAsking([])).toEqual([])
})

test.for([
  [['Go on.', 'Rename the heliotrope palette'], 'heliotrope'],
  [['Почини проверку типов'], 'проверку'],
  [['ok', '12345678', '好的'], null],
  [[], null],
] as const)('the example of %j is %s', ([contents, word]) => {
  expect(exampleIn(contents.map((content) => ({ content })))).toBe(word)
})
