import { MessageChannel } from 'node:worker_threads'
import type Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { ImportLane } from '../../../src/main/recorder/thread/write/import-lane.ts'
import type { ImportBatch, ToImporter } from '../../../src/main/recorder/protocol.ts'
import { openReader } from '../../../src/main/store/database/connection.ts'
import { createPricing } from '../../../src/main/store/pricing/pricing.ts'
import { createBudget } from '../../../src/main/store/read/budget.ts'
import { listEvents } from '../../../src/main/store/read/events.ts'
import { exportPage } from '../../../src/main/store/read/export.ts'
import { rowsSince } from '../../../src/main/store/read/live.ts'
import { matchingEvents } from '../../../src/main/store/read/outbox.ts'
import { createReader } from '../../../src/main/store/read/reader.ts'
import { listSessions } from '../../../src/main/store/read/sessions.ts'
import { turnUsage } from '../../../src/main/store/read/session-usage.ts'
import { listTools } from '../../../src/main/store/read/tools.ts'
import { rebuildProjections } from '../../../src/main/store/rebuild/rebuild.ts'
import type { Store } from '../../../src/main/store/store.ts'
import { contentsOfProjections, withWriter } from '../../support/store/projection-rows.ts'
import { HASH_KEY, openTestStore } from '../../support/store/folder.ts'
import { seeded, sessionFacts } from '../../support/store/history.ts'
import { until } from '../../support/runner/until.ts'

/** Early enough that no session has ended by its silence. */
const now = () => Date.parse('2026-11-20T10:10:00.000Z')
const reports = (session: string, turns: number, startMs = 0) =>
  sessionFacts(session, turns, seeded(turns), startMs).flatMap((fact) => fact.reports)

/** Opens a store with a session large enough to be deleted in slices, between two others. */
function filled() {
  const opened = openTestStore({ now })
  opened.store.ingest.append(reports('before', 5))
  opened.store.ingest.append(reports('gone', 130, 60_000))
  opened.store.ingest.append(reports('after', 8, 90_000_000))
  return opened
}

const left = (db: Pick<Database.Database, 'prepare'>) =>
  Number(db.prepare("SELECT count(*) FROM events WHERE session_id = 'gone'").pluck().get())

/** Deletes part of it, so that some events remain. */
function beginDeletion(store: Store, db: Pick<Database.Database, 'prepare'>): void {
  const before = left(db)
  for (const _ of store.removal.deleteInSteps('gone')) if (left(db) < before) break
  expect(left(db)).toBeGreaterThan(500)
  expect(store.removal.unfinishedDeletions()).toEqual(['gone'])
}

test('pages of other sessions stay complete while a large session between them is being deleted', () => {
  const { store, dbPath } = filled()
  const db = openReader(dbPath)
  const budget = createBudget(new Int32Array(1))
  const reader = createReader(db, budget)
  const all = <T>(page: (cursor?: string) => { items: T[]; next: string | null }): T[] => {
    const items: T[] = []
    for (let cursor: string | null | undefined; cursor !== null;) {
      budget.begin(1, 600_000)
      const { items: more, next }: { items: T[]; next: string | null } = page(cursor)
      items.push(...more)
      cursor = next
    }
    return items
  }
  const at = (cursor?: string) => (cursor === undefined ? { limit: 20 } : { limit: 20, cursor })
  expect(store.removal.deleteInSteps('gone').next().done).toBe(false)
  expect(turnUsage(reader, 'gone')).toEqual([])
  const listed = all((cursor) => listSessions(reader, { ...at(cursor), limit: 1 }))
  expect(listed.map(({ id }) => id)).toEqual(['after', 'before'])

  beginDeletion(store, db)
  // There are more hidden sessions in between than fit on a page.
  const calls = all((cursor) => listTools(reader, at(cursor))).map(({ session_id }) => session_id)
  expect([calls.includes('before'), calls.includes('after'), calls.includes('gone')]).toEqual([true, true, false])
  const own = db.prepare<[], string>("SELECT uuid FROM events WHERE session_id <> 'gone' ORDER BY id").pluck().all()
  expect(all((cursor) => exportPage(reader, at(cursor))).map(({ event }) => event.uuid)).toEqual(own)
  expect(all((cursor) => listEvents(reader, at(cursor))).map(({ uuid }) => uuid)).toEqual(own)
  const kind = 'user_prompt'
  expect(all((cursor) => listEvents(reader, { ...at(cursor), kind })).map(({ session_id }) => session_id)).toEqual([
    ...Array.from({ length: 5 }, () => 'before'),
    ...Array.from({ length: 8 }, () => 'after'),
  ])
  const wanted = { after: 0, since: '', kinds: [], projects: null }
  expect([...matchingEvents(reader, wanted, own.length)].map(({ uuid }) => uuid)).toEqual(own)
  expect(rowsSince(reader, { after: 0, limit: own.length })).toMatchObject({ rows: { length: own.length }, more: 0 })
  db.close()
})

