import { expect, test } from 'vitest'
import { readerHandlers } from '../../../src/main/operations/reader/reader-handlers.ts'
import type { Reader } from '../../../src/main/store/read/reader.ts'
import { recallMonths, recallSearch } from '../../../src/shared/contract/recall.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'
import { reading } from '../../support/store/reading.ts'
import { draftOf, fillStore } from '../../support/store/seeded-store.ts'

/** Texts as pasted into a search, each with one that lacks some of its words. */
const PASTED: readonly (readonly [text: string, near: string])[] = [
  [
    "cat access.log | grep -v healthz | awk '{print $7}' | uniq -c",
    "cat access.log | grep -v livez | awk '{print $7}'",
  ],
  ['/Users/ana/My Projects/tax report/main.py', '/Users/ana/My Projects/tax forms/main.py'],
  [String.raw`C:\Users\Bo\AppData\Local\Temp\build.log`, String.raw`C:\Users\Bo\AppData\Roaming\Temp\other.log`],
  [String.raw`\\fileserver\share\plans.docx`, String.raw`\\mailserver\share\plans.docx`],
  ["ModuleNotFoundError: No module named 'quantlib'", "ModuleNotFoundError: No module named 'numpy'"],
  [String.raw`^\d{3}-[a-z]+zebra$`, String.raw`^\d{3}-[a-z]+$`],
  ['https://example.org/api/list?page=1&size=2#top', 'https://example.org/api/list?page=3'],
  ['maria.gomez+test@mail.example.co.uk', 'juan.gomez@mail.example.co.uk'],
  ['550e8400-e29b-41d4-a716-446655440000', '550e8400-e29b-41d4-a716-446655440001'],
  ['v2.14.0-rc.3', 'v2.13.0-rc.3'],
  ['1.5e-10', '1.5e-9'],
  ['src/userStore.ts:41', 'src/userStore.ts:42'],
  ['@acme/ui-kit', '@acme/core'],
  ['--max-old-space-size=4096', '--max-semi-space-size=64'],
  ['数据库connection池', '数据库池'],
  ['การเชื่อมต่อฐานข้อมูล', 'วันนี้การประชุม'],
  ['قاعدة البيانات', 'قاعدة الشبكة'],
  ['डेटाबेस कनेक्शन', 'डेटाबेस ठीक'],
  ['getUserByIdOrThrow', 'getUserByName'],
]
/** Queries of single letters, and how many texts have them: the letters of a commit are no words. */
const LETTERS: readonly (readonly [query: string, texts: number])[] = [
  ['b/d', 1],
  ['b && d', 1],
]
const texts = [
  ...PASTED.flat(),
  'the b/d switch',
  'Fixed in 3f9c2bd81d0e4c77aa90b1c2d3e4f5a6b7c8d9e0',
  'Reverted 3f8b1d9',
  'call get_user_by_email',
]

const searchIn = (query: string) =>
  asked((reader) => readerHandlers['recall.search'](reader, recallSearch.input.parse({ query })))

function asked<Answer>(ask: (reader: Reader) => Answer): Answer {
  using folder = makeTempFolder()
  const drafts = texts.map((text, at) =>
    draftOf(
      'assistant_text',
      { text, message_id: `${at}`, index: 0 },
      { at: new Date(Date.UTC(2026, 2, 1, 8, at)).toISOString(), session_id: `s${at}`, uuid: `${at}`, keys: [`${at}`] },
    ),
  )
  return reading(fillStore(folder.path, drafts), ask)
}

test.for(PASTED)('%s is found first, and counted alone', ([text]) => {
  const { items, counts } = searchIn(text)
  expect([texts[Number(items[0]?.uuid)], counts?.total]).toEqual([text, 1])
  expect(items[0]?.content).toContain('<mark>')
})

test.for(LETTERS)('%s is in no commit', ([query, count]) => {
  const { items, counts } = searchIn(query)
  expect(counts?.total).toBe(count)
  expect(items.filter(({ matched }) => matched.length === 0)).toEqual([])
})

test('a word written as one marks the text that has it so', () => {
  const { items } = searchIn('e-mail')
  expect(items).toMatchObject([{ content: 'call get_user_by_<mark>email</mark>', matched: ['mail'] }])
})

test.for([
  ['reverted', 1],
  ['reverted kind:answer', 1],
  ['reverted kind:prompt', 0],
  ['reverted kind:tool', 0],
  ['reverted NOT 3f8b1d9', 0],
  ['"call reverted"', 0],
  ['reverted session:s39', 0],
  ['reverted on:2026-03-01', 1],
  ['reverted on:2026-04-01', 0],
] as const)('the months of %s have what the search has', ([query, hits]) => {
  const { items } = asked((reader) => readerHandlers['recall.months'](reader, recallMonths.input.parse({ query })))
  expect(items).toEqual(hits === 0 ? [] : [{ month: '2026-03', hits }])
})

test('months are those of the zone that asks', () => {
  const hits = asked((reader) =>
    readerHandlers['recall.search'](reader, recallSearch.input.parse({ query: 'reverted' })),
  )
  const at = Date.parse(hits.items[0]?.timestamp ?? '')
  expect(hits.counts?.by_month).toEqual([{ month: '2026-03', hits: 1 }])
  // Fourteen hours ahead, and twelve behind.
  for (const [tz, hours] of [
    ['Pacific/Kiritimati', 14],
    ['Etc/GMT+12', -12],
  ] as const) {
    const month = new Date(at + hours * 3_600_000).toISOString().slice(0, 7)
    const input = { query: 'reverted', tz }
    const search = asked((reader) => readerHandlers['recall.search'](reader, recallSearch.input.parse(input)))
    const months = asked((reader) => readerHandlers['recall.months'](reader, recallMonths.input.parse(input)))
    expect([search.counts?.by_month, months.items]).toEqual([[{ month, hits: 1 }], [{ month, hits: 1 }]])
  }
})
