import { expect, test } from 'vitest'
import { openReader } from '../../../src/main/store/database/connection.ts'
import { searchArchives } from '../../../src/main/store/read/archives.ts'
import { openTestStore } from '../../support/store/folder.ts'
import { seeded, sessionFacts, timeAt } from '../../support/store/history.ts'
import { reading } from '../../support/store/reading.ts'

const DAY = 86_400_000
const now = () => Date.parse(timeAt(100 * DAY))
const RULES = { retention_days: 30, archive_days: 0, delete_days: 0 }
/** Bounds the rows that a slice of a deletion removes: 400, and what its last events take along. */
const SLICE_ROWS = 450

test('what archives hold of a large session is forgotten with its slices; nobody finds it from the first one on', () => {
  const { store, dbPath } = openTestStore({ now })
  store.ingest.append(sessionFacts('gone', 220, seeded(4)).flatMap(({ reports }) => reports))
  store.ingest.append(sessionFacts('stays', 20, seeded(5), 60_000).flatMap(({ reports }) => reports))
  for (const _ of store.maintenance.archive(RULES));
  const db = openReader(dbPath)
  const count = db.prepare<[], number>('SELECT count(*) FROM archived_events').pluck()
  const due = db.prepare<[], number>('SELECT count(*) FROM archives WHERE rewrite_due = 1').pluck()
  const found = () =>
    reading(dbPath, (reader) => {
      reader.budget.begin(1, 60_000)
      return new Set(searchArchives(reader, { words: ['bash'], limit: 10_000 }).items.map((hit) => hit.session_id))
    })
  const before = count.get() ?? 0
  expect([before > SLICE_ROWS + 100, due.get(), found()]).toEqual([true, 0, new Set(['gone', 'stays'])])
  const steps = store.removal.deleteInSteps('gone')
  const left = [before]
  for (let isOver = false; !isOver; left.push(count.get() ?? 0)) {
    isOver = steps.next().done === true
    expect(found()).toEqual(new Set(['stays']))
  }
  const removed = left.slice(1).map((rows, at) => (left[at] ?? 0) - rows)
  expect(Math.max(...removed)).toBeGreaterThan(0)
  expect(Math.max(...removed)).toBeLessThanOrEqual(SLICE_ROWS)
  expect(due.get()).toBeGreaterThan(0)
  const ofOthers = "SELECT count(*) FROM archived_events a JOIN events e ON e.id = a.id WHERE e.session_id = 'stays'"
  expect(left.at(-1)).toBe(db.prepare(ofOthers).pluck().get())
  db.close()
})
