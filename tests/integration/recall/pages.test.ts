import { afterAll, beforeAll, expect, test } from 'vitest'
import { readerHandlers } from '../../../src/main/operations/reader/reader-handlers.ts'
import { openReader, type ReadableDb } from '../../../src/main/store/database/connection.ts'
import { createBudget } from '../../../src/main/store/read/budget.ts'
import { createReader } from '../../../src/main/store/read/reader.ts'
import type { OperationOutput } from '../../../src/shared/contract/index.ts'
import { recallSearch } from '../../../src/shared/contract/recall.ts'
import { makeTempFolder, type TempFolder } from '../../support/runner/temp-folder.ts'
import { draftOf, fillStore } from '../../support/store/seeded-store.ts'

/** More than a search ranks at first. */
const TEXTS = 500
const START = Date.parse('2026-03-01T08:00:00Z')

/** Texts of many lengths, of kinds that rank differently and in few turns, so that no list has the final order. The newest are written first, as in an import. */
const drafts = Array.from({ length: TEXTS }, (_, n) => {
  const [uuid, at] = [`u${n}`, new Date(START - n * 60_000).toISOString()]
  const session_id = `s${n % 7}`
  const text = `The lantern ${n % 3 > 0 ? 'of the harbour ' : ''}${'shines '.repeat((n * 37) % 23)}${n}.`
  if (n < 7) return draftOf('user_prompt', { text }, { at, session_id, uuid, keys: [uuid] })
  const more = { at, session_id, uuid, keys: [uuid] }
  return n % 2 === 0
    ? draftOf('assistant_text', { text, message_id: uuid, index: 0 }, more)
    : draftOf('thinking', { text, signature_only: false, message_id: uuid, index: 0 }, more)
})

let folder: TempFolder
let db: ReadableDb

beforeAll(() => {
  folder = makeTempFolder()
  db = openReader(fillStore(folder.path, drafts, 50))
})
afterAll(() => {
  db.close()
  folder.remove()
})

function search(input: object): OperationOutput<'recall.search'> {
  const budget = createBudget(new Int32Array(new SharedArrayBuffer(4)))
  budget.begin(1, 20_000)
  const parsed = recallSearch.input.parse({ limit: 40, ...input })
  return readerHandlers['recall.search'](createReader(db, budget), parsed) as OperationOutput<'recall.search'>
}

/** Returns the hits of all pages. */
function pagesOf(query: string, more: object = {}) {
  const hits = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const page = search({ query, ...more, ...(cursor === '' ? {} : { cursor }) })
    hits.push(...page.items)
    cursor = page.next
  }
  return hits
}

test.each(['lantern', 'lantern harbour', 'shines'])('the pages of a search for %s have each hit once', (query) => {
  const uuids = pagesOf(query).map(({ uuid }) => uuid)
  expect(uuids.length).toBeGreaterThan(200)
  expect(uuids.length - new Set(uuids).size).toBe(0)
})

test('pages have all texts with the word, and later ones rank no higher', () => {
  const hits = pagesOf('lantern')
  expect(hits.map(({ uuid }) => uuid).toSorted()).toEqual(drafts.map(({ uuid }) => uuid).toSorted())
  expect(hits.map(({ rank }) => rank)).toEqual(hits.map(({ rank }) => rank).toSorted((a, b) => a - b))
})

test.each([
  ['lantern', /lantern/],
  ['shines', /shines/],
  ['harbour lantern', /harbour/],
])('%s, newest first, begins with the newest text that matches and goes back without a gap', (query, expected) => {
  const uuids = pagesOf(query, { order: 'time' }).map(({ uuid }) => uuid)
  const matching = drafts.filter(({ payload }) => expected.test((payload as { text: string }).text))
  expect(uuids).toEqual(matching.map(({ uuid }) => uuid))
})

test('the order changes no count', () => {
  for (const query of ['lantern', 'shines', 'harbour lantern'])
    expect(search({ query, order: 'time' }).total).toBe(search({ query }).total)
})
