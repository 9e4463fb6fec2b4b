import { expect, test } from 'vitest'
import { openReader } from '../../../src/main/store/database/connection.ts'
import { openTestStore } from '../../support/store/folder.ts'
import { promptFact, timeAt, usageFact, usageOf } from '../../support/store/history.ts'
import { withWriter } from '../../support/store/projection-rows.ts'

/** Late enough that every session has ended by its silence. */
const now = () => Date.parse(timeAt(90_000_000))
const SESSIONS = 1100
const CALLS = 2200

/** Opens a store with many sessions of one prompt, one of which has many calls. */
function filled({ sessions = SESSIONS, calls = CALLS } = {}) {
  const opened = openTestStore({ now })
  const prompts = Array.from({ length: sessions }, (_, at) =>
    promptFact(`s${at}`, `p${at}`, `question ${at} about the orbit`, at).reports.slice(0, 1),
  )
  const answers = Array.from({ length: calls }, (_, at) =>
    usageFact('s1', `m-${at}`, '', 5000 + at, usageOf({ output_tokens: 20 }), 'claude-opus-5-5').reports.slice(1, 2),
  )
  opened.store.ingest.append([...prompts, ...answers].flat())
  for (const _ of opened.store.maintenance.episodes());
  const db = openReader(opened.dbPath)
  const count = (from: string) => Number(db.prepare(`SELECT count(*) FROM ${from}`).pluck().get())
  return { ...opened, db, count, [Symbol.dispose]: () => void db.close() }
}

const COUNTED = {
  corrections: "changes WHERE kind = 'correction'",
  ended: 'sessions WHERE ended_at IS NOT NULL',
  episodes: 'episodes',
}

test('what follows a rebuild is done in steps: sessions that end, changed costs, episodes', () => {
  using opened = filled()
  const { store, count } = opened
  const read = () => Object.entries(COUNTED).map(([, from]) => count(from))
  const before = read()
  expect(before).toEqual([0, SESSIONS, SESSIONS])
  const most = [0, 0, 0]
  let last = before
  for (const _ of store.maintenance.rebuild()) {
    const counts = read()
    // The swap itself puts tables into use in which no session has ended yet.
    counts.forEach((rows, at) => (most[at] = Math.max(most[at] ?? 0, rows - (last[at] ?? 0))))
    last = counts
  }
  expect(read()).toEqual([CALLS, SESSIONS, SESSIONS])
  expect(Math.min(...most)).toBeGreaterThan(0)
  expect(most.every((rows) => rows <= 2000)).toBe(true)
  expect(most[1]).toBeLessThanOrEqual(500)
  store.close()
})

test('a session that is reopened between two steps keeps what it said, and ends only if it is idle', () => {
  using opened = filled({ calls: 0 })
  const { store, count, db } = opened
  const some = (which: string) => db.prepare(`SELECT id FROM sessions WHERE ${which} ORDER BY id LIMIT 2`).pluck().all()
  const steps = store.maintenance.rebuild()
  while (count(COUNTED.ended) !== 500) expect(steps.next().done).toBe(false)
  const [resumed, read] = some('ended_at IS NOT NULL').map(String)
  const [waiting] = some('ended_at IS NULL').map(String)
  const say = (session: string | undefined, at: number) =>
    store.ingest.append(promptFact(String(session), `again-${session}`, 'once more', at).reports.slice(1, 2))
  say(resumed, 90_000_000 - 60_000)
  say(waiting, 90_000_000 - 60_000)
  // Its transcript is read late: it is open again, and has been silent for long.
  say(read, 80_000_000)
  expect(count(COUNTED.ended)).toBe(498)
  for (const _ of steps);
  const rows = () => db.prepare('SELECT id, prompts, last_event_at, ended_at FROM sessions ORDER BY id').all()
  const after = rows()
  expect(some('ended_at IS NULL')).toEqual([resumed, waiting].toSorted())
  expect(count('sessions WHERE ended_at <> last_event_at')).toBe(0)
  expect(count(`sessions WHERE id = '${read}' AND ended_at = '${timeAt(80_000_000)}'`)).toBe(1)
  expect(count('sessions WHERE prompts = 2')).toBe(3)
  // The episode of the one that ended again covers what was said last.
  expect(count(`episodes WHERE session_id = '${read}' AND content LIKE '%once more%'`)).toBe(1)
  for (const _ of store.maintenance.rebuild());
  expect(rows()).toEqual(after)
  store.close()
})

test('changed costs are noted completely, and once, if the rebuild ends in between', () => {
  using opened = filled({ sessions: 2 })
  const { store, folder, count } = opened
  const steps = store.maintenance.rebuild(['api_usage'])
  while (count(COUNTED.corrections) === 0) expect(steps.next().done).toBe(false)
  expect(count(COUNTED.corrections)).toBeLessThan(CALLS)
  store.close()
  const { store: next } = openTestStore({ now, dataDir: folder })
  for (const _ of next.maintenance.noteRecalculatedCosts());
  expect(count(COUNTED.corrections)).toBe(CALLS)
  expect(count("(SELECT DISTINCT event_id FROM changes WHERE kind = 'correction')")).toBe(CALLS)
  for (const _ of next.maintenance.noteRecalculatedCosts());
  expect(count(COUNTED.corrections)).toBe(CALLS)
  next.close()
})

test.each([
  ['is damaged', "UPDATE episodes_fts_data SET block = x'00000000ffffffffffffffffffffff' WHERE id > 10"],
  ['has entries of no row', "INSERT INTO episodes_fts (rowid, content, tags) VALUES (99999, 'nobody orbits', '')"],
  ['lacks rows', "INSERT INTO episodes_fts (episodes_fts) VALUES ('delete-all')"],
])('a rebuild repairs the index of episodes if it %s', (_, spoil) => {
  using opened = filled({ sessions: 300, calls: 0 })
  const { store, folder, dbPath } = opened
  store.close()
  withWriter(dbPath, (db) => {
    db.unsafeMode(true)
    db.exec(spoil)
  })
  const { store: again } = openTestStore({ now, dataDir: folder })
  for (const _ of again.maintenance.rebuild());
  again.close()
  withWriter(dbPath, (db) => {
    db.exec("INSERT INTO episodes_fts (episodes_fts, rank) VALUES ('integrity-check', 1)")
    const found = db.prepare("SELECT count(*) FROM episodes_fts WHERE episodes_fts MATCH 'orbit'").pluck()
    expect(found.get()).toBe(300)
    expect(db.prepare("SELECT count(*) FROM episodes_fts WHERE episodes_fts MATCH 'nobody'").pluck().get()).toBe(0)
  })
})
