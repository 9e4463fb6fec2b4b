import { afterAll, beforeAll, expect, test } from 'vitest'
import { generateHistory } from '../../support/demo/generate-history.ts'
import { createRandom } from '../../../src/main/base/fixtures/random.ts'
import { readerHandlers } from '../../../src/main/operations/reader/reader-handlers.ts'
import { openReader, type ReadableDb } from '../../../src/main/store/database/connection.ts'
import { createBudget } from '../../../src/main/store/read/budget.ts'
import { createReader, type Reader } from '../../../src/main/store/read/reader.ts'
import { docByUuid, docsById, textOf } from '../../../src/main/store/read/recall-docs.ts'
import { recallSearch } from '../../../src/shared/contract/recall.ts'
import { makeTempFolder, type TempFolder } from '../../support/runner/temp-folder.ts'
import { draftOf, fillStore } from '../../support/store/seeded-store.ts'

const HARD = [
  String.raw`The copy failed: C:\Users\ann\proj\src\main.ts(12,5): error TS2304: Cannot find name 'Foo'.`,
  '{"type":"tool_use","name":"Bash","input":{"command":"rm -rf \\"dist\\" && npm ci"}} came back',
  'The pattern ^(?:\\d{3}-)?[a-z_]+\\.(ts|js)$ matches too much, see https://ex.am/a?b=c&d=%20e#frag for why',
  'Deployed 🚀 at 12:30, then 💥: a ?? b?.c ||= d; x => x**2 -- and git push --no-verify -f',
  'at Object.<anonymous> (/app/a.test.js:10:3)\n    at Module._compile (node:internal/modules/cjs/loader:1554:14)',
  'The café naïvely wrote Ünïcode and "curly “quotes” ‘here’" with model:none-such and session:start in it',
]

let folder: TempFolder
let db: ReadableDb
let reader: Reader
beforeAll(() => {
  folder = makeTempFolder()
  const drafts = [...generateHistory({ seed: 'pasted', sessions: 12, events: 900 })].flat()
  const hard = HARD.map((text, index) =>
    draftOf(
      'assistant_text',
      { text, message_id: `hard-${index}`, index: 0 },
      { at: `2026-03-0${index + 1}T08:00:00.000Z`, session_id: 'hard', uuid: `hard-${index}`, keys: [`hard-${index}`] },
    ),
  )
  db = openReader(fillStore(folder.path, [...drafts, ...hard]))
  reader = createReader(db, createBudget(new Int32Array(new SharedArrayBuffer(4))))
})
afterAll(() => {
  db.close()
  folder.remove()
})

/** Returns the texts of the first five hits. */
function textsFor(query: string): string[] {
  reader.budget.begin(1, 20_000)
  const { items } = readerHandlers['recall.search'](
    reader,
    recallSearch.input.parse({ query, limit: 5, counts: false }),
  )
  return items.map(({ uuid }) => {
    const doc = docByUuid(reader, uuid)
    return doc === undefined ? '' : textOf(reader, doc)
  })
}

const flat = (text: string) => text.replaceAll(/\s+/g, ' ').trim()
const random = createRandom('parts')

/** Cuts a part of 30 to 120 characters out of a text, through words and signs. */
function partOf(text: string): string {
  const length = 30 + Math.floor(random.next() * 90)
  const start = Math.floor(random.next() * Math.max(1, text.length - length))
  return text.slice(start, start + length).toWellFormed()
}
const hasWords = (text: string) => (text.match(/[\p{L}\p{N}]+/gu) ?? []).length >= 4

test('any part of a text of the demo history finds a text that has it', () => {
  const ids = reader.all<{ id: number }>('SELECT id FROM recall_docs').map(({ id }) => id)
  const parts = Array.from({ length: 200 }, () => ids[Math.floor(random.next() * ids.length)] ?? 0)
    .flatMap((id) => [...docsById(reader, [id]).values()])
    .map((doc) => partOf(textOf(reader, doc)))
    .filter(hasWords)
    .slice(0, 40)
  expect(parts).toHaveLength(40)
  expect(parts.filter((part) => !textsFor(part).some((text) => flat(text).includes(flat(part))))).toEqual([])
})

test.each(HARD)('any part of %j finds it', (text) => {
  const parts = Array.from({ length: 8 }, () => partOf(text)).filter(hasWords)
  expect(parts.filter((part) => !textsFor(part).includes(text))).toEqual([])
})
