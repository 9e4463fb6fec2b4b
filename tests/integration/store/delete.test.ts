import type Database from 'better-sqlite3'
import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { naturalKey, type AnyDraft } from '../../../src/main/decode/draft.ts'
import { openReader } from '../../../src/main/store/database/connection.ts'
import { createBudget } from '../../../src/main/store/read/budget.ts'
import { createReader } from '../../../src/main/store/read/reader.ts'
import { findSession, listSessions } from '../../../src/main/store/read/sessions.ts'
import type { Store } from '../../../src/main/store/store.ts'
import { rebuildProjections } from '../../../src/main/store/rebuild/rebuild.ts'
import { createPricing } from '../../../src/main/store/pricing/pricing.ts'
import { readableSecretsIn, secretsIn } from '../../support/store/byte-scan.ts'
import { HASH_KEY, openTestStore } from '../../support/store/folder.ts'
import { blockFact, promptFact, resultFact, seeded, sessionFacts, commonFields } from '../../support/store/history.ts'
import { contentsOfProjections, withWriter } from '../../support/store/projection-rows.ts'

/** Each starts with a different letter, so that no index stores only its difference from the word before. */
const WORDS = [
  'quokkapromptword7',
  'zebuthinkingword7',
  'jackalanswerword7',
  'vervetcommandword',
  'yapokoutputword77',
  'kakapolongtextword',
]
const [PROMPT] = WORDS
/** Early enough that no session has ended by its silence. */
const now = () => Date.parse('2026-11-20T10:10:00.000Z')
const SHARED = `the file both sessions read ${'x'.repeat(3000)}`

/** A session with unique words, some of its texts long enough for `contents`. */
function sevenDrafts(session: string, words: readonly string[]): AnyDraft[] {
  const [prompt, thought, answer, command, output, long] = words
  return [
    promptFact(session, `p-${session}`, `please ${prompt}`, 0),
    blockFact(session, `m-${session}`, 0, 1000, { thinking: `hm ${thought} ${long} `.repeat(80) }, []),
    blockFact(session, `m-${session}`, 1, 1100, { call: `c-${session}`, input: { command } }, []),
    resultFact(session, `c-${session}`, `${output} ${SHARED}`, 1500),
    resultFact(session, `c2-${session}`, SHARED, 1600),
    blockFact(session, `m2-${session}`, 0, 2000, { text: `done: ${answer}` }, []),
  ].flatMap((fact) => fact.reports)
}

function finish(store: Store): void {
  const steps = store.maintenance.scrub()
  expect(steps).not.toBeNull()
  for (const pause of steps ?? []) expect(pause).toBeGreaterThanOrEqual(0)
  expect(store.maintenance.scrub()).toBeNull()
}

const count = (db: Database.Database, sql: string, ...parameters: unknown[]): number =>
  Number(
    db
      .prepare(sql)
      .pluck()
      .get(...parameters),
  )

test('nothing that can be read keeps the text of a deleted session, and other sessions keep shared data', () => {
  const { store, folder, dbPath } = openTestStore({ now })
  for (let at = 0; at < 6; at += 1)
    store.ingest.append(sessionFacts(`other-${at}`, 20, seeded(at)).flatMap((f) => f.reports))
  store.ingest.append(sevenDrafts('gone', WORDS))
  store.ingest.append(sevenDrafts('kept', ['aa', 'bb', 'cc', 'dd', 'ee', 'ff']))
  for (let at = 6; at < 9; at += 1)
    store.ingest.append(sessionFacts(`other-${at}`, 20, seeded(at)).flatMap((f) => f.reports))
  store.maintenance.checkpoint()
  writeFileSync(`${dbPath}.before-2`, `an older copy with ${PROMPT}`)
  expect(new Set(secretsIn(folder, WORDS).map((found) => found.split(': ')[1]))).toEqual(new Set(WORDS))

  const removed = store.removal.deleteSession('gone')
  expect(removed.events).toBeGreaterThan(5)
  finish(store)
  expect(readableSecretsIn(folder, WORDS)).toEqual([])
  for (const pause of store.maintenance.rewrite()) expect(pause).toBeGreaterThanOrEqual(0)
  expect(secretsIn(folder, WORDS)).toEqual([])
  store.close()
  expect(secretsIn(folder, WORDS)).toEqual([])

  withWriter(dbPath, (db) => {
    expect(count(db, "SELECT count(*) FROM events WHERE session_id = 'gone'")).toBe(0)
    expect(count(db, "SELECT count(*) FROM events WHERE session_id = 'kept'")).toBeGreaterThan(5)
    const output = db.prepare("SELECT output_json FROM tool_results WHERE call_id = 'c2-kept'").pluck().get()
    expect(output).toContain('the file both sessions read')
    const before = contentsOfProjections(db)
    rebuildProjections(db, { pricing: createPricing(), hashKey: HASH_KEY })
    expect(before).toEqual(contentsOfProjections(db))
  })
})

