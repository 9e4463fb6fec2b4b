import { describe, expect, test } from 'vitest'
import { answersAs, questionIn, speakerOf } from './question.ts'

describe('a question', () => {
  test.each([
    ['When did Ann move to Lisbon?', { asksWhen: true, asksHowMany: false }],
    ['in which year did we start', { asksWhen: true, asksHowMany: false }],
    ['How many replicas does the cluster have', { asksWhen: false, asksHowMany: true }],
    ['And the cache, who owns it?', { asksWhen: false, asksHowMany: false }],
  ])('%s', (text, question) => expect(questionIn(text)).toEqual(question))

  test.each(['solarized theme', 'parse_query fold', 'why?', 'the reason when it fails', '"how many" replicas', ''])(
    'is not: %s',
    (text) => expect(questionIn(text)).toBeNull(),
  )
})

test('an answer names a time or a number if the question asks for one', () => {
  const when = { asksWhen: true, asksHowMany: false }
  const howMany = { asksWhen: false, asksHowMany: true }
  for (const text of ['We moved two years ago.', 'On Friday.', 'It was in 2019', 'last spring']) {
    expect(answersAs(when, text), text).toEqual({ when: true, howMany: false })
  }
  expect(answersAs(when, 'You may ask.').when).toBe(false)
  expect(answersAs(howMany, 'Three of them').howMany).toBe(true)
  expect(answersAs(howMany, 'Yesterday')).toEqual({ when: false, howMany: false })
})

describe('the speaker of a text', () => {
  test.each([
    ['Ann: Good to see you', ['Ann'], 'Good to see you'],
    ['**Ann Lee** (8 May, 10:00): Good', ['Ann', 'Lee'], 'Good'],
    ['[Zoë] Good', ['Zoë'], 'Good'],
  ])('%s', (text, names, said) => expect(speakerOf(text)).toEqual({ names, said }))

  test.each([
    'See https://example.org: it says',
    'error: nothing there',
    'What Ann said yesterday: nothing',
    'Ann',
    '',
  ])('is unknown: %s', (text) => expect(speakerOf(text)).toBeNull())

  test('is found quickly, however the text begins', () => {
    expect(speakerOf('A'.repeat(100_000))).toBeNull()
    expect(speakerOf('A. '.repeat(50_000))).toBeNull()
  })
})
