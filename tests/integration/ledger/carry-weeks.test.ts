import { expect, test } from 'vitest'
import { generateHistory } from '../../support/demo/generate-history.ts'
import { groupsInRange } from '../../../src/main/operations/reader/carry-groups.ts'
import { createPricing } from '../../../src/main/store/pricing/pricing.ts'
import { fillCarryWeeks } from '../../../src/main/store/projections/carry-weeks.ts'
import type { CarryBy, CarryRange } from '../../../src/main/store/read/carry.ts'
import type { Reader } from '../../../src/main/store/read/reader.ts'
import { rebuildProjections } from '../../../src/main/store/rebuild/rebuild.ts'
import { tableNames } from '../../../src/main/store/tables.ts'
import { HASH_KEY, openTestStore } from '../../support/store/folder.ts'
import { withWriter } from '../../support/store/projection-rows.ts'
import { reading } from '../../support/store/reading.ts'

const BY: readonly CarryBy[] = ['kind', 'tool', 'mcp_server', 'mcp_definition', 'file']
const TABLES = ['carry_weeks', 'carry_week_files', 'carry_active']

/** The groups of a range by key, as numbers. */
const groupsOf = (reader: Reader, by: CarryBy, range: CarryRange) =>
  groupsInRange(reader, by, range)
    .map((row) => ({ ...row, in_session: '', in_line: 0 }))
    .toSorted((one, other) => ((one.key ?? '') < (other.key ?? '') ? -1 : 1))

/** Checks the answers from the sums by week against those that add up every line. Returns the groups that the sums hold. */
function check(dbPath: string): number {
  const [first = 0, last = 0, counted = 0] = withWriter(dbPath, (db) =>
    ['min(first_at) FROM carry_lines', 'max(last_at) FROM carry_lines', 'sum(groups) FROM carry_weeks'].map((of) =>
      Number(db.prepare(`SELECT ${of}`).pluck().get()),
    ),
  )
  const at = (share: number) => new Date(first + share * (last - first)).toISOString()
  const ranges: readonly CarryRange[] = [{}, { since: at(0.3) }, { until: at(0.6) }, { since: at(0.2), until: at(0.9) }]
  const all = () => reading(dbPath, (reader) => BY.flatMap((by) => ranges.map((range) => groupsOf(reader, by, range))))
  const bySums = all()
  withWriter(dbPath, (db) => {
    for (const table of TABLES) db.exec(`CREATE TABLE kept_${table} AS SELECT * FROM ${table}; DELETE FROM ${table}`)
    db.exec('INSERT INTO carry_active SELECT line_id FROM carry_lines')
  })
  const byLines = all()
  withWriter(dbPath, (db) => {
    db.exec('DELETE FROM carry_active')
    for (const table of TABLES) db.exec(`INSERT INTO ${table} SELECT * FROM kept_${table}; DROP TABLE kept_${table}`)
  })
  for (const [place, groups] of bySums.entries()) {
    const expected = byLines[place] ?? []
    expect(groups.map(({ key }) => key)).toEqual(expected.map(({ key }) => key))
    for (const [row, group] of groups.entries())
      for (const [name, value] of Object.entries(group)) {
        if (typeof value !== 'number') continue
        const direct = Number(expected[row]?.[name as 'read_usd'])
        expect(Math.abs(value - direct), `${String(group.key)} ${name}`).toBeLessThanOrEqual(1e-9 * Math.max(1, direct))
      }
  }
  return counted
}

test('sums by week equal those of all lines, after more requests, deletions, redactions and a rebuild', () => {
  const { store, folder, dbPath } = openTestStore()
  const history = [...generateHistory({ seed: 'weeks', sessions: 150, events: 1800, days: 60 })]
  const isLast = (at: number) => at % 10 === 0
  // Some sessions stop in the middle and continue after all others: their lines leave the sums again.
  for (const [at, drafts] of history.entries())
    store.ingest.append(isLast(at) ? drafts.slice(0, Math.ceil(drafts.length / 2)) : drafts)
  for (const [at, drafts] of history.entries())
    if (isLast(at)) store.ingest.append(drafts.slice(Math.ceil(drafts.length / 2)))
  store.ingest.settle()
  store.close()
  expect(check(dbPath)).toBeGreaterThan(100)

  const sessions = withWriter(dbPath, (db) =>
    db.prepare<[], string>('SELECT DISTINCT session_id FROM carry_lines ORDER BY line_id').pluck().all(),
  )
  const removing = openTestStore({ dataDir: folder }).store
  for (const session of [...sessions.slice(0, 20), ...sessions.slice(-20)]) removing.removal.deleteSession(session)
  removing.close()
  const counted = check(dbPath)
  expect(counted).toBeGreaterThan(50)

  const names = () =>
    withWriter(dbPath, (db) => db.prepare<[], string>('SELECT DISTINCT tool FROM carry_weeks').pluck().all())
  const tool = names().find((name) => name !== '') ?? ''
  withWriter(dbPath, (db) => db.prepare("UPDATE carry_groups SET tool = '[redacted]' WHERE tool = ?").run(tool))
  expect(names()).not.toContain(tool)
  const files = () =>
    withWriter(dbPath, (db) => db.prepare<[], string>('SELECT DISTINCT name FROM carry_week_files').pluck().all())
  const file = files().find((name) => name !== '') ?? ''
  withWriter(dbPath, (db) => db.prepare("UPDATE carry_groups SET name = '[redacted]' WHERE name = ?").run(file))
  expect(files()).not.toContain(file)
  expect(files()).toContain('[redacted]')
  expect(check(dbPath)).toBe(counted)

  withWriter(dbPath, (db) => rebuildProjections(db, { pricing: createPricing(), hashKey: HASH_KEY }))
  expect(check(dbPath)).toBeGreaterThan(50)
  // All sums at once are those that triggers keep.
  withWriter(dbPath, (db) => {
    for (const table of TABLES) db.exec(`DELETE FROM ${table}`)
    db.exec(fillCarryWeeks(tableNames()))
  })
  expect(check(dbPath)).toBeGreaterThan(counted)

  const emptying = openTestStore({ dataDir: folder }).store
  for (const session of sessions.slice(20, -20)) emptying.removal.deleteSession(session)
  emptying.close()
  withWriter(dbPath, (db) => {
    for (const table of [...TABLES, 'carry_groups'])
      expect(db.prepare(`SELECT count(*) FROM ${table}`).pluck().get(), table).toBe(0)
  })
})
