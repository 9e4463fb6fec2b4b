import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { DelayedDeletions } from '../../../src/main/recorder/thread/upkeep/delayed-deletions.ts'
import type { Store } from '../../../src/main/store/store.ts'
import { openTestStore } from '../../support/store/folder.ts'
import { promptFact } from '../../support/store/history.ts'

let store: Store
let begun: { readonly ids: readonly string[]; readonly isDue: () => boolean }[]
beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse('2026-11-22T10:00:00.000Z'), toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  store = openTestStore().store
  store.ingest.append(['a', 'b', 'c'].flatMap((id) => promptFact(id, `p-${id}`, 'hello', 0).reports))
  begun = []
})
afterEach(() => {
  vi.useRealTimers()
})

/** As in one life of the recorder. */
function life(): DelayedDeletions {
  const delayed = new DelayedDeletions({
    pending: () => store.pendingDeletions,
    carryOut(id, isDue) {
      const ids = store.pendingDeletions.list().find((deletion) => deletion.id === id)?.ids ?? []
      begun.push({ ids: ids.toSorted(), isDue })
      return Promise.resolve()
    },
    logger: { warn: () => undefined },
  })
  delayed.resume(store.pendingDeletions.list())
  return delayed
}

const begunIds = () => begun.map(({ ids }) => ids)

test('ten seconds are left from when the undo is seen, for all sessions at once', () => {
  const delayed = life()
  expect(delayed.request(['a', 'b', 'c'])).toEqual({ sessions: 3, undo_until: '2026-11-22T10:01:00.000Z' })
  vi.advanceTimersByTime(40_000)
  delayed.see(['b'])
  vi.advanceTimersByTime(5000)
  // A second page shows it, too.
  delayed.see(['a'])
  vi.advanceTimersByTime(4999)
  expect(begunIds()).toEqual([])
  vi.advanceTimersByTime(1)
  expect(begunIds()).toEqual([['a', 'b', 'c']])
})

test('without anybody who sees it, it begins after a minute', () => {
  life().request(['a'])
  vi.advanceTimersByTime(59_999)
  expect(begunIds()).toEqual([])
  vi.advanceTimersByTime(1)
  expect(begunIds()).toEqual([['a']])
})

test('each request has its own time; one that was undone never begins', () => {
  const delayed = life()
  delayed.request(['a'])
  vi.advanceTimersByTime(1000)
  delayed.request(['b'])
  delayed.undo(['a'])
  vi.advanceTimersByTime(120_000)
  expect(begunIds().filter((ids) => ids.length > 0)).toEqual([['b']])
})

test('a later life continues the wait, begins at once what is due by then, and waits no longer than the first one', () => {
  const first = life()
  first.request(['a'])
  first.see(['a'])
  first.request(['b'])
  vi.advanceTimersByTime(4000)
  first.stop()
  vi.setSystemTime('2026-11-22T10:00:08.000Z')
  const second = life()
  vi.advanceTimersByTime(1999)
  expect(begunIds()).toEqual([])
  vi.advanceTimersByTime(1)
  expect(begunIds()).toEqual([['a']])
  second.stop()
  vi.setSystemTime('2026-11-22T11:00:00.000Z')
  store.pendingDeletions.undo(['a'])
  life().stop()
  const third = life()
  vi.advanceTimersByTime(0)
  expect(begunIds()).toEqual([['a'], ['b']])
  third.stop()
  // The clock was set back by a year.
  vi.setSystemTime('2025-11-22T10:00:00.000Z')
  life()
  vi.advanceTimersByTime(60_000)
  expect(begunIds()).toEqual([['a'], ['b'], ['b']])
})

test('one that waits behind other work is not due any more once somebody sees its undo', () => {
  const delayed = life()
  delayed.request(['a'])
  vi.advanceTimersByTime(60_000)
  expect(begun.map(({ isDue }) => isDue())).toEqual([true])
  delayed.see(['a'])
  expect(begun.map(({ isDue }) => isDue())).toEqual([false])
  vi.advanceTimersByTime(10_000)
  expect(begun.map(({ isDue }) => isDue())).toEqual([true, true])
})
