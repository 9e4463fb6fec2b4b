import { describe, expect, test } from 'vitest'
import { answersAs, questionIn, speakerOf } from './question.ts'

const NOTHING = { asksWhen: false, asksHowMany: false, asksWhoAsked: false }

describe('a question', () => {
  test.each([
    ['When did Ann move to Lisbon?', { asksWhen: true }],
    ['in which year did we start', { asksWhen: true }],
    ['How many replicas does the cluster have', { asksHowMany: true }],
    ['And the cache, who owns it?', {}],
    ['who suggested to drop the cache', { asksWhoAsked: true }],
    ['when did I ask for the weekly report', { asksWhen: true, asksWhoAsked: true }],
  ])('%s', (text, asked) => expect(questionIn(text)).toEqual({ ...NOTHING, ...asked }))

  test.each([
    'content moves around on mobile',
    "the parser doesn't stop when it fails",
    'Linter complains about a tree.',
  ])('may be a sentence that describes what it looks for: %s', (text) => expect(questionIn(text)).toEqual(NOTHING))

  test.each([
    'solarized theme',
    'parse_query fold',
    'why?',
    'the reason it fails',
    '"how many" replicas',
    '',
    'redis cache eviction policy replica cluster',
    'git commit -m with the message',
    'rm -rf dist and then the rest',
    'error: cannot read the file at all',
    'the file store.ts of the app fails',
    'session:start hook failed with an error',
  ])('is not: %s', (text) => expect(questionIn(text)).toBeNull())
})

test('an answer names a time or a number if the question asks for one', () => {
  const when = { ...NOTHING, asksWhen: true }
  const howMany = { ...NOTHING, asksHowMany: true }
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
