import { expect, test } from 'vitest'
import type { AnyDraft } from '../../../src/main/decode/draft.ts'
import type { PreviewDraft } from '../../../src/main/store/preview/previewed-file.ts'
import type { Store } from '../../../src/main/store/store.ts'
import { FULL_TEXT } from '../../../src/main/store/tables.ts'
import { contentsOfDatabase, openTestStore, readStore } from '../../support/store/folder.ts'
import {
  blockFact,
  commonFields,
  promptFact,
  resultFact,
  seeded,
  sessionFacts,
  timeAt,
  usageFact,
  usageOf,
  type Fact,
} from '../../support/store/history.ts'
import { requestDrafts } from '../../support/store/requests.ts'

/** Early enough that no session has ended by its silence. */
const NOW = timeAt(600_000)
const now = () => Date.parse(NOW)
const WORD = 'axolotlword'
const SHARED = `the file both sessions read ${'x'.repeat(3000)}`
/** All tables but these are compared row for row. */
const LEFT_OUT = new Set(['tombstones', 'changes', 'key_rows', 'carry_weeks', 'carry_active'])
/** An event that stays keeps the digests of its text under the names of its copies. */
const NATURAL_KEYS = "SELECT event_id, key FROM key_rows WHERE key NOT GLOB 'text:*' ORDER BY key"
const KEYS_WITHOUT_EVENT = 'SELECT count(*) FROM key_rows WHERE event_id NOT IN (SELECT id FROM events)'

const drafts = (facts: readonly Fact[]): AnyDraft[] => facts.flatMap(({ reports }) => reports)
const read = (dbPath: string, sql: string): unknown[] => readStore(dbPath, (db) => db.prepare(sql).raw().all())

function rowsOf(store: Store, dbPath: string): Record<string, unknown[]> {
  store.maintenance.checkpoint()
  const rows = Object.entries(contentsOfDatabase(dbPath))
  const compared = rows.filter(([table]) => !table.includes('_fts') && !LEFT_OUT.has(table))
  return { ...Object.fromEntries(compared), keys: read(dbPath, NATURAL_KEYS) }
}

function expectRows(store: Store, dbPath: string, expected: Record<string, unknown[]>): void {
  for (const [table, rows] of Object.entries(rowsOf(store, dbPath))) expect(rows, table).toEqual(expected[table])
}

/** Full-text indexes that find the word. */
const findWord = (dbPath: string): string[] =>
  readStore(dbPath, (db) =>
    [...FULL_TEXT.keys()].filter(
      (index) => db.prepare(`SELECT 1 FROM ${index} WHERE ${index} MATCH '${WORD}' LIMIT 1`).get() !== undefined,
    ),
  )

function note(session: string, key: string, parents: readonly string[]): AnyDraft {
  const payload = { text: `goes on ${key}` }
  return { ...commonFields('hook', session, 99_000), kind: 'notification', payload, keys: [key], parents }
}

/** A message's usage as two copies of its transcript have it: the fork's says more. */
const toldUsage = (session: string, at: 1 | 2): AnyDraft[] =>
  usageFact(session, 'm-told', '', 6000, usageOf({ output_tokens: 90 }), 'claude-nobody-knows-1').reports.slice(
    at,
    at + 1,
  )

const previewOf = (session: string): PreviewDraft =>
  usageFact(session, `m-${session}`, '', 1000, usageOf({ output_tokens: 5 }), 'claude-opus-5-5')
    .reports[1] as PreviewDraft

/** Shows a session before its transcript is imported. */
function preview(store: Store, session: string): void {
  const figures = { size: 9, mtime_ms: 9, isWhole: true }
  const shown = { project: null, git_branch: null, title: session, title_rank: 1, title_at: null }
  const times = { started_at: timeAt(0), last_event_at: timeAt(1000), client: 'claude-code', client_version: null }
  const sessions = [{ session_id: session, ...shown, ...times }]
  store.ingest.preview({ files: [{ path: '/a.jsonl', ...figures, drafts: [previewOf(session)], sessions }] })
}

