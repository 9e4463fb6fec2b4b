import { expect, onTestFinished, test } from 'vitest'
import type { AnyDraft } from '../../../src/main/decode/draft.ts'
import { openReader } from '../../../src/main/store/database/connection.ts'
import { createBudget } from '../../../src/main/store/read/budget.ts'
import { chainOf, MAX_STEPS } from '../../../src/main/store/read/lineage.ts'
import { createReader } from '../../../src/main/store/read/reader.ts'
import { openTestStore } from '../../support/store/folder.ts'
import { seeded, sessionFacts, commonFields } from '../../support/store/history.ts'

/** A note whose parent is the previous note. */
const note = (session: string, at: number): AnyDraft => ({
  ...commonFields('hook', session, at * 1000),
  kind: 'notification',
  payload: { text: `step ${at}` },
  keys: [`step:${at}`],
  parents: at === 0 ? [] : [`step:${at - 1}`],
})

function readerOf(dbPath: string) {
  const db = openReader(dbPath)
  onTestFinished(() => void db.close())
  const budget = createBudget(new Int32Array(1))
  budget.begin(1, 600_000)
  return createReader(db, budget)
}

test('a walk within the limit is complete, root first; a longer one has the nearest steps and the root', () => {
  const { store, dbPath } = openTestStore()
  const count = MAX_STEPS + 200
  const { added } = store.ingest.append(Array.from({ length: count }, (_, at) => note('long', at)))
  const uuids = added.map(({ event }) => event.uuid)
  const reader = readerOf(dbPath)
  const walk = (at: number, steps?: number) => {
    const { rows, ...ends } = chainOf(reader, uuids[at] ?? '', steps)
    expect(ends).toMatchObject({ cycle: false, gap: false })
    return { steps: rows.map(({ uuid, depth }) => [uuids.indexOf(uuid), depth]), truncated: ends.truncated }
  }
  const steps = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => [from + at, from + at])
  for (const at of [0, 1, 199, 200, 201, 399, 400, 401, MAX_STEPS - 1])
    expect(walk(at)).toEqual({ steps: steps(0, at), truncated: false })
  const last = count - 1
  expect(walk(last)).toEqual({ steps: [[0, 0], ...steps(count - MAX_STEPS, last)], truncated: true })
  expect(walk(last, 3)).toEqual({ steps: [[0, 0], ...steps(last - 2, last)], truncated: true })
})

test('a walk ends and reports a gap at a parent that is deleted or being deleted', () => {
  const { store, dbPath } = openTestStore()
  store.ingest.append(sessionFacts('gone', 130, seeded(3), 60_000).flatMap((fact) => fact.reports))
  const notes = [note('first', 0), note('gone', 1), note('kept', 2), note('kept', 3)]
  const uuids = store.ingest.append(notes).added.map(({ event }) => event.uuid)
  const reader = readerOf(dbPath)
  const walk = () => {
    reader.budget.begin(1, 600_000)
    const { rows, gap } = chainOf(reader, uuids[3] ?? '')
    return { uuids: rows.map(({ uuid }) => uuid), gap }
  }
  expect(walk()).toEqual({ uuids, gap: false })
  const steps = store.removal.deleteInSteps('gone')
  expect(steps.next().done).toBe(false)
  expect(walk()).toEqual({ uuids: uuids.slice(2), gap: true })
  for (const _ of steps) expect(walk()).toEqual({ uuids: uuids.slice(2), gap: true })
  expect(walk()).toEqual({ uuids: uuids.slice(2), gap: true })
})
