import { afterAll, beforeAll, expect, test } from 'vitest'
import { readerHandlers } from '../../../src/main/operations/reader/reader-handlers.ts'
import { openReader, type ReadableDb } from '../../../src/main/store/database/connection.ts'
import { createBudget } from '../../../src/main/store/read/budget.ts'
import { createReader } from '../../../src/main/store/read/reader.ts'
import { searchPrompts } from '../../../src/shared/contract/recall.ts'
import { sessionsList, sessionTimeline } from '../../../src/shared/contract/sessions.ts'
import { makeTempFolder, type TempFolder } from '../../support/runner/temp-folder.ts'
import { draftOf, fillStore } from '../../support/store/seeded-store.ts'

const prompt = (uuid: string, session_id: string, at: string, text: string) =>
  draftOf('user_prompt', { text }, { at, session_id, uuid, keys: [uuid] })

let folder: TempFolder
let db: ReadableDb
let reader: ReturnType<typeof createReader>
beforeAll(() => {
  folder = makeTempFolder()
  const drafts = [
    prompt('a1', 'early', '2026-03-01T08:00:00.000Z', 'continue'),
    prompt('b1', 'late', '2026-03-02T08:00:00.000Z', 'continue'),
    prompt('b2', 'late', '2026-03-02T09:00:00.000Z', 'continue with the tests'),
    prompt('a2', 'early', '2026-03-03T08:00:00.000Z', ' continue\n'),
  ]
  db = openReader(fillStore(folder.path, drafts, 2))
  reader = createReader(db, createBudget(new Int32Array(new SharedArrayBuffer(4))))
  reader.budget.begin(1, 20_000)
})
afterAll(() => {
  db.close()
  folder.remove()
})

test('prompts are counted by their whole text over all sessions', () => {
  const { items } = readerHandlers['prompts.search'](reader, searchPrompts.input.parse({ query: 'continue' }))
  expect(Object.fromEntries(items.map(({ uuid, asked }) => [uuid, asked]))).toEqual({ a1: 3, a2: 3, b1: 3, b2: 1 })
})

test('sessions are listed by their last activity, or by their start on request', () => {
  const ids = (sort: object) =>
    readerHandlers['sessions.list'](reader, sessionsList.input.parse(sort)).items.map(({ id }) => id)
  expect(ids({})).toEqual(['early', 'late'])
  expect(ids({ sort: 'started' })).toEqual(['late', 'early'])
})

test('a timeline includes the events at both of its ends', () => {
  const span = { session_id: 'late', start: '2026-03-02T08:00:00.000Z', end: '2026-03-02T09:00:00.000Z' }
  const { items } = readerHandlers['sessions.timeline'](reader, sessionTimeline.input.parse(span))
  expect(items.map(({ uuid, kind }) => (kind === 'turn_ended' ? 'end of b1' : uuid))).toEqual(['b1', 'end of b1', 'b2'])
})