const previewed = (dbPath: string) =>
  read(
    dbPath,
    'SELECT session_id, count(*) FROM (SELECT session_id FROM preview_items UNION ALL SELECT session_id FROM preview_sessions) GROUP BY 1',
  )

/** Labels and remembers a session, and confirms another memory with one of its events. */
function addByPeople(store: Store, session: string, uuid: string, confirms?: string): void {
  store.people.run('sessions.label', { session_id: session, title: `${session} ${WORD}`, add_tags: [session] })
  store.people.run('memories.add', { uuid, fact: `${session} says ${WORD}`.replace(/kept.*/, 'kept') })
  if (confirms !== undefined) store.people.run('memories.add', { uuid, confirms })
  for (const _ of store.maintenance.episodes());
}

/** A session with the word in every kind of text, a copy of another session's lines, and contents shared with it. */
function goneDrafts(store: Store, turns: number, kept: readonly AnyDraft[]): AnyDraft[] {
  const common = commonFields('wire', 'gone', 5000)
  const copied = kept.filter(({ source }) => source === 'transcript').map((draft) => ({ ...draft, session_id: 'gone' }))
  return [
    ...drafts([
      promptFact('gone', 'p-gone', `${WORD} please`, 0),
      blockFact('gone', 'm-word', 0, 1000, { thinking: `${WORD} ${'so long '.repeat(300)}` }, []),
      blockFact('gone', 'm-word', 1, 2000, { text: `it is ${WORD}` }, []),
      resultFact('gone', 'c-word', `${WORD} ${SHARED}`, 3000),
      resultFact('gone', 'c-shared', SHARED, 4000),
      { reports: resultFact('gone', 'c-shared', `as the hook has it ${'y'.repeat(3000)}`, 4000).reports.slice(1, 2) },
    ]),
    {
      ...common,
      kind: 'error',
      payload: { origin: 'upstream', type: 'overloaded_error', message: WORD, status: 529 },
      keys: [],
      parents: [],
    },
    {
      ...common,
      kind: 'compaction',
      payload: { trigger: 'auto', summary: `we spoke of ${WORD}`, tokens_before: 9, tokens_after: 1 },
      keys: ['compaction:gone'],
      parents: [],
    } as unknown as AnyDraft,
    note('gone', 'note:gone', ['note:never']),
    ...toldUsage('gone', 2),
    ...copied,
    ...drafts([resultFact('gone', 'c-kept', `${WORD} ${'told otherwise '.repeat(300)}`, 4000)]),
    ...requestDrafts(store, 'gone', 3, 500_000, WORD),
    ...drafts(sessionFacts('gone', turns, seeded(2))),
  ]
}