const isAsRebuilt = (dbPath: string) =>
  withWriter(dbPath, (db) => {
    expect(left(db)).toBe(0)
    const before = contentsOfProjections(db)
    rebuildProjections(db, { pricing: createPricing(), hashKey: HASH_KEY })
    expect(before).toEqual(contentsOfProjections(db))
  })

function lastOf<Result>(steps: Generator<void, Result, void>): Result {
  let step = steps.next()
  while (step.done !== true) step = steps.next()
  return step.value
}

test.each([
  { name: 'all', only: undefined },
  { name: 'one', only: ['rollups'] },
])('sums stay correct after a rebuild of $name during a deletion', ({ only }) => {
  const { store, dbPath } = filled()
  const db = openReader(dbPath)
  const before = left(db)
  const steps = store.removal.deleteInSteps('gone')
  while (left(db) === before) expect(steps.next().done).toBe(false)
  for (const _ of store.maintenance.rebuild(only));
  // Resumed, or started again after a restart.
  const deleted = only === undefined ? store.removal.deleteSession('gone') : lastOf(steps)
  expect(deleted.events).toBe(before)
  expect(store.removal.unfinishedDeletions()).toEqual([])
  db.close()
  store.close()
  isAsRebuilt(dbPath)
})

test('an import of a fork waits while its origin is being deleted, and loses no shared data', async () => {
  const shared = reports('gone', 130, 60_000)
    .slice(0, 100)
    .map((draft) => ({ ...draft, session_id: 'fork' }))
  const alone = openTestStore({ now }).store.ingest.append(shared).added.length
  const { store, dbPath } = filled()
  const db = openReader(dbPath)
  beginDeletion(store, db)

  const { port1, port2 } = new MessageChannel()
  let looks = 0
  const answers: ToImporter[] = []
  port1.on('message', (answer: ToImporter) => answers.push(answer))
  const lane = new ImportLane({
    liveFirst() {
      looks += 1
      return false
    },
    isBehind: () => store.ingest.isBehind(),
    isLeftOpen: () => store.ingest.isLeftOpen(),
    settleInSteps: () => store.ingest.settleInSteps(),
    write: (drafts, { checkpoints }) => {
      const { added, joined, deleted, dropped } = store.ingest.append(drafts, undefined, { checkpoints })
      return { added: added.length, joined, deleted, dropped }
    },
    onRedacted: () => undefined,
    onUnknownFields: () => undefined,
    onPrepared: () => undefined,
    forget: () => undefined,
    preview: () => true,
  })
  lane.connect(port2)
  port1.postMessage({ type: 'import', batch: 1, drafts: shared } satisfies ImportBatch)
  await until('the lane has looked more than once', async () => looks > 2)
  expect(answers).toEqual([])
  // Live traffic does not wait.
  expect(store.ingest.append(reports('live', 2, 95_000_000)).added.length).toBeGreaterThan(5)
  store.removal.deleteSession('gone')
  await until('the import is answered', async () => answers.length > 0)
  expect(answers).toMatchObject([{ type: 'committed', batch: 1, added: alone }])
  lane.stop()
  port1.close()
  db.close()
  store.close()
  isAsRebuilt(dbPath)
})
