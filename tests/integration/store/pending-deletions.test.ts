import { expect, test } from 'vitest'
import { openTestStore } from '../../support/store/folder.ts'
import { promptFact } from '../../support/store/history.ts'
import type { Store } from '../../../src/main/store/store.ts'

const LATER = '2026-11-22T10:00:10.000Z'
const EVEN_LATER = '2026-11-22T10:00:20.000Z'

/** A store with sessions of these names. */
function storeOf(...sessions: readonly string[]): Store {
  const { store } = openTestStore()
  store.ingest.append(sessions.flatMap((id) => promptFact(id, `p-${id}`, 'hello', 0).reports))
  return store
}

const waiting = ({ pendingDeletions }: Store) =>
  pendingDeletions.list().map(({ id, ids, sessions, undo_until }) => [id, ids.toSorted(), sessions, undo_until])

test('one deletion has all sessions that exist, each once', () => {
  const store = storeOf('a', 'b')
  expect(store.pendingDeletions.request('1', ['a', 'b', 'a', 'never'], LATER)).toBe(2)
  expect(waiting(store)).toEqual([['1', ['a', 'b'], 2, LATER]])
  expect(() => store.pendingDeletions.request('2', ['never'], LATER)).toThrow('there is no session never')
  expect(() => store.pendingDeletions.request('2', ['x', 'y', 'z'], LATER)).toThrow('nor any of the 2 others')
  expect(waiting(store)).toEqual([['1', ['a', 'b'], 2, LATER]])
})

test('a session waits for the last deletion that was requested, and an empty one is forgotten', () => {
  const store = storeOf('a', 'b')
  store.pendingDeletions.request('1', ['a', 'b'], LATER)
  store.pendingDeletions.request('2', ['b'], EVEN_LATER)
  expect(waiting(store)).toEqual([
    ['1', ['a'], 1, LATER],
    ['2', ['b'], 1, EVEN_LATER],
  ])
  store.pendingDeletions.request('3', ['a', 'b'], EVEN_LATER)
  expect(waiting(store)).toEqual([['3', ['a', 'b'], 2, EVEN_LATER]])
})

test('the time of a deletion moves once, when it is first seen', () => {
  const store = storeOf('a', 'b', 'c')
  store.pendingDeletions.request('1', ['a', 'b'], LATER)
  store.pendingDeletions.request('2', ['c'], LATER)
  expect(store.pendingDeletions.see(['a'], EVEN_LATER)).toEqual(['1'])
  expect(store.pendingDeletions.see(['a', 'b', 'never'], '2030-01-01T00:00:00.000Z')).toEqual([])
  expect(waiting(store)).toEqual([
    ['1', ['a', 'b'], 2, EVEN_LATER],
    ['2', ['c'], 1, LATER],
  ])
})

test('an undo keeps the sessions that still wait; the others are deleted as before', () => {
  const store = storeOf('a', 'b', 'c')
  store.pendingDeletions.request('1', ['a', 'b', 'c'], LATER)
  expect(store.pendingDeletions.undo(['a', 'never'])).toBe(1)
  expect(waiting(store)).toEqual([['1', ['b', 'c'], 2, LATER]])
  expect(() => store.pendingDeletions.undo(['a'])).toThrow('the deletion of session a can no longer be undone')
  expect(store.pendingDeletions.undo(['b', 'c'])).toBe(2)
  expect(waiting(store)).toEqual([])
  expect(store.pendingDeletions.begin('1')).toBe(null)
})

test('a deletion that has begun cannot be undone, moved or requested again, and counts what is left', () => {
  const store = storeOf('a', 'b', 'c')
  store.pendingDeletions.request('1', ['a', 'b'], LATER)
  expect(store.pendingDeletions.begin('1')?.toSorted()).toEqual(['a', 'b'])
  expect(() => store.pendingDeletions.undo(['a', 'b'])).toThrow('can no longer be undone')
  expect(store.pendingDeletions.see(['a'], EVEN_LATER)).toEqual([])
  expect(() => store.pendingDeletions.request('2', ['a'], LATER)).toThrow('there is no session a')
  expect(store.pendingDeletions.request('2', ['a', 'c'], LATER)).toBe(1)
  store.removal.deleteSession('a')
  expect(() => store.pendingDeletions.request('3', ['a'], LATER)).toThrow(/^session a was deleted at 20/)
  expect(waiting(store)).toEqual([
    ['1', ['b'], 2, LATER],
    ['2', ['c'], 1, LATER],
  ])
  // Interrupted here, it continues with the rest.
  expect(store.pendingDeletions.begin('1')).toEqual(['b'])
  store.removal.deleteSession('b')
  store.pendingDeletions.finish('1')
  expect(waiting(store)).toEqual([['2', ['c'], 1, LATER]])
})