test('no source brings a deleted session back, and no id is assigned twice', () => {
  const { store, folder } = openTestStore({ now })
  store.ingest.append(sevenDrafts('kept', ['aa', 'bb', 'cc', 'dd', 'ee', 'ff']))
  const before = store.ingest.append(sevenDrafts('gone', WORDS)).added.at(-1)?.event.id ?? 0
  store.removal.deleteSession('gone')
  const again = store.ingest.append(sevenDrafts('gone', WORDS))
  expect(again).toMatchObject({ added: [], joined: 0, dropped: 0, deleted: sevenDrafts('gone', WORDS).length })
  store.close()
  const { store: reopened } = openTestStore({ now, dataDir: folder })
  // A run that ended before it cleaned every byte is completed by the next one.
  finish(reopened)
  expect(reopened.ingest.append(sevenDrafts('gone', WORDS)).added).toEqual([])
  const [next] = reopened.ingest.append(promptFact('kept', 'later', 'something else', 9000).reports).added
  expect(next?.event.id).toBeGreaterThan(before)
  expect(readableSecretsIn(folder, WORDS)).toEqual([])
})

/** Long enough to be deleted in slices. */
const longSession = () => [
  ...sevenDrafts('gone', WORDS),
  ...sessionFacts('gone', 130, seeded(3), 60_000).flatMap((fact) => fact.reports),
]

test('a large session is deleted in slices: hidden from the first one, alongside traffic, resumed if interrupted', () => {
  const { store, folder, dbPath } = openTestStore({ now })
  store.ingest.append(sessionFacts('before', 20, seeded(1)).flatMap((fact) => fact.reports))
  store.ingest.append(longSession())
  const db = openReader(dbPath)
  const events = count(db, "SELECT count(*) FROM events WHERE session_id = 'gone'")
  expect(events).toBeGreaterThan(1100)
  const budget = createBudget(new Int32Array(1))
  const reader = createReader(db, budget)
  const shown = () => {
    budget.begin(1, 60_000)
    const all = reader.all<{ session_id: string }>('SELECT session_id FROM events').map(({ session_id }) => session_id)
    return {
      sessions: new Set(all),
      session: findSession(reader, 'gone')?.id,
      sessions_listed: listSessions(reader, { limit: 10 }).items.length,
    }
  }
  expect(shown().sessions).toContain('gone')

  const steps = store.removal.deleteInSteps('gone')
  let slices = 0
  let left = events
  // Until some events are deleted and some are not.
  while (left === events) {
    expect(steps.next().done).toBe(false)
    slices += 1
    expect(shown()).toEqual({
      sessions: new Set(['before', 'beside'].slice(0, slices)),
      session: undefined,
      sessions_listed: Math.min(2, slices),
    })
    if (slices === 1)
      store.ingest.append(sessionFacts('beside', 5, seeded(9), 90_000_000).flatMap((fact) => fact.reports))
    left = count(db, "SELECT count(*) FROM events WHERE session_id = 'gone'")
  }
  expect(slices).toBeGreaterThan(1)
  expect(left).toBeGreaterThan(0)
  expect(store.ingest.append(sevenDrafts('gone', WORDS))).toMatchObject({ added: [], joined: 0 })
  db.close()
  store.close()

  const { store: reopened } = openTestStore({ now, dataDir: folder })
  expect(reopened.removal.unfinishedDeletions()).toEqual(['gone'])
  expect(reopened.removal.deleteSession('gone').events).toBe(events)
  expect(reopened.removal.unfinishedDeletions()).toEqual([])
  finish(reopened)
  expect(readableSecretsIn(folder, WORDS)).toEqual([])
  reopened.close()
  withWriter(dbPath, (written) => {
    expect(count(written, "SELECT count(*) FROM events WHERE session_id = 'gone'")).toBe(0)
    const before = contentsOfProjections(written)
    rebuildProjections(written, { pricing: createPricing(), hashKey: HASH_KEY })
    expect(before).toEqual(contentsOfProjections(written))
  })
})

