import { expect, test } from 'vitest'
import type { AnyDraft } from '../../../src/main/decode/draft.ts'
import type { Store } from '../../../src/main/store/store.ts'
import { checkTextIndexes, withWriter } from '../../support/store/projection-rows.ts'
import { draftOf } from '../../support/store/seeded-store.ts'
import { contentsOfDatabase, openTestStore, withNamedEnds } from '../../support/store/folder.ts'
import { seeded, sessionFacts } from '../../support/store/history.ts'

const imported: readonly AnyDraft[] = sessionFacts('s1', 12, seeded(1))
  .flatMap(({ reports }) => reports)
  .map((draft, at) => ({ ...draft, uuid: `00000000-0000-7000-8000-${String(at).padStart(12, '0')}` }))
const live = draftOf('user_prompt', { text: 'meanwhile' }, { at: '2026-11-22T10:00:00.000Z', session_id: 'live' })

/** Imports in one transaction over two slices, ended by `settle`; returns the content of the database. */
function storedBy(settle: (store: Store) => void) {
  const { store, dbPath } = openTestStore({ now: () => Date.UTC(2026, 10, 22) })
  const half = Math.floor(imported.length / 2)
  store.ingest.append(imported.slice(0, half), undefined, { staysOpen: true })
  store.ingest.append(imported.slice(half), undefined, { staysOpen: true })
  settle(store)
  store.close()
  withWriter(dbPath, checkTextIndexes)
  return withNamedEnds(contentsOfDatabase(dbPath))
}

test('a transaction committed in steps stores the same data as one committed at once', () => {
  let steps = 0
  const inSteps = storedBy((store) => {
    for (const _ of store.ingest.settleInSteps()) steps += 1
  })
  expect(steps).toBeGreaterThan(2)
  expect(inSteps).toEqual(storedBy((store) => store.ingest.settle()))
})

test.each([1, 2, 4])('a write after step %i commits the rest first, and the remaining steps do nothing', (after) => {
  const isLate: boolean[] = []
  const between = storedBy((store) => {
    let step = 0
    for (const _ of store.ingest.settleInSteps()) {
      step += 1
      if (step === after) store.ingest.append([live])
      isLate.push(step > after)
    }
  })
  expect(isLate).not.toContain(true)
  const behind = storedBy((store) => {
    store.ingest.settle()
    store.ingest.append([live])
  })
  const withoutUuids = (stored: object): unknown =>
    JSON.parse(JSON.stringify(stored).replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, ''))
  expect(withoutUuids(between)).toEqual(withoutUuids(behind))
})
