import { afterAll, beforeAll, expect, test } from 'vitest'
import { unfilled } from '../../../src/main/health/keeper-warnings.ts'
import { readerHandlers } from '../../../src/main/operations/reader/reader-handlers.ts'
import { openReader, type ReadableDb } from '../../../src/main/store/database/connection.ts'
import { createBudget } from '../../../src/main/store/read/budget.ts'
import { createReader } from '../../../src/main/store/read/reader.ts'
import { makeTempFolder, type TempFolder } from '../../support/runner/temp-folder.ts'
import { draftOf, fillStore } from '../../support/store/seeded-store.ts'

const at = (minute: number) => `2026-11-20T10:0${minute}:00.000Z`
const error = (type: string, message: string, minute: number) =>
  draftOf('error', { origin: 'capture', type, message, status: null }, { session_id: 'gaps', at: at(minute) })

let folder: TempFolder
let db: ReadableDb
beforeAll(() => {
  folder = makeTempFolder()
  const drafts = [
    ...['gaps', 'whole'].map((session_id) => draftOf('user_prompt', { text: 'hello' }, { session_id, at: at(0) })),
    error('unrecorded', '2 requests passed unrecorded until noon', 1),
    error('lost', 'something else', 2),
    error('unrecorded', '1 request passed unrecorded until one', 3),
    { ...error('unrecorded', 'filled', 3), session_id: 'filled' },
    { ...error('unrecorded', 'went on', 3), session_id: 'went on' },
    draftOf('user_prompt', { text: 'from a transcript' }, { session_id: 'filled', at: at(2) }),
    draftOf('user_prompt', { text: 'from a transcript' }, { session_id: 'went on', at: at(4) }),
  ]
  db = openReader(fillStore(folder.path, drafts, 7))
})
afterAll(() => {
  db.close()
  folder.remove()
})

test('a session says which of its requests passed unrecorded, newest first, and one that is whole or was filled nothing', () => {
  const reader = createReader(db, createBudget(new Int32Array(new SharedArrayBuffer(4))))
  reader.budget.begin(1, 20_000)
  const said = (session_id: string) => readerHandlers['sessions.get'](reader, { session_id }).unrecorded
  expect(said('gaps')).toEqual(['1 request passed unrecorded until one', '2 requests passed unrecorded until noon'])
  expect([said('whole'), said('filled')]).toEqual([undefined, undefined])
  expect(said('went on')).toEqual(['went on'])
})

test('what passed of sessions that were filled is not missed any more', async () => {
  const passed = {
    requests: { gaps: 1, filled: 2, '': 1 },
    hooksOf: { filled: 3 },
    hooks: 4,
    tunnels: 0,
    from: 1,
    to: 2,
  }
  const marks: Readonly<Record<string, readonly string[]>> = { gaps: ['one'], filled: [] }
  const marksOf = (session: string) => Promise.resolve(marks[session] ?? null)
  expect(await unfilled(passed, marksOf)).toMatchObject({ requests: { gaps: 1, '': 1 }, hooks: 1, from: 1 })
  const all = { ...passed, requests: { filled: 2 }, hooks: 3 }
  expect(await unfilled(all, marksOf)).toMatchObject({ requests: {}, hooks: 0, from: null, to: null })
  expect(await unfilled(all, () => Promise.resolve(null))).toMatchObject({ requests: { filled: 2 }, from: 1 })
})
