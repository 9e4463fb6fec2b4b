import { expect, test } from 'vitest'
import { fuzzyMatch } from './fuzzy.ts'

const marked = (typed: string, text: string) => {
  const match = fuzzyMatch(typed, text)
  return (
    match && [...text].map((character, at) => (match.at.includes(at) ? character.toUpperCase() : character)).join('')
  )
}

test.each([
  ['crc', 'copy resume command', 'Copy Resume Command'],
  ['resume', 'copy resume command', 'copy RESUME command'],
  ['res com', 'copy resume command', 'copy RESume COMmand'],
  ['dark', 'theme: dark', 'theme: DARK'],
  ['tdk', 'theme: dark', 'Theme: DarK'],
  ['', 'anything', 'anything'],
])('%j in %j', (typed, text, shown) => {
  expect(marked(typed, text)).toBe(shown)
})

test('what lacks a character does not match, and whole words rank first', () => {
  expect(fuzzyMatch('xyz', 'copy resume command')).toBeNull()
  expect(fuzzyMatch('cc', 'copy')).toBeNull()
  // Its letters are there in this order, but scattered.
  expect(fuzzyMatch('xpt', 'export as csv')).toBeNull()
  const ranked = ['export as csv', 'costs', 'copy session id'].map((text) => fuzzyMatch('cos', text)?.score ?? -99)
  expect(ranked[1]).toBeGreaterThan(Math.max(ranked[0] ?? 0, ranked[2] ?? 0))
})
