import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import type { WritableDb } from '../database/connection.ts'
import { createAwaitedKeys } from './awaited-keys.ts'

/** The log's table, and the queries it received. */
function openLog(keys: readonly string[]) {
  const db = new Database(':memory:')
  db.exec('CREATE TABLE parent_keys (key TEXT, uuid TEXT, position INTEGER)')
  const insert = db.prepare('INSERT INTO parent_keys VALUES (?, ?, 0)')
  const wait = (key: string) => void insert.run(key, `for ${key}`)
  keys.forEach(wait)
  return { awaited: createAwaitedKeys(db.prepare.bind(db) as WritableDb['prepare'], 3), wait }
}

test('keeps the awaited keys in memory and answers that no event waits for any other', () => {
  const { awaited, wait } = openLog(['a', 'b'])
  expect(['a', 'b', 'c'].map(awaited.has)).toEqual([true, true, false])
  awaited.add(['c'])
  expect(awaited.has('c')).toBe(true)
  wait('d')
  expect(awaited.has('d')).toBe(false)
  awaited.noteEvent('for d')
  expect(awaited.has('d')).toBe(true)
  expect(awaited.of('d')).toEqual(['for d'])
})

test.each([
  ['at the start', ['a', 'b', 'c', 'd'], []],
  ['later', ['a', 'b'], ['c', 'd']],
])('with too many keys (%s), any key may be awaited', (_, before, later) => {
  const { awaited } = openLog(before)
  awaited.has('a')
  awaited.add(later)
  expect(awaited.has('never')).toBe(true)
  expect(awaited.of('never')).toEqual([])
})
