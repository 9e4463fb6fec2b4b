import { expect, test } from 'vitest'
import { toCursor } from './cursor.ts'
import { pageQuery } from './page-query.ts'
import { SESSIONS } from './sessions.ts'

const LIST = {
  from: { local: 'here h', team: 'there h' },
  where: 'h.shown',
  columns: { name: 'h.name', at: { local: 'h.at', team: 'h.ts' } },
  filters: {
    name: 'h.name LIKE ? OR h.title LIKE ?',
    kinds: { local: 'h.kind IN (?)', team: 'h.kind = ANY(?)' },
    failed: 'h.failed = 1',
    words: { local: 'h.words = ?', team: null },
    query: { local: 'h.x = ?', team: 'h.y = ?', value: (typed: string) => (typed === '' ? undefined : typed) },
  },
  sorts: { newest: ['h.at', 'time'] },
  key: { local: [['h.id', 'number']], team: [['h.id', 'number']] },
  order: 'DESC',
} as const

/** The conditions of the SQL, and the values of its placeholders. */
function conditionsOf(store: 'local' | 'team', input: object) {
  const { sql, values } = pageQuery(store, LIST, { limit: 2, ...input })
  return [/WHERE (.*)\s+ORDER BY/.exec(sql)?.[1], ...values]
}

test('only fields that are given narrow the list, each place with its value', () => {
  expect(conditionsOf('local', { name: 'a', kinds: undefined, failed: false })).toEqual([
    'h.shown AND (h.name LIKE ? OR h.title LIKE ?)',
    'a',
    'a',
    3,
  ])
  expect(conditionsOf('team', { failed: true, query: '' })).toEqual(['h.shown AND (h.failed = 1)', 3])
})

test('a list of values has a place for each in SQLite, and is one array in PostgreSQL', () => {
  expect(conditionsOf('local', { kinds: ['a', 'b'] })).toEqual(['h.shown AND (h.kind IN (?, ?))', 'a', 'b', 3])
  expect(conditionsOf('team', { kinds: ['a', 'b'] })).toEqual(['h.shown AND (h.kind = ANY(?))', ['a', 'b'], 3])
  expect(conditionsOf('local', { kinds: [] })).toEqual(['h.shown', 3])
})

test('the next page begins after the key of the last row', () => {
  const local = toCursor(['2026', 7])
  expect(conditionsOf('local', { sort: 'newest', cursor: local })).toEqual([
    'h.shown AND (h.at, h.id) < (?, ?)',
    '2026',
    7,
    3,
  ])
  expect(conditionsOf('team', { sort: 'newest', cursor: toCursor(['2026', '7']) })[0]).toBe(
    'h.shown AND (h.at, h.id) < (?::text::timestamptz, ?)',
  )
  for (const cursor of ['', 'o50', toCursor([1, 2]), toCursor(['2026']), local])
    expect(() => pageQuery('team', LIST, { limit: 1, sort: 'newest', cursor })).toThrow(/not a cursor of this list/)
})

test('what a store cannot answer is refused by name', () => {
  expect(() => pageQuery('team', LIST, { limit: 1, words: 'x' })).toThrow(/cannot narrow this list by words/)
})

test.each(['local', 'team'] as const)('equal fields of sessions.list give equal SQL in the %s store', (store) => {
  const sqlOf = (project: string) => pageQuery(store, SESSIONS, { limit: 5, sort: 'cost', project, failed: true }).sql
  expect(sqlOf('/a')).toBe(sqlOf('/b'))
})
