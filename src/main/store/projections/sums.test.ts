import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { createSums } from './sums.ts'

test('counts go to each table once, what counts nothing any more goes, and a rollback adds nothing', () => {
  const db = new Database(':memory:')
  db.exec(`CREATE TABLE days (day TEXT, tool TEXT, calls INTEGER, ms REAL, PRIMARY KEY (day, tool));
    CREATE TABLE totals (tool TEXT PRIMARY KEY, calls INTEGER, ms REAL)`)
  const columns = { counts: ['calls'], totals: ['ms'] } as const
  const sums = createSums<readonly [day: string, tool: string], 'calls' | 'ms'>(db.prepare.bind(db), [
    { table: 'days', sums: { keys: ['day', 'tool'], ...columns }, keyOf: (key) => key },
    { table: 'totals', sums: { keys: ['tool'], ...columns }, keyOf: ([, tool]) => [tool] },
  ])
  const rows = (table: string) => db.prepare(`SELECT * FROM ${table} ORDER BY 1`).raw().all()

  sums.add(['monday', 'Bash'], { calls: 1, ms: 5 }, 1)
  sums.add(['monday', 'Bash'], { calls: 1 }, 1)
  sums.add(['tuesday', 'Bash'], { calls: 1, ms: 2 }, 1)
  sums.flush()
  sums.add(['monday', 'Bash'], { calls: 1 }, 1)
  sums.discard()
  sums.flush()
  expect(rows('days')).toEqual([
    ['monday', 'Bash', 2, 5],
    ['tuesday', 'Bash', 1, 2],
  ])
  expect(rows('totals')).toEqual([['Bash', 3, 7]])

  sums.add(['tuesday', 'Bash'], { calls: 1, ms: 2 }, -1)
  sums.flush()
  expect(rows('days')).toEqual([['monday', 'Bash', 2, 5]])
  expect(rows('totals')).toEqual([['Bash', 2, 5]])
  db.close()
})