test.each([
  ['at once', 2],
  ['in slices', 130],
])('a session deleted %s leaves every table as if it had never been', (_, turns) => {
  const { store, dbPath } = openTestStore({ now })
  const kept = drafts([...sessionFacts('kept', 12, seeded(1)), resultFact('kept', 'c-kept', SHARED, 4000)])
  const [first] = store.ingest.append(kept).added
  const requests = requestDrafts(store, 'kept', 3, 500_000, 'kept')
  store.ingest.append([...requests, note('kept', 'note:kept', ['note:gone']), ...toldUsage('kept', 1)])
  preview(store, 'shown')
  const remembered = first?.event.uuid ?? ''
  addByPeople(store, 'kept', remembered)
  const before = rowsOf(store, dbPath)
  const indexes = findWord(dbPath)

  preview(store, 'gone')
  expect(previewed(dbPath)).toEqual([
    ['gone', 2],
    ['shown', 2],
  ])
  const { added, joined } = store.ingest.append(goneDrafts(store, turns, kept))
  expect(joined).toBeGreaterThan(50)
  addByPeople(store, 'gone', added[0]?.event.uuid ?? '')
  store.people.run('memories.add', { uuid: added[1]?.event.uuid ?? '', confirms: remembered })
  preview(store, 'gone')
  expect(findWord(dbPath).toSorted()).toEqual([...FULL_TEXT.keys()].toSorted())

  expect(store.removal.deleteSession('gone').events).toBe(added.length)
  expect(findWord(dbPath)).toEqual(indexes)
  expect(read(dbPath, KEYS_WITHOUT_EVENT)).toEqual([[0]])
  expectRows(store, dbPath, before)
  expect(read(dbPath, 'SELECT session_id, deleted_at FROM tombstones')).toEqual([['gone', NOW]])
  expect(read(dbPath, "SELECT name FROM changes WHERE kind = 'tombstone'")).toEqual([['gone']])
  expect(read(dbPath, "SELECT key FROM metadata WHERE key GLOB '*:*' OR key = 'log_open'")).toEqual([])
  // Deleted for good: neither its transcript nor its preview comes back.
  preview(store, 'gone')
  expect(store.ingest.append(kept.map((draft) => ({ ...draft, session_id: 'gone' }))).added).toEqual([])
  expectRows(store, dbPath, before)
})

test('the origin of a fork takes its own along, and leaves the fork exactly what the fork said', () => {
  const origin = drafts([...sessionFacts('gone', 6, seeded(3)), resultFact('gone', 'c-long', SHARED, 700_000)])
  const copied = origin.filter(({ source }) => source === 'transcript')
  const own = drafts([promptFact('fork', 'p-fork', 'go on', 800_000), resultFact('fork', 'c-own', SHARED, 810_000)])
  const logOf = (dbPath: string) => ({
    events: read(dbPath, 'SELECT session_id, kind, payload FROM events ORDER BY id'),
    sightings: read(dbPath, 'SELECT source, session_id FROM sightings ORDER BY id'),
    keys: read(dbPath, 'SELECT key FROM event_keys ORDER BY key'),
    contents: read(dbPath, 'SELECT hex(hash), refs FROM contents ORDER BY 1'),
    parents: read(dbPath, 'SELECT count(*) FROM parent_keys'),
    links: read(dbPath, 'SELECT * FROM session_links'),
  })
  const alone = openTestStore({ now })
  alone.store.ingest.append(own)

  const { store, dbPath } = openTestStore({ now })
  store.ingest.append([...origin, ...copied.map((draft) => ({ ...draft, session_id: 'fork' })), ...own])
  const told = read(dbPath, "SELECT DISTINCT event_id FROM sighting_rows WHERE other_session_id = 'fork'").length
  expect(told).toBeGreaterThan(20)
  const events = Number(read(dbPath, "SELECT count(*) FROM events WHERE session_id = 'gone'").flat()[0])
  expect(store.removal.deleteSession('gone')).toMatchObject({ events })
  expect(logOf(dbPath)).toEqual(logOf(alone.dbPath))
})

test("what a deleted session told of another's event no longer counts", () => {
  const { store, dbPath } = openTestStore({ now })
  const tokens = () =>
    read(
      dbPath,
      `SELECT u.output_tokens, s.total_tokens, r.output_tokens FROM api_usage u JOIN sessions s ON s.id = u.session_id
       JOIN rollups r ON r.model = u.model`,
    )
  store.ingest.append(toldUsage('kept', 1))
  expect(tokens()).toEqual([[1, 1, 1]])
  store.ingest.append(toldUsage('gone', 2))
  expect(tokens()).toEqual([[45, 45, 45]])
  expect(store.removal.deleteSession('gone')).toEqual({ events: 0, sightings: 1 })
  expect(tokens()).toEqual([[1, 1, 1]])
})

