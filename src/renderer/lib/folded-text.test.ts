import { expect, test } from 'vitest'
import { foldText } from './folded-text.ts'

const lines = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}`).join('\n')

test('a text of few lines is shown whole', () => {
  expect(foldText(lines(24))).toEqual({ start: lines(24), lines: 24, isCut: false })
})

test('a longer text shows its first 20 lines', () => {
  expect(foldText(lines(75))).toEqual({ start: lines(20), lines: 75, isCut: true })
})

test('one long line is cut as well', () => {
  expect(foldText('x'.repeat(100_000))).toEqual({ start: 'x'.repeat(8000), lines: 1, isCut: true })
})
