import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readerHandlers } from '../../../src/main/operations/reader/reader-handlers.ts'
import { openReader, type ReadableDb } from '../../../src/main/store/database/connection.ts'
import { createBudget } from '../../../src/main/store/read/budget.ts'
import { createReader } from '../../../src/main/store/read/reader.ts'
import { toCursor } from '../../../src/main/listings/cursor.ts'
import type { OperationOutput } from '../../../src/shared/contract/index.ts'
import { recallSearch } from '../../../src/shared/contract/recall.ts'
import { startApp, type TestApp } from '../../support/app/start-app.ts'
import { few } from '../../support/runner/heavy.ts'
import { makeTempFolder, type TempFolder } from '../../support/runner/temp-folder.ts'
import { draftOf, fillStore } from '../../support/store/seeded-store.ts'

/** More than a search ranks at first. */
const TEXTS = 500
/** More than are counted without words. */
const EPISODES = 2300
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
  const path = fillStore(folder.path, drafts, 50)
  const people = new Database(path)
  people.exec(`INSERT INTO episodes (event_uuid, session_id, turn_id, closed_by, timestamp, content, tags)
    WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${EPISODES - 1})
    SELECT 'u' || i, 'e' || i, 0, 'end', strftime('%Y-%m-%dT%H:%M:%fZ', ${START / 1000} + i, 'unixepoch'), 'ended', '[]' FROM n`)
  people.close()
  db = openReader(path)
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

test('the newest summaries of sessions are read, and not all', () => {
  const { items, total, total_about: isMore } = search({ query: 'kind:episode', limit: 2 })
  expect(items.map(({ session_id }) => session_id)).toEqual([`e${EPISODES - 1}`, `e${EPISODES - 2}`])
  expect([total, isMore]).toEqual([2000, true])
  const beyond = search({ query: 'kind:episode', limit: 2, cursor: toCursor([2100]) })
  expect(beyond.items.map(({ session_id }) => session_id)).toEqual([`e${EPISODES - 2101}`, `e${EPISODES - 2102}`])
})

