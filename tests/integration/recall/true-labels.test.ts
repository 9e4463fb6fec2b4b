import { afterAll, beforeAll, expect, test } from 'vitest'
import { createRandom } from '../../../src/main/base/fixtures/random.ts'
import { readerHandlers } from '../../../src/main/operations/reader/reader-handlers.ts'
import { openReader, type ReadableDb } from '../../../src/main/store/database/connection.ts'
import { createBudget } from '../../../src/main/store/read/budget.ts'
import { createReader, type Reader } from '../../../src/main/store/read/reader.ts'
import { counted } from '../../../src/shared/counted.ts'
import { describeHits } from '../../../src/shared/hit-words.ts'
import { recallSearch } from '../../../src/shared/contract/recall.ts'
import { generateHistory } from '../../support/demo/generate-history.ts'
import { makeTempFolder, type TempFolder } from '../../support/runner/temp-folder.ts'
import { draftOf, fillStore } from '../../support/store/seeded-store.ts'

/** Texts of one session in a row, so that each is a neighbour of those around it. */
const TALK = [
  'the zorbel is late',
  'why is it late',
  'because of the quixet of yesterday',
  'and the zorbel with the quixet is gone',
  'fine',
  'then a plain text without any of them',
  'zorbelQuixet of an identifier',
  'our timezone setting is wrong',
  'agreed',
  'an id of version 4.8 came',
  'the billing page is slow',
  "she’ll and we'll and I'll wait, he'd not",
  'lettuce with pepper',
  'the author of the dastrip',
  'authorized by the dastrip',
  'the lift is up',
  'clean up the attic',
  'so be it',
  'we found all of the pears',
  'we found all of the pears beside a kumquat',
]
const talk = TALK.map((text, at) =>
  draftOf(
    at % 2 === 0 ? 'user_prompt' : 'assistant_text',
    at % 2 === 0 ? { text } : { text, message_id: `m${at}`, index: 0 },
    { at: `2026-03-01T08:0${at}:00.000Z`, session_id: 'talk', uuid: `t${at}`, keys: [`t${at}`] },
  ),
)
const history = [...generateHistory({ seed: 'labels', sessions: 8, events: 700 })].flat()

let folder: TempFolder
let db: ReadableDb
let reader: Reader
/** What the store was given, by UUID: read here without the code that searches. */
let texts: ReadonlyMap<string, string>
beforeAll(() => {
  folder = makeTempFolder()
  const drafts = [...history, ...talk]
  db = openReader(fillStore(folder.path, drafts))
  reader = createReader(db, createBudget(new Int32Array(new SharedArrayBuffer(4))))
  texts = new Map(
    drafts.flatMap(({ uuid, payload }) => {
      const text = 'text' in payload ? payload.text : 'summary' in payload ? payload.summary : null
      return typeof text === 'string' && uuid !== undefined && uuid !== null ? [[uuid, text]] : []
    }),
  )
})
afterAll(() => {
  db.close()
  folder.remove()
})

function ask(query: string, more: object = {}) {
  reader.budget.begin(1, 20_000)
  return readerHandlers['recall.search'](
    reader,
    recallSearch.input.parse({ query, limit: 100, counts: false, ...more }),
  )
}

/** Counts hits with the texts that say the same. */
const withCopies = (hits: readonly { readonly copies?: number | undefined }[]) =>
  hits.reduce((sum, { copies = 0 }) => sum + 1 + copies, 0)

/** Inflected words share their beginning: `decided` and `decision`. */
const contains = (text: string, word: string): boolean =>
  text.toLowerCase().includes(word.slice(0, Math.max(3, Math.ceil(word.length * 0.6))))

