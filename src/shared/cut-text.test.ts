import { expect, test } from 'vitest'
import { firstCharacters, lastCharacters, shortened } from './cut-text.ts'

const FAMILY = '👩‍👩‍👧‍👦'
const TEXTS = [
  ['emoji', '🧪'.repeat(40)],
  ['families', FAMILY.repeat(10)],
  ['flags', '🇩🇪🇫🇷'.repeat(7)],
  ['a skin tone', 'ok 👍🏽'.repeat(10)],
  ['accents', 'e\u0301a\u0308'.repeat(20)],
  ['Devanagari', 'क्षि'.repeat(20)],
  ['Hangul letters', '\u1112\u1161\u11ab'.repeat(20)],
  ['keycaps', '1️⃣2️⃣'.repeat(10)],
  ['Han beyond the first plane', '𠮷野家'.repeat(10)],
  ['Latin', 'plain words '.repeat(10)],
] as const
const charactersOf = (text: string) => [...new Intl.Segmenter('en').segment(text)].map(({ segment }) => segment)

test.each(TEXTS)('%s: each cut is the longest run of whole characters that fits', (_name, text) => {
  const characters = charactersOf(text)
  for (let most = 0; most <= text.length + 1; most += 1) {
    const first = firstCharacters(text, most)
    const count = charactersOf(first).length
    expect(first).toBe(characters.slice(0, count).join(''))
    expect(first.length).toBeLessThanOrEqual(most)
    expect(first.length + (characters[count] ?? ' '.repeat(most + 1)).length).toBeGreaterThan(most)
    const last = lastCharacters(text, most)
    const kept = charactersOf(last).length
    expect(last).toBe(kept === 0 ? '' : characters.slice(-kept).join(''))
    expect(last.length).toBeLessThanOrEqual(most)
    expect(last.length + (characters.at(-kept - 1) ?? ' '.repeat(most + 1)).length).toBeGreaterThan(most)
  }
})

test('a shortened text says so within its bound; a short one is left as it is', () => {
  expect(shortened('four', 4)).toBe('four')
  expect(shortened('fourteen', 5)).toBe('four…')
  expect(shortened(`abc${FAMILY}`, 6)).toBe('abc…')
})

test('a heap of accents is cut between code points, a half of a character is replaced', () => {
  const heap = `e${'\u0301'.repeat(500)}`
  expect(firstCharacters(heap, 300)).toBe(heap.slice(0, 300))
  expect(firstCharacters('a\ud83eb', 2)).toBe('a\ufffd')
})
