import Database from 'better-sqlite3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readerHandlers } from '../../../src/main/operations/reader/reader-handlers.ts'
import { openReader, type ReadableDb } from '../../../src/main/store/database/connection.ts'
import { createBudget } from '../../../src/main/store/read/budget.ts'
import { createReader, type Reader } from '../../../src/main/store/read/reader.ts'
import { recallContext, recallSearch } from '../../../src/shared/contract/recall.ts'
import { makeTempFolder, type TempFolder } from '../../support/runner/temp-folder.ts'
import { draftOf, fillStore } from '../../support/store/seeded-store.ts'

/** Texts of one stem, which a quotation tells apart. */
const FORMS: Readonly<Record<string, string>> = {
  exact: 'The list of Invoices, paid in May.',
  paying: 'We are invoice paying people, so this invoice is not paid.',
  reversed: 'paid invoices',
  accents: 'The Café-Crèmes were cold.',
  coffee: 'The café crème was cold.',
  thousands: 'It wrote 1,234,567 rows.',
  number: 'It wrote 1234567 rows.',
  went: 'They went swimming.',
  going: 'They go swimming.',
  plus: 'A C++ compiler of Zurb.',
  plain: 'A C compiler of Zurb.',
  snake: 'the call of drain_queues(now)',
  hyphen: 'it drains-queue now',
  time: 'seen at 2026-03-04T10:00:00Z by Zurb',
  han: '用redis做缓存的办法',
  apart: '缓存用的是redis做的',
  escaped: String.raw`it printed "first line\nsecond" of zurbs`,
  owning: 'They are owning queues in Zurb.',
  own: 'They have their own queue in Zurb.',
}
const forms = Object.entries(FORMS).map(([uuid, text], at) =>
  draftOf('user_prompt', { text }, { at: `2026-03-02T08:00:${10 + at}.000Z`, session_id: uuid, uuid, keys: [uuid] }),
)
const calls = ['queued jobs of Blorp', 'queueing job of Blorp', 'npx --yes blorp-check'].map((command, at) =>
  draftOf(
    'tool_call',
    { call_id: `call${at}`, tool_name: 'Bash', input: { command }, message_id: 'm', index: at },
    { at: `2026-03-02T09:00:0${at}.000Z`, session_id: 'calls', uuid: `call${at}`, keys: [`call${at}`] },
  ),
)

let folder: TempFolder
let db: ReadableDb
let reader: Reader
beforeAll(() => {
  folder = makeTempFolder()
  db = openReader(fillStore(folder.path, [...forms, ...calls]))
  reader = createReader(db, createBudget(new Int32Array(new SharedArrayBuffer(4))))
})
afterAll(() => {
  db.close()
  folder.remove()
})

function ask(query: string) {
  reader.budget.begin(1, 20_000)
  return readerHandlers['recall.search'](reader, recallSearch.input.parse({ query }))
}

test.each([
  ['"invoices paid"', ['exact']],
  ['"INVOICES, paid"', ['exact']],
  ['"invoice paid"', []],
  ['"invoice"', ['paying']],
  ['"cafe cremes"', ['accents']],
  ['"café crème"', ['coffee']],
  ['"1,234,567 rows"', ['thousands']],
  ['"1234567 rows"', ['number']],
  ['"go swimming"', ['going']],
  ['"go"', ['going']],
  ['"C++ compiler"', ['plus']],
  ['"drain queues"', ['snake']],
  ['"drains queue"', ['hyphen']],
  ['"2026-03-04" Zurb', ['time']],
  ['"用redis做"', ['han']],
  ['"redis做缓存"', ['han']],
  ['"second"', ['escaped']],
  ['invoices NOT "invoice paying"', ['exact', 'reversed']],
  ['cafe -"cafe creme"', ['accents']],
  ['"drains queue" OR "own queue"', ['hyphen', 'own']],
  ['swimming OR "own queue"', ['going', 'own', 'went']],
  ['Zurb "own queue"', ['own']],
  // Only a tool was asked for it.
  ['"npx --yes blorp-check"', ['call2']],
  ['"npx --yes blorp-checks"', []],
  ['session:own NOT queue', []],
  ['session:own NOT queues', []],
  ['session:own -"own queues"', ['own', 'owning']],
  ['kind:prompt session:pl NOT plus -"plain"', ['plain', 'plus']],
  ['kind:prompt session:pl NOT compile', []],
  ['kind:tool NOT queueing', ['call0', 'call2']],
  ['kind:tool -"queued jobs"', ['call1', 'call2']],
  ['kind:tool "queued jobs"', ['call0']],
  ['kind:tool Blorp -"queued jobs"', ['call1', 'call2']],
])('%s lists the texts with these words in this form and order', (query, expected) => {
  const found = ask(query)
  expect([found.items.map(({ uuid }) => uuid).toSorted(), found.total]).toEqual([expected, expected.length])
  const isMarked = query.includes('" ') || !query.includes(':')
  expect(found.items.filter(({ content }) => isMarked && !content.includes('<mark>'))).toEqual([])
})

