import { expect, test } from 'vitest'
import { struckParts } from './struck-text.tsx'

const shown = (text: string, words: readonly string[]) =>
  struckParts(text, words)
    .map((part) => (part.isStruck ? `[${part.text}]` : part.text))
    .join('')

test('missing words are struck through in any case, neighbours as one run', () => {
  expect(shown('Mercury lamps flicker, mercury!', ['mercury', 'Lamps'])).toBe('[Mercury lamps] flicker, [mercury]!')
  expect(shown('über-große Lampen', ['große'])).toBe('über-[große] Lampen')
  expect(shown('', ['a'])).toBe('')
})
