import { afterAll, expect, test } from 'vitest'
import { readerHandlers } from '../../../src/main/operations/reader/reader-handlers.ts'
import { openReader } from '../../../src/main/store/database/connection.ts'
import { createBudget } from '../../../src/main/store/read/budget.ts'
import { createReader } from '../../../src/main/store/read/reader.ts'
import { recallContext, recallSearch } from '../../../src/shared/contract/recall.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'
import { draftOf, fillStore } from '../../support/store/seeded-store.ts'

const LONG = 'The lighthouse keeper asks for the same report as always. '.repeat(40)
/** Texts that were recorded again and again, each time with other signs around the same words. */
const COPIED: readonly ((time: number) => string)[] = [
  () => 'which port does the lighthouse use',
  (time) => `Which port  does the lighthouse use${'?'.repeat(time % 3)}`,
  () => `${LONG}which port does the lighthouse use`,
  () => '灯台は何番のポートを使う lighthouse port',
]
const ANSWERS = [
  'The lighthouse listens on port 7413.',
  'A lighthouse needs no port, it said.',
  'Its port is old: lighthouse 7000.',
]

const COPIES = 120
const folder = makeTempFolder()
const drafts = COPIED.flatMap((textOf, kind) =>
  Array.from({ length: COPIES }, (_, time) => {
    const at = new Date(Date.UTC(2026, 2, 1 + kind, 8, 0, time)).toISOString()
    return draftOf(
      'user_prompt',
      { text: textOf(time) },
      { at, session_id: `c${kind}-${time}`, keys: [at], uuid: `c${kind}-${time}` },
    )
  }),
)
const answers = ANSWERS.map((text, number) => {
  const at = `2026-01-01T08:00:0${number}.000Z`
  return draftOf(
    'assistant_text',
    { text, message_id: `a${number}`, index: 0 },
    { at, session_id: `a${number}`, keys: [at], uuid: `a${number}` },
  )
})
// Texts that only begin alike are no copies.
const others = ['Monday', 'Tuesday'].map((day, number) => {
  const at = `2026-01-02T08:00:0${number}.000Z`
  const text = `${LONG}which port does the lighthouse use on ${day}`
  return draftOf('user_prompt', { text }, { at, session_id: `o${number}`, keys: [at], uuid: `o${number}` })
})
const turn = (
  [prompt, answer]: readonly [string, string],
  [one, two]: readonly [string, string],
  session_id: string,
) => {
  const at = (second: number) => `2026-01-03T08:00:0${second}.000Z`
  return [
    draftOf('user_prompt', { text: prompt }, { at: at(1), session_id, keys: [one], uuid: one }),
    draftOf(
      'assistant_text',
      { text: answer, message_id: two, index: 0 },
      { at: at(2), session_id, keys: [two], uuid: two, parents: [one] },
    ),
  ]
}
const NOTED = ['The buoy has the colour red.', 'Noted: the buoy has the colour red, as of today.'] as const
const turns = [
  ...turn(NOTED, ['t1', 't2'], 'turn'),
  ...turn(NOTED, ['f1', 'f2'], 'fork'),
  ...turn(['What is the weight of the anchor?', 'The anchor has a weight of 40 kg.'], ['q1', 'q2'], 'asked'),
]
const db = openReader(fillStore(folder.path, [...answers, ...others, ...drafts, ...turns]))
const budget = createBudget(new Int32Array(new SharedArrayBuffer(4)))
const reader = createReader(db, budget)
afterAll(() => {
  db.close()
  folder[Symbol.dispose]()
})
const search = (more: object) => {
  budget.begin(1, 20_000)
  return readerHandlers['recall.search'](reader, recallSearch.input.parse({ limit: 10, ...more }))
}
const kindOf = (uuid: string) => uuid.replace(/-.*/, '').replace('c1', 'c0')
const DIFFERENT = ['a0', 'a1', 'a2', 'c0', 'c2', 'c3', 'o0', 'o1']

test.for([
  'lighthouse port',
  'port lighthouse',
  'which port does the lighthouse use',
  'Which port does the lighthouse use?',
])('the first hits of %j are different texts, however often one was recorded', (query) => {
  const first = search({ query }).items.slice(0, DIFFERENT.length)
  expect(first.map(({ uuid }) => kindOf(uuid)).toSorted()).toEqual(DIFFERENT)
})

test('all copies follow, each once, and the total counts them', () => {
  const uuids: string[] = []
  let cursor: string | undefined
  let total = 0
  do {
    const page = search({ query: 'lighthouse port', limit: 90, cursor })
    uuids.push(...page.items.map(({ uuid }) => uuid))
    total = page.total
    cursor = page.next ?? undefined
  } while (cursor !== undefined)
  expect(new Set(uuids).size).toBe(uuids.length)
  expect([uuids.length, total]).toEqual([485, 485])
})

test('what a fork copies, or a text of a turn repeats of another, is one hit, the longest text', () => {
  const { items } = search({ query: 'buoy colour' })
  expect(items).toMatchObject([{ match_type: 'assistant_response', copies: 3 }])
  expect(items.flatMap(({ uuid, copies_in = [] }) => [uuid, ...copies_in.map((one) => one.uuid)]).toSorted()).toEqual([
    'f1',
    'f2',
    't1',
    't2',
  ])
  // A question and its answer are not the same.
  expect(
    search({ query: 'anchor weight' })
      .items.map(({ uuid }) => uuid)
      .toSorted(),
  ).toEqual(['q1', 'q2'])
})

test('a copy from elsewhere takes the place of a text of the turn under way', () => {
  budget.begin(1, 20_000)
  const input = recallContext.input.parse({ query: 'buoy colour', asked_in: 'turn' })
  const { text } = readerHandlers['recall.context'](reader, input)
  expect(text).not.toContain('Session turn')
  expect(text).toContain('Session fork')
})

test('a pack for a model holds different texts', () => {
  budget.begin(1, 20_000)
  const input = recallContext.input.parse({ query: 'lighthouse port', limit: 6, budget: 6000 })
  const { text, included } = readerHandlers['recall.context'](reader, input)
  expect(included).toBe(6)
  expect(text).toContain('7413')
})