test('a session that only a preview shows is deleted for good; an unknown one is an error', () => {
  const { store, folder, dbPath } = openTestStore({ now })
  preview(store, 'gone-for-good')
  expect(() => store.removal.deleteSession('nobody')).toThrow('there is no session nobody')
  expect(read(dbPath, 'SELECT * FROM tombstones')).toEqual([])
  expect(store.removal.deleteSession('gone-for-good')).toEqual({ events: 0, sightings: 0 })
  expect(() => store.removal.deleteSession('gone-for')).toThrow(/^session gone-for-good was deleted at 20/)
  expect(previewed(dbPath)).toEqual([])
  store.close()
  const { store: again } = openTestStore({ now: () => now() + 9000, dataDir: folder })
  preview(again, 'gone-for-good')
  expect(previewed(dbPath)).toEqual([])
  // It may be deleted twice, and its first deletion counts.
  expect(again.removal.deleteSession('gone-for-good')).toEqual({ events: 0, sightings: 0 })
  expect(read(dbPath, 'SELECT session_id, deleted_at FROM tombstones')).toEqual([['gone-for-good', NOW]])
})

test('tombstones of another database delete what is here, and keep out the rest', () => {
  const { store, dbPath } = openTestStore({ now })
  store.ingest.append(drafts([promptFact('a', 'p-a', 'hello', 0), promptFact('b', 'p-b', 'hello', 0)]))
  const [at, before] = ['2026-10-01T00:00:00.000Z', '2026-09-01T00:00:00.000Z']
  const taken = store.removal.applyTombstones([
    { session_id: 'a', deleted_at: at },
    { session_id: 'never', deleted_at: before },
  ])
  expect(taken).toBe(1)
  expect(read(dbPath, 'SELECT session_id, deleted_at FROM tombstones ORDER BY 1')).toEqual([
    ['a', at],
    ['never', before],
  ])
  expect(read(dbPath, 'SELECT DISTINCT session_id FROM events')).toEqual([['b']])
  expect(store.ingest.append(drafts([promptFact('never', 'p-n', 'hi', 0)]))).toMatchObject({ added: [], deleted: 3 })
})

test('the wait of a pending deletion ends with the session', () => {
  const { store, dbPath } = openTestStore({ now })
  store.ingest.append(drafts([...sessionFacts('gone', 30, seeded(4)), ...sessionFacts('kept', 30, seeded(5))]))
  store.pendingDeletions.request('d', ['gone', 'kept'], timeAt(700_000))
  store.removal.deleteSession('gone')
  expect(store.pendingDeletions.list().map(({ ids }) => ids)).toEqual([['kept']])
  expect(read(dbPath, 'SELECT DISTINCT session_id FROM events')).toEqual([['kept']])
})

test('a session that is read again loses its events and keeps what people made; one recorded live is left alone', () => {
  const { store, dbPath } = openTestStore({ now })
  const lines = (session: string) =>
    drafts([promptFact(session, `p-${session}`, 'hello', 0)]).filter(({ source }) => source === 'transcript')
  const checkpoint = (path: string) => ({ path, identity: path, offset: 5, size: 5, mtime_ms: 5 })
  store.ingest.append([...lines('read'), ...drafts([promptFact('live', 'p-live', 'hello', 0)])], undefined, {
    checkpoints: [checkpoint('/read'), checkpoint('/live')] as never,
  })
  for (const session of ['read', 'live']) store.people.run('sessions.label', { session_id: session, title: 'mine' })
  store.removal.forgetImported([
    { session_id: 'read', paths: ['/read'] },
    { session_id: 'live', paths: ['/live'] },
  ])
  expect(read(dbPath, 'SELECT DISTINCT session_id FROM events')).toEqual([['live']])
  expect(read(dbPath, 'SELECT path FROM transcript_files')).toEqual([['/live']])
  expect(read(dbPath, 'SELECT session_id FROM session_labels ORDER BY 1')).toEqual([['live'], ['read']])
  // It is not deleted for good.
  expect(store.ingest.append(lines('read')).added).toHaveLength(1)
})
