import type Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import type { AnyDraft } from '../../../src/main/decode/draft.ts'
import { openReader } from '../../../src/main/store/database/connection.ts'
import { tablesWithRole } from '../../../src/main/store/tables.ts'
import { contentsOfDatabase, openTestStore, readStore } from '../../support/store/folder.ts'
import { blockFact, promptFact, seeded, sessionFacts, timeAt, usageFact, usageOf } from '../../support/store/history.ts'
import { checkTextIndexes, contentsOfProjections, withWriter } from '../../support/store/projection-rows.ts'

const now = () => Date.parse(timeAt(600_000))
const reports = (session: string, turns: number, seed: number): AnyDraft[] =>
  sessionFacts(session, turns, seeded(seed)).flatMap((fact) => fact.reports)

/** Rows that no rebuild may touch: the log, what people made, previews, tombstones. Episodes are rewritten. */
function otherRows(dbPath: string): readonly (readonly [string, unknown])[] {
  const rows = contentsOfDatabase(dbPath)
  const others = tablesWithRole('log', 'people', 'upkeep').filter(
    ({ name }) => !['metadata', 'changes', 'episodes'].includes(name),
  )
  return others.map(({ name }) => [name, rows[name]] as const)
}

test('an interrupted rebuild counts nothing twice: after a restart it begins with empty tables, and touches no others', () => {
  const { store, folder, dbPath } = openTestStore({ now })
  store.ingest.append([...reports('one', 40, 1), ...reports('two', 40, 2)])
  const [preview] = usageFact('shown', 'm-p', '', 0, usageOf({ output_tokens: 9 }), 'claude-opus-5-5').reports.slice(1)
  const file = { path: '/a.jsonl', size: 1, mtime_ms: 1, isWhole: true, drafts: [preview as never], sessions: [] }
  store.ingest.preview({ files: [file] })
  store.people.run('sessions.label', { session_id: 'one', title: 'mine', pinned: true })
  store.ingest.append(promptFact('gone', 'p-gone', 'bye', 0).reports)
  store.removal.deleteSession('gone')
  for (const _ of store.maintenance.scrub() ?? []);
  const [projected, others] = [readStore(dbPath, contentsOfProjections), otherRows(dbPath)]
  const events = Number(readStore(dbPath, (db) => db.prepare('SELECT count(*) FROM events').pluck().get()))

  const found = (sql: string) => readStore(dbPath, (db) => db.prepare(`SELECT count(*) FROM ${sql}`).pluck().get())
  const texts = "prompts_fts WHERE prompts_fts MATCH 'continue'"
  const hits = found(texts)

  const cut = store.maintenance.rebuild(undefined, 0)
  for (let done = 0; done === 0;) done = cut.next().value.events_done
  store.close()
  withWriter(dbPath, (db) => db.exec('UPDATE sessions SET total_tokens = 7; DELETE FROM user_prompts'))
  const { store: again } = openTestStore({ now, dataDir: folder })
  const reader = openReader(dbPath)
  const tokens = reader.prepare("SELECT total_tokens FROM sessions WHERE id = 'one'").pluck()
  expect([tokens.get(), found(texts)]).toEqual([7, 0])
  const steps = again.maintenance.rebuild(undefined, 0)
  const seen: number[] = []
  const read: unknown[] = []
  for (let step = steps.next(); ; step = steps.next()) {
    const { events: all, events_done, done } = step.value
    expect(done).toBe(step.done === true)
    expect(all).toBeGreaterThanOrEqual(events_done)
    seen.push(events_done)
    read.push(tokens.get())
    if (step.done) break
  }
  expect([seen[0], seen.at(-1)]).toEqual([0, events])
  expect(seen).toEqual(seen.toSorted((a, b) => a - b))
  // A connection that was open all along sees what was rebuilt as soon as it is in use.
  const total = tokens.get()
  expect(total).toBeGreaterThan(1000)
  const swapped = read.indexOf(total)
  expect(seen[swapped]).toBe(events)
  expect(read).toEqual(read.map((_, at) => (at < swapped ? 7 : total)))
  expect(found(texts)).toBe(hits)
  reader.close()
  expect(readStore(dbPath, contentsOfProjections)).toEqual(projected)
  for (const [at, [name, rows]] of otherRows(dbPath).entries()) expect(rows, name).toEqual(others[at]?.[1])

  // What is recorded next goes to the tables in use.
  again.ingest.append(promptFact('one', 'p-next', 'and now', 500_000).reports)
  expect(found("user_prompts WHERE content = 'and now'")).toBe(1)
})

