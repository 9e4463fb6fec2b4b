import { expect, test } from 'vitest'
import { readerHandlers } from '../../../src/main/operations/reader/reader-handlers.ts'
import { recallSearch } from '../../../src/shared/contract/recall.ts'
import { reading } from '../../support/store/reading.ts'
import { draftOf, fillStore } from '../../support/store/seeded-store.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'

/** Records sessions with one text per line and asks a question. Returns the uuids of the hits, best first. */
function ask(question: string, sessions: readonly (readonly string[])[]): string[] {
  using folder = makeTempFolder()
  let clock = Date.parse('2026-05-01T08:00:00Z')
  const drafts = sessions.flatMap((lines, session) =>
    lines.map((text, line) => {
      const uuid = `${session + 1}-${line + 1}`
      const at = new Date((clock += 60_000)).toISOString()
      return draftOf('user_prompt', { text }, { at, session_id: `s${session + 1}`, uuid, keys: [uuid] })
    }),
  )
  return reading(fillStore(folder.path, drafts), (reader) => {
    const { items } = readerHandlers['recall.search'](reader, recallSearch.input.parse({ query: question }))
    return items.map(({ uuid }) => uuid)
  })
}

test('texts by the person asked about rank first', () => {
  const talk = [
    'Ann: The kayak was red.',
    'Ben: Well, Ann, the kayak was red, was it not.',
    'Ben: The kayak was blue, if I remember it right.',
  ]
  expect(ask('Which kayak did Ben paddle?', [talk])[0]).toBe('1-3')
  expect(ask('Which kayak did Ann paddle?', [talk])[0]).toBe('1-1')
})

test('a question for a time prefers answers that name one', () => {
  const sessions = [
    ['Ann: The kayak club opened, I heard, and all came.'],
    ['Ann: The kayak club opened in June, and all came.'],
    ['Ann: The kayak club opened, they say, and all came.'],
  ]
  expect(ask('When was it that the kayak club opened?', sessions)[0]).toBe('2-1')
  expect(ask('Who opened the kayak club?', sessions)[0]).toBe('3-1')
})

test('a text after a question ranks above a text after a statement', () => {
  const asked = ['Ben: Where did it start, the kayak race?', 'Ann: On the lake behind the mill.']
  const stated = ['Ben: There did it start, the kayak race.', 'Ann: On the bench behind the barn.']
  const found = ask('Where did the kayak race start?', [asked, stated])
  expect(found).toContain('2-2')
  expect(found.indexOf('1-2')).toBeLessThan(found.indexOf('2-2'))
})

test('a question for a category finds its members', () => {
  const sessions = ['Ann: My tennis racket broke.', 'Ann: My bread machine broke.', 'Ann: My old alarm broke.']
  expect(
    ask(
      'Which sport does Ann do?',
      sessions.map((line) => [line]),
    )[0],
  ).toBe('1-1')
})
