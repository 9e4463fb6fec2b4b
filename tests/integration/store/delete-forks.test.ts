import type Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import type { AnyDraft } from '../../../src/main/decode/draft.ts'
import { openReader } from '../../../src/main/store/database/connection.ts'
import { createKeyedHash } from '../../../src/main/base/keyed-hash.ts'
import { deleteSessionRows } from '../../../src/main/store/delete/delete-session.ts'
import { createPricing } from '../../../src/main/store/pricing/pricing.ts'
import { rebuildProjections } from '../../../src/main/store/rebuild/rebuild.ts'
import type { Store } from '../../../src/main/store/store.ts'
import { readableSecretsIn } from '../../support/store/byte-scan.ts'
import { contentsOfProjections, withWriter } from '../../support/store/projection-rows.ts'
import { copyOfStore, HASH_KEY, openTestStore } from '../../support/store/folder.ts'
import { blockFact, promptFact, resultFact, seeded, sessionFacts, commonFields } from '../../support/store/history.ts'
import { few } from '../../support/runner/heavy.ts'

/** Early enough that no session has ended by its silence. */
const now = () => Date.parse('2026-11-20T10:10:00.000Z')
const SECRET = 'quokkawordofthesessionthatgoes'
const DAY = 86_400_000

const reports = (session: string, turns: number, startMs = 0): AnyDraft[] =>
  sessionFacts(session, turns, seeded(turns), startMs).flatMap((fact) => fact.reports)
/** Long enough to be deleted in slices; no other session depends on its end. */
const longHistory = (session: string): AnyDraft[] => [
  ...reports(session, 110, 60_000),
  ...promptFact(session, `p-${session}`, `please ${SECRET} ${'and more '.repeat(200)}${SECRET}`, 80_000_000).reports,
]
const fromTranscript = (drafts: readonly AnyDraft[]) => drafts.filter(({ source }) => source === 'transcript')
/** Returns another session's copy of a history, as its own file reports it. */
const copied = (drafts: readonly AnyDraft[], session: string) =>
  drafts.map((draft) => ({ ...draft, session_id: session }))
const keyOf = (drafts: readonly AnyDraft[], at: number) => drafts.at(at)?.keys[0] ?? ''

function note(session: string, key: string, parents: readonly string[], atMs = 99_000): AnyDraft {
  return {
    ...commonFields('hook', session, atMs),
    kind: 'notification',
    payload: { text: `goes on ${key}` },
    keys: [key],
    parents,
  }
}

/** A result that does not name its tool. */
function unnamedResult(session: string, call: string): AnyDraft[] {
  const facts = resultFact(session, call, 'ran', 100_000).reports
  return facts.map((draft) => ({ ...draft, payload: { ...draft.payload, tool_name: null } }) as AnyDraft)
}

/** Forks a history at some point: the fork's file holds the earlier part, and the wire its continuation. */
function fork(store: Store, session: string, history: readonly AnyDraft[], until: number): readonly AnyDraft[] {
  const shared = fromTranscript(history).slice(0, until)
  const own = [note(session, `note:${session}`, [keyOf(shared, -1)]), ...reports(session, 6, DAY)]
  store.ingest.append(copied(shared, session))
  store.ingest.append(own)
  return [...shared, ...own]
}

const SHAPES: Readonly<Record<string, (store: Store) => void>> = {
  'a fork in the middle'(store) {
    const origin = longHistory('gone')
    store.ingest.append(origin)
    fork(store, 'fork', origin, 200)
  },
  'two forks, one of which continues with a call'(store) {
    const origin = longHistory('gone')
    store.ingest.append(origin)
    store.ingest.append(
      blockFact('gone', 'm-open', 0, 90_000_000, { call: 'c-open', input: { command: 'make' } }, []).reports,
    )
    fork(store, 'fork', origin, 100)
    fork(store, 'other', origin, 400)
    store.ingest.append(unnamedResult('other', 'c-open'))
    store.ingest.append(unnamedResult('gone', 'c-open-2'))
  },
  'a fork of a fork, with the middle one deleted'(store) {
    const origin = reports('first', 20)
    store.ingest.append(origin)
    const shared = fork(store, 'gone', origin, 120)
    store.ingest.append(longHistory('gone'))
    fork(store, 'fork', [...shared, ...longHistory('gone')], 300)
    store.ingest.append([note('gone', 'note:back', ['note:fork']), note('first', 'note:on', ['note:back'])])
  },
  'late parents, some in a cycle'(store) {
    store.ingest.append([note('fork', 'k:child', ['k:late']), note('fork', 'k:below', ['k:child'])])
    store.ingest.append([note('fork', 'k:c', ['k:d']), note('gone', 'k:a', ['k:b'])])
    store.ingest.append(longHistory('gone'))
    store.ingest.append([
      note('fork', 'k:b', ['k:a']),
      note('gone', 'k:d', ['k:c']),
      note('gone', 'k:late', ['k:first']),
    ])
    store.ingest.append([note('first', 'k:first', [])])
  },
  'a small session that adds to a large one'(store) {
    const origin = longHistory('origin')
    store.ingest.append(fromTranscript(origin))
    store.ingest.append(reports('gone', 3, DAY))
    store.ingest.append(copied(origin, 'gone'))
    store.ingest.append(resultFact('gone', 'call-origin-1-0', `told otherwise ${SECRET.repeat(100)}`, 100_000).reports)
    store.ingest.append([note('gone', 'note:gone', [keyOf(origin, -1)]), note('origin', 'note:origin', ['note:gone'])])
  },
}

const TABLES = ['events', 'event_keys', 'sightings', 'sighting_rows', 'parent_keys', 'contents', 'metadata', 'turns']

