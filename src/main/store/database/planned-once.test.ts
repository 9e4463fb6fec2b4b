import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { plannedOnce } from './planned-once.ts'

const LOOKUPS = [
  'SELECT id, cost, planned(1) AS planned FROM calls WHERE session = ? AND agent IS ? AND id < ? ORDER BY id DESC LIMIT 1',
  'SELECT id, cost, planned(1) AS planned FROM calls WHERE session = ? AND agent IS ? AND id > ? LIMIT ?',
  'SELECT max(id), cost, planned(1) AS planned FROM calls WHERE session = ? AND agent IS ?',
]

/** Executes a lookup twice. Its column `planned` shows whether SQLite planned it again in between. */
function run(sql: string) {
  const db = new Database(':memory:')
  db.exec(
    `CREATE TABLE calls (id INTEGER PRIMARY KEY, session TEXT, agent TEXT, cost REAL);
     CREATE INDEX calls_by_session ON calls (session, agent, id);
     INSERT INTO calls VALUES (1, 'a', NULL, 1), (2, 'b', NULL, 2), (3, 'a', NULL, 3), (4, 'a', 'x', 4), (5, 'a', NULL, 5)`,
  )
  // A plan holds the function that fitted best when it was made.
  db.function('planned', { varargs: true }, () => 'once')
  const statement = db.prepare<unknown[], { planned: string }>(sql)
  const values = ['a', null, 4, 2].slice(0, sql.split('?').length - 1)
  statement.all(...values)
  db.function('planned', (_number: unknown) => 'again')
  const plan = db.prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`).all(...values)
  return { rows: statement.all(...values), plan: plan.map(({ detail }) => detail) }
}

test.each(LOOKUPS)('SQLite keeps the plan of: %s', (sql) => {
  const once = run(plannedOnce(sql))
  expect(once.rows.map(({ planned }) => planned)).not.toContain('again')
  // Written this way, it is planned again. Once SQLite no longer does that, `plannedOnce` can be removed.
  const asWritten = run(sql)
  expect(asWritten.rows.map(({ planned }) => planned)).toContain('again')
  const others = asWritten.rows.map((row) => ({ ...row, planned: 'once' }))
  expect(once).toEqual({ rows: others, plan: asWritten.plan })
})
