import { expect, test } from 'vitest'
import { generateHistory } from '../../support/demo/generate-history.ts'
import { createRedactor } from '../../../src/main/redaction/create-redactor.ts'
import type { AnyDraft } from '../../../src/main/decode/draft.ts'
import { costSpent } from '../../../src/main/store/read/breakdowns.ts'
import type { Reader } from '../../../src/main/store/read/reader.ts'
import { readSummary } from '../../../src/main/store/read/rollups.ts'
import { TABLES } from '../../../src/main/store/tables.ts'
import { HASH_KEY, openTestStore } from '../../support/store/folder.ts'
import { resultFact, seeded, sessionFacts } from '../../support/store/history.ts'
import { reading } from '../../support/store/reading.ts'

const SECRET = 'ghp_0123456789abcdefghijABCDEFGHIJ012345'
const PROJECT = `/home/dev/${SECRET}`

const KEPT = ['day_rollups', 'model_totals', 'tool_totals'] as const

/** The table of the finest sums that each kept one adds up, and the columns that its key has there. */
const ADDED_UP = {
  day_rollups: ['rollups', { day: 'substr(quarter, 1, 10)', project: 'project', model: 'model' }],
  model_totals: ['rollups', { project: 'project', model: 'model' }],
  tool_totals: ['tool_rollups', { project: 'project', tool_name: 'tool_name' }],
} as const

/** The rows that a table of kept sums must have. */
function addedUp(reader: Reader, table: (typeof KEPT)[number]): unknown[] {
  const [from, key] = ADDED_UP[table]
  const { counts, totals } = TABLES[table].sums
  const keys = Object.entries(key).map(([name, column]) => `${column} AS ${name}`)
  return reader.all(
    `SELECT ${[...keys, ...[...counts, ...totals].map((name) => `sum(${name}) AS ${name}`)].join(', ')}
     FROM ${from} GROUP BY ${keys.map((_, at) => at + 1).join(', ')} ORDER BY ${keys.map((_, at) => at + 1).join(', ')}`,
  )
}

function keptIn(reader: Reader, table: (typeof KEPT)[number]): unknown[] {
  const { keys, counts, totals } = TABLES[table].sums
  return reader.all(`SELECT ${[...keys, ...counts, ...totals].join(', ')} FROM ${table} ORDER BY ${keys.join(', ')}`)
}

const rounded = (rows: readonly unknown[]): unknown =>
  JSON.parse(JSON.stringify(rows, (_, value: unknown) => (typeof value === 'number' ? Math.round(value * 1e6) : value)))

/** The totals of a summary, from the quarter hours alone. */
const byQuarters = (reader: Reader, since: string, until: string, project: string | null): unknown[] =>
  reader.all(
    `SELECT model, sum(calls) AS calls, sum(input_tokens + output_tokens + cache_read_tokens + cache_creation_tokens) AS tokens,
       round(sum(cost_usd), 6) AS cost_usd, sum(prompts) AS prompts, sum(tool_calls) AS tool_calls
     FROM rollups WHERE quarter >= ? AND quarter <> '' AND quarter < ? AND (? IS NULL OR project = ?) GROUP BY 1 ORDER BY 1`,
    since,
    until,
    project,
    project,
  )

function expectEqualSums(dbPath: string, after: string): void {
  reading(dbPath, (reader) => {
    for (const table of KEPT) {
      const kept = keptIn(reader, table)
      expect(kept.length, `${table} after ${after}`).toBeGreaterThan(3)
      expect(rounded(kept), `${table} after ${after}`).toEqual(rounded(addedUp(reader, table)))
    }
  })
}

/** A history of some days, with a fork, a project that a later rule redacts, and events without a time of their own. */
function history(): AnyDraft[][] {
  const facts = [
    ...sessionFacts('gone', 40, seeded(4)),
    ...sessionFacts('other', 40, seeded(5), 20 * 3_600_000),
    ...sessionFacts('kept', 40, seeded(6), 70 * 3_600_000),
  ]
  const drafts = facts.flatMap(({ reports }) => reports)
  return [
    ...generateHistory({ seed: 'days', sessions: 4 }),
    drafts.map((draft) => ({ ...draft, project: draft.session_id === 'gone' ? draft.project : PROJECT }) as AnyDraft),
  ]
}