const CASES: readonly (readonly [query: string, total: number, ...more: object[]])[] = [
  ['zorbel', 3],
  ['zorbel quixet', 4],
  ['"the zorbel"', 2],
  ['quixet NOT zorbel', 1],
  ['zorbel quixet kind:answer', 1],
  ['late zorbel nonesuch', 4, { session_id: 'talk' }],
  ['why was the zorbel late?', 4, { session_id: 'talk' }],
  // Of one stem, but not the same word.
  ['authorization dastrip', 2, { session_id: 'talk' }],
  // A part of a name of several words is not that name.
  ['how was the nonesuch refactored?', 1, { session_id: 'talk' }],
  // Nor is a part of a hit without its words another one.
  ['who brought the kumquat?', 1, { session_id: 'talk' }],
  // A common word does not match inside another word.
  ['where is the quixetWithLate?', 5, { session_id: 'talk' }],
  ['tz setting', 1, { session_id: 'talk' }],
  ['zorbe', 3, { prefix: true }],
  ['zor*', 3],
  ['quix*', 3],
  ['quixe', 3, { prefix: true }],
  // Neither a part of two letters, nor digits of other numbers.
  ['zorbel_id', 3, { session_id: 'talk' }],
  ['quince_id', 0, { session_id: 'talk' }],
  ['48', 0, { session_id: 'talk' }],
  // A shortened verb is not a word of the same letters.
  ['shell', 0, { session_id: 'talk' }],
  ['illness', 0, { session_id: 'talk' }],
  ["I'll wait", 1, { session_id: 'talk' }],
]

test('counts the texts that have a word of the query, and lists no others', () => {
  const found = CASES.map(([query, , more]) => {
    const { items, total, total_about: about } = ask(query, more)
    const hits = items.filter(({ beside }) => beside !== true)
    expect([query, hits.filter(({ matched }) => matched.length === 0)]).toEqual([query, []])
    return [query, total, withCopies(hits), about]
  })
  expect(found).toEqual(CASES.map(([query, total]) => [query, total, total, undefined]))
})

test('says of a hit with only related words that it has none of the words', () => {
  const found = ask('invoice yesterday', { session_id: 'talk' })
  expect(found.items.map(({ uuid, matched, related }) => [uuid, matched, related]).toSorted()).toEqual([
    ['t10', ['billing'], true],
    ['t2', ['yesterday'], undefined],
  ])
  expect(found.matched_by).toEqual(['any', 'related'])
  expect(describeHits(found, counted)).toBe(
    '2 hits · 1 with only related words · matched by any word, then related words',
  )
  expect(ask('zorbel quixet').matched_by).not.toContain('related')
  // A word that is typed to its end, as the window sends each.
  for (const prefix of [false, true]) {
    const { items, total } = ask('invoice', { prefix, session_id: 'talk' })
    expect([prefix, items.map(({ uuid }) => uuid), total]).toEqual([prefix, ['t10'], 1])
  }
  const only = ask('invoice nonesuch', { session_id: 'talk' })
  expect([only.total, only.matched_by]).toEqual([1, ['related']])
})

test('a word is not another one of its stem', () => {
  const found = ask('authorization', { session_id: 'talk' })
  expect(found.items.map(({ uuid, matched, related }) => [uuid, matched, related])).toEqual([
    ['t14', ['authorization'], undefined],
    ['t13', ['author'], true],
  ])
  expect(describeHits(found, counted)).toBe('2 hits · 1 with only related words · matched by all words')
  expect(ask('authors', { session_id: 'talk' }).items.map(({ uuid, related }) => [uuid, related])).toEqual([
    ['t13', undefined],
    ['t14', true],
  ])
})

test('lists only hits that contain the words they are labelled with', () => {
  const random = createRandom('labels')
  const all = [...texts.values()]
  const queries = Array.from({ length: 200 }, (_, at) => {
    const words = (all[random.int(0, all.length - 1)] ?? '').match(/\p{L}{4,}/gu) ?? []
    const from = random.int(0, Math.max(0, words.length - 4))
    const some = words.slice(from, from + 1 + (at % 4)).join(' ')
    return at % 5 === 0 ? `why did we change ${some}?` : some
  })
  const untrue = queries.flatMap((query) => {
    const { items, total, total_about: about } = ask(query)
    const hits = items.filter(({ beside }) => beside !== true)
    const wrong = hits.filter(({ uuid, matched }) => {
      const text = texts.get(uuid)
      return text !== undefined && (matched.length === 0 || !matched.every((word) => contains(text, word)))
    })
    const isCounted = total === withCopies(hits) || (items.length === 100 && total >= hits.length) || about === true
    if (hits.length < items.length && !query.endsWith('?')) return [`${query}: lists others`]
    return [
      ...wrong.map(({ content }) => `${query} → ${content.slice(0, 80)}`),
      ...(isCounted ? [] : [`${query}: ${total} of ${items.length}`]),
    ]
  })
  expect(untrue).toEqual([])
})
