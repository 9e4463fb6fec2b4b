import { expect, test } from 'vitest'
import { createMarkFinder } from './marks.ts'
import { excerptOf } from './snippet.ts'

const excerpt = (text: string, word: string, length: number) => {
  const shown = excerptOf(text, createMarkFinder([word]).find(text), length)
  return { shown, words: shown.split(/\s+/).filter((part) => part !== '…') }
}

test.each([300, 120])('an excerpt of %i characters begins and ends between words, also between paths', (length) => {
  const paths = Array.from({ length: 200 }, (_, at) => `src/main/operations/reader/part-${at}/needle-of-${at}.ts`)
  paths[100] = 'here is the heliotrope that was looked for'
  const { shown, words } = excerpt(paths.join('\n'), 'heliotrope', length)
  const known = new Set(paths.flatMap((path) => path.split(' ')))
  expect(words.filter((word) => !known.has(word))).toEqual([])
  expect(shown).toContain('heliotrope')
})

test('an excerpt has the word that was found, even inside a very long one', () => {
  const long = `${'a/'.repeat(500)}heliotrope${'/b'.repeat(500)}`
  expect(excerpt(`before ${long} after`, 'heliotrope', 80).shown).toContain('heliotrope')
})