test('sums by day and over all time are those of the finest ones after every kind of change', () => {
  const { store, dbPath } = openTestStore()
  for (const drafts of history()) store.ingest.append(drafts)
  expectEqualSums(dbPath, 'events')

  store.removal.deleteSession('gone')
  expectEqualSums(dbPath, 'a deletion')

  const past = store.maintenance.pastRedaction(createRedactor({ hashKey: HASH_KEY, enabled: true }))
  past.begin('rules')
  while (['events', 'tables'].includes(past.state()?.phase ?? '')) past.slice(1000)
  expectEqualSums(dbPath, 'a redaction')
  const read = () => reading(dbPath, (reader) => rounded(KEPT.map((table) => keptIn(reader, table))))
  const before = read()
  expect(JSON.stringify(before)).not.toContain(SECRET)
  for (const _ of store.maintenance.rebuild(['rollups', 'tool_rollups']));
  expectEqualSums(dbPath, 'a rebuild')
  expect(read()).toEqual(before)
})

test('fractions of durations add up to the same total in any grouping', () => {
  const { store, dbPath } = openTestStore()
  const results = Array.from({ length: 30 }, (_, at) => {
    const [wire] = resultFact('s', `call${at}`, 'done', at * 60_000).reports
    return { ...wire, duration_ms: 1000 / (at + 7) } as AnyDraft
  })
  for (let at = 0; at < results.length; at += 4) store.ingest.append(results.slice(at, at + 4))
  const read = () =>
    reading(dbPath, (reader) => [keptIn(reader, 'tool_totals'), reader.all('SELECT * FROM tool_rollups')])
  const before = read()
  for (const _ of store.maintenance.rebuild(['tool_rollups']));
  expect(read()).toEqual(before)
})

test('a summary of all time has the sums of all quarter hours and days', () => {
  const { store, dbPath } = openTestStore()
  for (const drafts of history()) store.ingest.append(drafts)
  reading(dbPath, (reader) => {
    const summary = readSummary(reader, {})
    const sums = reader.get<object>(
      `SELECT sum(prompts) AS total_prompts, sum(tool_calls) AS total_tool_calls,
         sum(input_tokens + output_tokens + cache_read_tokens + cache_creation_tokens) AS total_tokens FROM rollups`,
    )
    expect(summary).toMatchObject(sums ?? {})
    expect(summary.total_prompts).toBeGreaterThan(3)
    expect(summary.by_tool.map(({ tool, calls }) => ({ tool, calls }))).toEqual(
      reader.all('SELECT tool_name AS tool, sum(calls) AS calls FROM tool_rollups GROUP BY 1 ORDER BY 2 DESC, 1'),
    )
    expect(costSpent(reader, {}).cost_usd).toBeCloseTo(summary.total_cost_usd, 6)
  })
})

test('a summary of any range has the sums of its quarter hours', () => {
  const { store, dbPath } = openTestStore()
  for (const drafts of history()) store.ingest.append(drafts)
  reading(dbPath, (reader) => {
    const quarters = reader.all<{ quarter: string }>(
      "SELECT DISTINCT quarter FROM rollups WHERE quarter <> '' ORDER BY 1",
    )
    const at = (place: number) => quarters[Math.floor((quarters.length - 1) * place)]?.quarter ?? ''
    const midnight = (place: number) => `${at(place).slice(0, 10)}T00:00`
    const ranges = [
      [at(0), at(1)],
      [at(0.2), at(0.7)],
      [midnight(0.2), midnight(0.7)],
      [midnight(0.5), at(0.5)],
      [at(0.5), at(0.51)],
      [at(0.9), at(0.1)],
    ] as const
    for (const [since, until] of ranges) {
      for (const project of [null, PROJECT]) {
        const summary = readSummary(reader, {
          since: `${since}:00.000Z`,
          until: `${until}:00.000Z`,
          ...(project === null ? {} : { project }),
        })
        const models = byQuarters(reader, since, until, project) as Record<string, number>[]
        const sum = (name: string) => models.reduce((total, model) => total + (model[name] ?? 0), 0)
        expect(summary, `${since} to ${until}`).toMatchObject({
          total_tokens: sum('tokens'),
          total_prompts: sum('prompts'),
          total_tool_calls: sum('tool_calls'),
        })
        const byTool = summary.by_tool.reduce((total, { calls }) => total + calls, 0)
        expect([since, until, byTool]).toEqual([since, until, sum('tool_calls')])
        expect(summary.total_cost_usd).toBeCloseTo(sum('cost_usd'), 4)
        expect(summary.by_model.reduce((total, { calls }) => total + calls, 0)).toBe(sum('calls'))
      }
    }
    expect(readSummary(reader, { since: `${at(0)}:00.000Z` }).total_prompts).toBe(
      readSummary(reader, { until: '2999-01-01T00:00:00.000Z' }).total_prompts,
    )
  })
})