function withReader<T>(dbPath: string, work: (db: Database.Database) => T): T {
  const db = openReader(dbPath)
  try {
    return work(db)
  } finally {
    db.close()
  }
}

/** Returns all rows of the log and its projections. */
function rowsOf(db: Database.Database): Record<string, unknown[]> {
  const log = TABLES.map((table) => [table, db.prepare(`SELECT * FROM ${table} ORDER BY 1, 2`).all()] as const)
  return { ...Object.fromEntries(log), ...contentsOfProjections(db) }
}

function asRebuilt(db: Parameters<typeof rebuildProjections>[0]): void {
  const before = contentsOfProjections(db)
  rebuildProjections(db, { pricing: createPricing(), hashKey: HASH_KEY })
  expect(before).toEqual(contentsOfProjections(db))
}

test.each(few(Object.entries(SHAPES), 2))(
  '%s: an interrupted and resumed deletion in slices leaves the same rows as a single one',
  (_, retell) => {
    const { store, folder, dbPath } = openTestStore({ now })
    retell(store)
    store.close()
    const atOnce = withWriter(copyOfStore(dbPath).dbPath, (db) => {
      const parts = { db, pricing: createPricing(), hash: createKeyedHash(HASH_KEY) }
      const removed = db.transaction(() => deleteSessionRows(parts, 'gone')).immediate()
      return { removed, rows: rowsOf(db) }
    })

    let slices = 0
    const left = () => withWriter(dbPath, (db) => db.prepare('SELECT count(*) FROM sighting_rows').pluck().get())
    const seen = new Set([left()])
    let removed: unknown = null
    for (let starts = 0; removed === null; starts += 1) {
      const { store: reopened } = openTestStore({ now, dataDir: folder })
      expect(reopened.removal.unfinishedDeletions()).toEqual(starts === 0 ? [] : ['gone'])
      const steps = reopened.removal.deleteInSteps('gone')
      // The more restarts, the more steps.
      for (let at = 0; at <= 3 * starts && removed === null; at += 1) {
        const { done, value } = steps.next()
        if (done) removed = value
        else slices += 1
      }
      reopened.close()
      seen.add(left())
    }
    expect(slices).toBeGreaterThan(3)
    expect(seen.size).toBeGreaterThan(2)
    expect(removed).toEqual(atOnce.removed)
    withWriter(dbPath, (db) => {
      const { rows } = atOnce
      expect(rowsOf(db)).toEqual(rows)
      asRebuilt(db)
    })
  },
)

/** Returns the history that the first request of a session shows. */
const shown = (drafts: readonly AnyDraft[], session: string) =>
  copied(
    drafts.filter(({ source }) => source === 'wire'),
    session,
  )

/** A prompt and an answer from a request's history: only their text identifies them. */
function shownByWords(drafts: readonly AnyDraft[], session: string): AnyDraft[] {
  const prompt = drafts.find(({ kind }) => kind === 'user_prompt')
  const answer = drafts.find(({ kind }) => kind === 'assistant_text')
  return [prompt, answer].flatMap((draft) => {
    if (draft?.kind !== 'user_prompt' && draft?.kind !== 'assistant_text') return []
    const { text } = draft.payload
    const payload = { ...draft.payload, seen_in_history: true }
    const identity = { keys: [], parents: [], text_identity: { text, within_ms: null } }
    return [{ ...draft, ...identity, source: 'wire', session_id: session, payload } as AnyDraft]
  })
}

test('events of a fork during the deletion of its origin belong to the fork, as they would afterwards', () => {
  const origin = longHistory('gone')
  const retell = [shown(origin.slice(0, 120), 'late'), shown(origin.slice(0, 300), 'late')] as const
  const files = copied(fromTranscript(origin.slice(0, 300)), 'late')
  const { store: alone } = openTestStore({ now })
  alone.ingest.append(origin)
  expect(alone.ingest.append(shownByWords(origin, 'words'))).toMatchObject({ added: [], joined: 2 })
  alone.removal.deleteSession('gone')
  const expected = [...retell, files].map((drafts) => alone.ingest.append(drafts).added.map(({ event }) => event.kind))

  const { store, folder, dbPath } = openTestStore({ now })
  store.ingest.append(origin)
  fork(store, 'fork', origin, 200)
  const left = () =>
    withReader(dbPath, (db) => db.prepare("SELECT count(*) FROM events WHERE session_id = 'gone'").pluck().get())
  const events = left()
  const steps = store.removal.deleteInSteps('gone')
  // Until some events are deleted and some are not.
  while (left() === events) expect(steps.next().done).toBe(false)
  const standing = left()
  expect(store.ingest.append(shownByWords(origin, 'words'))).toMatchObject({ added: { length: 2 }, joined: 0 })
  expect(left()).toBe(standing)
  const first = store.ingest.append(retell[0])
  store.close()
  // One restart later, before the deletion resumes.
  const { store: reopened } = openTestStore({ now, dataDir: folder })
  const second = reopened.ingest.append(retell[1])
  expect(left()).toBeGreaterThan(0)
  expect(reopened.removal.deleteSession('gone').events).toBe(events)
  for (const pause of reopened.maintenance.scrub() ?? []) expect(pause).toBeGreaterThanOrEqual(0)
  expect(readableSecretsIn(folder, [SECRET])).toEqual([])

  const third = reopened.ingest.append(files)
  expect([first, second, third].map(({ added }) => added.map(({ event }) => event.kind))).toEqual(expected)
  expect([first.deleted, second.deleted, third.deleted]).toEqual([0, 0, 0])
  expect(reopened.ingest.append(origin)).toMatchObject({ added: [], joined: 0 })
  reopened.close()
  expect(readableSecretsIn(folder, [SECRET])).toEqual([])
  withWriter(dbPath, asRebuilt)
})
