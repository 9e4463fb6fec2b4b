import { expect, test } from 'vitest'
import { servedText } from './served.ts'

const textOf = (found: object) =>
  servedText({ changes: [], combinations: [], answers: 0, unknown: 0, partial: false, ...found })

test('nothing is called unchanged that was not compared', () => {
  expect(textOf({})).toMatch(/^No answers to compare/)
  expect(textOf({ answers: 3, unknown: 3 })).toMatch(/^No answers to compare.*Recorded without .*3 answers/s)
  expect(textOf({ answers: 5, unknown: 3 })).toMatch(/^No silent changes in 2 answers/)
})