test('events that become children of a large session during its deletion are projected again', () => {
  const { store, dbPath } = openTestStore({ now })
  const facts = longSession()
  store.ingest.append(facts)
  const steps = store.removal.deleteInSteps('gone')
  expect(steps.next().done).toBe(false)
  const [first] = facts
  const note = { ...commonFields('hook', 'late', 99_000), kind: 'notification', payload: { text: 'goes on' } } as const
  expect(store.ingest.append([{ ...note, keys: ['note:1'], parents: [first?.keys[0] ?? ''] }]).added).toHaveLength(1)
  for (const _ of steps);
  store.close()
  withWriter(dbPath, (db) => {
    expect(count(db, 'SELECT count(*) FROM events')).toBe(1)
    const before = contentsOfProjections(db)
    rebuildProjections(db, { pricing: createPricing(), hashKey: HASH_KEY })
    expect(before).toEqual(contentsOfProjections(db))
  })
})

test('dependents of a deleted session are projected again: forks, their sightings, late parents', () => {
  const { store, dbPath } = openTestStore({ now })
  const facts = sessionFacts('origin', 40, seeded(5)).flatMap((fact) => fact.reports)
  const copied = facts.filter((draft) => draft.source === 'transcript')
  store.ingest.append(facts)
  // A fork reads the same lines under its own name, continues from them, and adds to them.
  store.ingest.append(copied.map((draft) => ({ ...draft, session_id: 'fork' })))
  store.ingest.append(sessionFacts('fork', 15, seeded(6), 7_200_000).flatMap((fact) => fact.reports))
  const lastKey = copied.at(-1)?.keys[0] ?? ''
  const note = { ...commonFields('hook', 'fork', 99_000), kind: 'notification', payload: { text: 'goes on' } } as const
  store.ingest.append([{ ...note, keys: ['note:1'], parents: [lastKey] }])
  store.ingest.append([{ ...note, session_id: 'below', keys: ['note:2'], parents: ['note:1'] }])
  store.ingest.append([
    { ...resultFact('fork', 'c-late', 'ran', 100_000).reports[0], parents: [naturalKey.call('c-late')] } as AnyDraft,
  ])

  store.removal.deleteSession('fork')
  store.close()
  withWriter(dbPath, (db) => {
    expect(count(db, "SELECT count(*) FROM sightings WHERE session_id = 'fork'")).toBe(0)
    const before = contentsOfProjections(db)
    rebuildProjections(db, { pricing: createPricing(), hashKey: HASH_KEY })
    expect(before).toEqual(contentsOfProjections(db))
  })

  const { store: second, dbPath: secondPath } = openTestStore({ now })
  second.ingest.append(facts)
  second.ingest.append(copied.map((draft) => ({ ...draft, session_id: 'fork' })))
  second.ingest.append([{ ...note, keys: ['note:1'], parents: [lastKey] }])
  second.ingest.append([{ ...note, session_id: 'below', keys: ['note:2'], parents: ['note:1'] }])
  second.removal.deleteSession('origin')
  second.close()
  withWriter(secondPath, (db) => {
    expect(count(db, 'SELECT count(*) FROM events')).toBe(2)
    expect(count(db, 'SELECT count(*) FROM contents')).toBe(0)
    const before = contentsOfProjections(db)
    rebuildProjections(db, { pricing: createPricing(), hashKey: HASH_KEY })
    expect(before).toEqual(contentsOfProjections(db))
  })
})