test('marks a quotation where it is, and not its words elsewhere', () => {
  const [hit] = ask('"invoice paying"').items
  expect(hit?.content).toBe('We are <mark>invoice</mark> <mark>paying</mark> people, so this invoice is not paid.')
})

test('without its index, a search lists the newest texts with all words, and says so', () => {
  using copy = makeTempFolder()
  const path = fillStore(copy.path, [...forms, ...calls])
  const torn = new Database(path)
  torn.unsafeMode(true)
  torn.exec('UPDATE recall_fts_data SET block = zeroblob(length(block)) WHERE id > 10')
  torn.close()
  const open = openReader(path)
  const without = createReader(open, createBudget(new Int32Array(new SharedArrayBuffer(4))))
  const find = (query: string, more: object = {}) =>
    readerHandlers['recall.search'](without, recallSearch.input.parse({ query, ...more }))
  const uuids = (query: string, more: object = {}) => find(query, more).items.map(({ uuid }) => uuid)
  expect(uuids('Zurb compilers')).toEqual(['plain', 'plus'])
  expect(uuids('Zurb NOT compiler', { limit: 2 })).toEqual(['own', 'owning'])
  expect(uuids('"invoices paid"')).toEqual(['exact'])
  expect(uuids('Zurb session:time')).toEqual(['time'])
  expect(uuids('kind:answer')).toEqual([])
  for (const other of ['kind:tool', 'kind:memory', 'kind:episode', 'tool:Bash'])
    expect([other, uuids(`${other} Zurb`)]).toEqual([other, []])
  expect(uuids('Zurb', { prompts: false, responses: false, thinking: false, tools: true })).toEqual([])
  expect(uuids('Zurb compi', { prefix: true })).toEqual(['plain', 'plus'])
  expect(uuids('Zurb -"own queue"', { limit: 2 })).toEqual(['owning', 'escaped'])
  // The reader's thread opens the file again first: it may have been replaced.
  without.budget.begin(1, 20_000, true)
  expect(() => find('Zurb')).toThrow(/corrupt/)
  without.budget.begin(1, 20_000)
  expect(find('nonesuch')).toMatchObject({ items: [], total: 0, partial: true, notes: { index: 'rebuilding' } })
  const context = readerHandlers['recall.context'](without, recallContext.input.parse({ query: 'cafe creme' }))
  expect(context.text).toContain('The café crème was cold.')
  expect(context.text).toMatch(/The search index is damaged: until Aspy, which rebuilds it while it runs/)
  open.close()
})

/** Asks when time is up after some readings of the clock. Returns what was read besides. */
function askBriefly(query: string, calls: number) {
  let left = calls
  const counted = { quotes: 0 }
  const open = openReader(db.name)
  const budget = createBudget(new Int32Array(new SharedArrayBuffer(4)))
  const ended = Object.create(budget, {
    isLeft: {
      value: () => {
        left -= 1
        if (left < 0) budget.cut()
        return left >= 0
      },
    },
  }) as typeof budget
  const brief = createReader(open, ended)
  open.function('aspy_quotes', { deterministic: false }, (_text: unknown, _pattern: unknown) => {
    counted.quotes += 1
    return 0
  })
  budget.begin(1, 20_000)
  const answer = readerHandlers['recall.search'](brief, recallSearch.input.parse({ query }))
  open.close()
  return { answer, ...counted }
}

test('reads no further text when time is up', () => {
  const { answer, quotes } = askBriefly('kind:prompt -"nonesuch words"', 3)
  expect(quotes).toBe(3)
  expect(answer.partial).toBe(true)
})

test('ends reading the index of excluded words when time is up', () => {
  expect(askBriefly('kind:prompt NOT queue*', 2).answer).toMatchObject({ items: [], partial: true })
})