test('a report of the last event that a rebuild has read reaches it', () => {
  const { store, dbPath } = openTestStore({ now })
  const told = (at: number, report: 1 | 2) =>
    usageFact('one', `m-${at}`, '', at, usageOf({ output_tokens: 20 }), 'claude-nobody-knows-1').reports.slice(
      report,
      report + 1,
    )
  store.ingest.append(Array.from({ length: 1000 }, (_, at) => told(at + 1, 1)).flat())
  // Each step ends after one page of events, however quick the machine is.
  const steps = store.maintenance.rebuild(undefined, 0)
  let last = 0
  while (last === 0) last = steps.next().value.events_done
  expect(last).toBeLessThan(1000)
  // Events are numbered from 1, so its id is their count.
  for (const id of [last, last + 1]) expect(store.ingest.append(told(id, 2)).joined).toBe(1)
  while (!steps.next().done);
  const tokens = 'SELECT id, output_tokens FROM api_usage WHERE output_tokens > 1 ORDER BY id'
  const rows = readStore(dbPath, (db) => db.prepare(tokens).raw().all())
  expect(rows).toEqual([
    [last, 10],
    [last + 1, 10],
  ])
})

test.each([
  ['sessions', '0'],
  ['api_usage', '(SELECT count(*) FROM api_usage)'],
])('a rebuild of %s alone tells of %s changed costs', (projection, expected) => {
  const { store, dbPath } = openTestStore({ now })
  store.ingest.append(reports('one', 30, 3))
  const count = (sql: string) => Number(readStore(dbPath, (db) => db.prepare(`SELECT ${sql}`).pluck().get()))
  const corrections = "(SELECT count(*) FROM changes WHERE kind = 'correction')"
  const before = count(corrections)
  for (const _ of store.maintenance.rebuild([projection]));
  expect(count(corrections) - before).toBe(count(expected))
})

test.each(['tool_calls', 'tool_results', 'tool_texts'])('%s alone are rebuilt with what shares their rows', (only) => {
  const { store, folder, dbPath } = openTestStore({ now })
  store.ingest.append(reports('one', 30, 4))
  const projected = readStore(dbPath, contentsOfProjections)
  const found = (db: Database.Database) =>
    db.prepare("SELECT count(*) FROM tools_fts WHERE tools_fts MATCH 'solarized'").pluck().get()
  const hits = readStore(dbPath, found)
  expect(hits).toBeGreaterThan(0)
  store.close()
  const spoil = "UPDATE tool_call_rows SET input_json = '1'; UPDATE tool_result_rows SET output_json = '1'"
  withWriter(dbPath, (db) => db.exec(spoil))
  const { store: again } = openTestStore({ now, dataDir: folder })
  for (const _ of again.maintenance.rebuild([only]));
  again.close()
  expect(readStore(dbPath, contentsOfProjections)).toEqual(projected)
  withWriter(dbPath, checkTextIndexes)
  expect(readStore(dbPath, found)).toBe(hits)
})

test('what a rebuild replaced is dropped in steps that do not grow with the log', () => {
  const { store, dbPath } = openTestStore({ now })
  const random = seeded(7)
  const word = () => Math.floor(random() * 1e9).toString(36)
  const answer = (at: number) =>
    blockFact('one', `m-${at}`, 0, at, { text: Array.from({ length: 600 }, word).join(' ') }, []).reports
  store.ingest.append(Array.from({ length: 520 }, (_, at) => answer(at)).flat())
  const freePages = () => readStore(dbPath, (db) => Number(db.pragma('freelist_count', { simple: true })))
  const indexPages = readStore(dbPath, (db) =>
    ['recall_fts', 'responses_fts'].map((index) => db.prepare(`SELECT count(*) FROM ${index}_data`).pluck().get()),
  )
  expect(Math.min(...indexPages.map(Number))).toBeGreaterThan(700)
  const freed: number[] = []
  let before = freePages()
  for (const { events, events_done } of store.maintenance.rebuild()) {
    const free = freePages()
    if (events_done === events) freed.push(free - before)
    before = free
  }
  expect(freed.reduce((sum, pages) => sum + pages, 0)).toBeGreaterThan(1000)
  expect(Math.max(...freed)).toBeLessThan(700)
})