test.each([
  ['kind:thinking', 247],
  ['kind:answer kind:thinking', 493],
  ['session:s3', 71],
  ['after:2026-03-01 03:00Z', 301],
])('the pages of %s, which has no words, say %i in all and have them', (query, total) => {
  for (const order of ['relevance', 'time']) {
    const uuids = pagesOf(query, { order }).map(({ uuid }) => uuid)
    const { total: said, total_about: isMore } = search({ query, order })
    expect([order, uuids.length, new Set(uuids).size, said, isMore]).toEqual([order, total, total, total, undefined])
  }
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

/** A session of its own, so that the history before has no memory. */
const peers = [
  'We round the invoice total once.',
  'The billing page is slow.',
  'An invoice has a number.',
  ...Array.from(
    { length: 60 },
    (_, n) => `Rounding of case ${n}, ${'more '.repeat(n % 5)}and an invoice${n % 4 > 0 ? '' : ' row'}.`,
  ),
  'Of all words, only rounding is here.',
]
const peerDrafts = peers.map((text, n) => {
  const more = {
    session_id: `t${n % 5}`,
    uuid: `p${n}`,
    keys: [`p${n}`],
    at: new Date(START + n * 60_000).toISOString(),
  }
  // A session without a prompt has no episode.
  return n >= 5 && n < 10
    ? draftOf('user_prompt', { text }, more)
    : draftOf('assistant_text', { text, message_id: `p${n}`, index: 0 }, more)
})

describe('with memories and episodes', () => {
  let peersFolder: TempFolder
  let app: TestApp
  beforeAll(async () => {
    peersFolder = makeTempFolder()
    fillStore(peersFolder.path, peerDrafts, 50, true)
    app = await startApp({ upstream: 'http://127.0.0.1:9', dataDir: peersFolder.path })
    // Marked texts with all words, with one, and two with a note that has the words or none of them.
    await app.call('memories.add', { uuid: 'p30' })
    await app.call('memories.add', { uuid: 'p63' })
    await app.call('memories.add', { uuid: 'p2', fact: 'An invoice needs no rounding' })
    await app.call('memories.add', { uuid: 'p40', fact: 'Keep this one' })
  })
  afterAll(async () => {
    await app?.close()
    peersFolder?.remove()
  })

  type Found = OperationOutput<'recall.search'>
  const ask = (input: object) => app.call<Found>('recall.search', input)

  async function walk(input: object) {
    const [hits, totals]: [string[], Set<number>] = [[], new Set()]
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: Found = await ask({ ...input, ...(cursor === '' ? {} : { cursor }) })
      hits.push(...page.items.map(({ uuid, match_type: type }) => `${type} ${uuid}`))
      totals.add(page.total)
      cursor = page.next
    }
    return { hits, totals: [...totals] }
  }

  const KINDS = [{}, { tools: true }, { prompts: false, thinking: false }, { responses: false }]
  const QUERIES = ['invoice rounding', 'rounding', 'kind:episode', 'kind:memory', 'kind:memory invoice', 'case NOT row']
  test.each(few(QUERIES, 2))(
    'the pages of %s together are the list, at any limit, of any kinds and in any order',
    async (query) => {
      for (const kinds of KINDS)
        for (const order of ['relevance', 'time']) {
          const whole = await walk({ query, order, ...kinds, limit: 100 })
          expect(new Set(whole.hits).size).toBe(whole.hits.length)
          for (const limit of [1, 7, 10, 33]) expect(await walk({ query, order, ...kinds, limit })).toEqual(whole)
        }
    },
  )

  test('a note and a session that ended are found by time, too, and a note without words', async () => {
    const listed = async (input: object) =>
      (await ask(input)).items.map(({ match_type: type, uuid }) => `${type} ${uuid}`)
    expect(await listed({ query: 'kind:memory', order: 'time' })).toEqual(['memory p40', 'memory p2'])
    expect(await listed({ query: 'kind:memory' })).toEqual(['memory p40', 'memory p2'])
    const { items } = await ask({ query: 'kind:episode invoice', order: 'time' })
    expect(items.map(({ match_type: type }) => type)).toEqual(Array.from({ length: 5 }, () => 'episode'))
  })

  test('no marked text is of another kind than asked for', async () => {
    const { items } = await ask({ query: 'invoice rounding', responses: false })
    expect([...new Set(items.map(({ match_type: type }) => type))]).toEqual(['memory', 'user_prompt'])
  })

  /** The texts of the newest turn of t1, which has not ended. */
  const own = new Set(peers.flatMap((_, n) => (n >= 5 && n % 5 === 1 ? [`p${n}`] : [])))

  test.each([
    [300, undefined],
    [1000, undefined],
    [300, 't1'],
    [5000, 't1'],
  ])(
    'the pages of %i tokens for a model, asked in %s, have each hit once, quoted or named',
    async (budget, session) => {
      const { hits } = await walk({ query: 'invoice rounding', limit: 100 })
      const wanted = hits.filter((hit) => session === undefined || !own.has(hit.split(' ').at(-1) ?? ''))
      const seen: string[] = []
      let count = 0
      for (let offset: number | null = 0; offset !== null;) {
        const page: OperationOutput<'recall.context'> = await app.call('recall.context', {
          query: 'invoice rounding',
          budget,
          offset,
          asked_in: session,
        })
        const quoted = [...page.text.matchAll(/^\[([a-z, ]+? p\d+)/gm)].map(([, text]) => text ?? '')
        // What says nearly the same is named at the text that is quoted.
        expect(quoted.length + page.folded).toBeGreaterThanOrEqual(page.included)
        expect((page.next_offset ?? wanted.length) - offset).toBe(page.included + page.folded)
        seen.push(...quoted)
        count += page.included + page.folded
        offset = page.next_offset
      }
      expect([seen.length, count]).toEqual([new Set(seen).size, wanted.length])
      expect(seen.filter((text) => session !== undefined && own.has(text.split(' ').at(-1) ?? ''))).toEqual([])
    },
  )
})
