import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import type { AnyDraft } from '../../../src/main/decode/draft.ts'
import { createPricing } from '../../../src/main/store/pricing/pricing.ts'
import { rebuildProjections } from '../../../src/main/store/rebuild/rebuild.ts'
import { checkTextIndexes, contentsOfProjections, withWriter } from '../../support/store/projection-rows.ts'
import { HASH_KEY, openTestStore } from '../../support/store/folder.ts'
import { seeded, sessionFacts, commonFields } from '../../support/store/history.ts'
import { few } from '../../support/runner/heavy.ts'

/** Early enough that no session has ended by its silence. */
const now = () => Date.parse('2026-11-20T10:10:00.000Z')

/** Ends each step of a rebuild after one page of events, however quick the machine is. */
const ONE_PAGE = 0

/** Returns reports of some sessions, far out of order, so that sightings and parents arrive long after their events. */
function disordered(seed: number): AnyDraft[] {
  const random = seeded(seed)
  return ['s1', 's2', 's3']
    .flatMap((session, at) => sessionFacts(session, 50, random, at * 3_600_000).flatMap((fact) => fact.reports))
    .map((draft, at) => ({ draft, at: at + random() * (random() < 0.1 ? 3000 : 12) }))
    .sort((a, b) => a.at - b.at)
    .map(({ draft }) => draft)
}

const tablesOf = (path: string): string[] => {
  const db = new Database(path, { readonly: true })
  try {
    return db.prepare<[], string>("SELECT name FROM sqlite_schema WHERE name LIKE 'rebuild%'").pluck().all()
  } finally {
    db.close()
  }
}

test.each(few([1, 2], 1))('a rebuild in steps includes events recorded in between, row for row (seed %i)', (seed) => {
  const { store, dbPath } = openTestStore({ now })
  const drafts = disordered(seed)
  const random = seeded(seed + 50)
  const half = Math.floor(drafts.length / 2)
  store.ingest.append(drafts.slice(0, half))
  const reader = new Database(dbPath, { readonly: true })
  const prompts = reader.prepare('SELECT count(*) FROM user_prompts').pluck()
  let at = half
  let steps = 0
  let done = 0
  for (const progress of store.maintenance.rebuild(undefined, ONE_PAGE)) {
    steps += 1
    expect(progress.events_done).toBeGreaterThanOrEqual(done)
    done = progress.events_done
    // Readers see complete tables in the meantime.
    expect(prompts.get()).toBeGreaterThan(0)
    const size = Math.floor(random() * 60)
    store.ingest.append(drafts.slice(at, at + size))
    at += size
  }
  expect(steps).toBeGreaterThan(10)
  store.ingest.append(drafts.slice(at))
  reader.close()
  store.close()
  expect(tablesOf(dbPath)).toEqual([])
  withWriter(dbPath, (db) => {
    const followed = contentsOfProjections(db)
    checkTextIndexes(db)
    db.exec("INSERT INTO recall_fts (recall_fts) VALUES ('integrity-check')")
    expect(db.pragma('integrity_check')).toEqual([{ integrity_check: 'ok' }])
    const found = db.prepare("SELECT count(*) FROM recall_fts WHERE recall_fts MATCH 'the'").pluck()
    const hits = found.get()
    rebuildProjections(db, { pricing: createPricing(), hashKey: HASH_KEY })
    expect(followed).toEqual(contentsOfProjections(db))
    expect(found.get()).toBe(hits)
  })
})

test('a rebuild restarts after a rollback, and an interrupted one is cleaned up', () => {
  const { store, folder, dbPath } = openTestStore({ now })
  const drafts = disordered(3)
  store.ingest.append(drafts)
  const bad = {
    ...commonFields('hook', 's1', 0),
    kind: 'notification',
    payload: { text: 'x' },
    keys: [],
    parents: [],
  } as const
  const refuse = () => {
    throw new Error('a step of the pipeline fails')
  }
  const steps = store.maintenance.rebuild(['lineage', 'rollups'], ONE_PAGE)
  const first = [steps.next(), steps.next(), steps.next()]
  expect(first.map(({ done }) => done)).toEqual([false, false, false])
  expect(() => store.ingest.append([bad], refuse)).toThrow('fails')
  const done = [...first.map(({ value }) => value), ...steps].map(({ events_done }) => events_done)
  expect(done.some((count, at) => count < (done[at - 1] ?? 0))).toBe(true)

  const cut = store.maintenance.rebuild(undefined, ONE_PAGE)
  for (let step = 0; step < 3; step += 1) cut.next()
  expect(tablesOf(dbPath)).not.toEqual([])
  store.close()
  const { store: next } = openTestStore({ now, dataDir: folder })
  for (const _ of next.maintenance.scrub() ?? []);
  expect(tablesOf(dbPath)).toEqual([])
  next.close()
  withWriter(dbPath, (db) => {
    const followed = contentsOfProjections(db)
    rebuildProjections(db, { pricing: createPricing(), hashKey: HASH_KEY })
    expect(followed).toEqual(contentsOfProjections(db))
  })
})
