import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ReaderName } from '../../../src/main/dispatch/handlers.ts'
import { readerHandlers } from '../../../src/main/operations/reader/reader-handlers.ts'
import { openReader, type ReadableDb } from '../../../src/main/store/database/connection.ts'
import { createBudget } from '../../../src/main/store/read/budget.ts'
import { createReader, type Reader } from '../../../src/main/store/read/reader.ts'
import { countDocs } from '../../../src/main/store/read/recall.ts'
import { findOperation } from '../../../src/shared/contract/index.ts'
import { countQueries, planOf, type QueryCounts } from '../../support/store/counting-reader.ts'
import { makeTempFolder, type TempFolder } from '../../support/runner/temp-folder.ts'
import { fillYear } from '../../support/window/year.ts'

/** A generated year and one three times as long. */
const YEARS = [
  { sessions: 8, events: 2000, longest: 1000 },
  { sessions: 24, events: 6000, longest: 3000 },
] as const
const TOOLS = 12

/** Operations of views, with limits on statements and rows per call. `rows` null scales with the session's turns. */
const ROUTES: readonly (readonly [view: string, ReaderName, object, statements: number, rows: number | null])[] = [
  ['health', 'events.count', {}, 1, 1],
  ['health', 'store.archives', {}, 2, 20],
  ['live', 'events.recent', { limit: 300 }, 1, 300],
  ['sessions', 'sessions.list', { limit: 100 }, 3, 302],
  ['transcript', 'sessions.get', { session_id: 'longest' }, 8, 2010],
  ['transcript', 'agents.list', { session_id: 'longest' }, 5, null],
  ['timeline', 'sessions.turn', { session_id: 'longest', turn: 3 }, 100, null],
  ['requests', 'requests.list', { session_id: 'longest', limit: 200 }, 4, 4 * 201],
  ['numbers', 'sessions.usage', { session_id: 'longest' }, 5, null],
  ['numbers', 'sessions.reconcile', { session_id: 'longest' }, 6, null],
  // Days at the ends of a month are read by quarters of an hour.
  ['recall', 'recall.months', { query: 'cache locale' }, 1, 13 * 3],
  ['costs', 'costs.series', { bucket: 'month' }, 1, 13 * 10],
  ['costs', 'costs.breakdown', { limit: 15 }, 4, 60],
  ['costs', 'stats.summary', {}, 4, 50],
  ['tools', 'tools.pace', {}, 1 + TOOLS, 1 + TOOLS * 2001],
  ['tools', 'stats.slowest', { by: 'tool', limit: 12 }, 1, 12],
  ['tools', 'tools.list', { limit: 50 }, 1, 51],
  ['tools', 'tools.list', { limit: 50, failed: true }, 1, 51],
]

/** Tables with a row for each event or for many events. */
const LARGE =
  /^(?:SCAN|SEARCH) (?:events|e|event_keys|key_rows|k|contents|ancestry|l|user_prompts|p|tool_calls|c|tool_results|r|api_usage|u|recall_docs|d)\b/

/** Returns true for a plan line that scans a large table without a bound by session, key or kind. */
const isUnbounded = (line: string): boolean => LARGE.test(line) && !/\(rowid=\?|\(\w+=\?|VIRTUAL TABLE/.test(line)

/** Returns true for a statement that reads a whole large table, because it sorts or has no limit. */
function walksAll(db: ReadableDb, sql: string): boolean {
  const plan = planOf(db, sql)
  const sorts = plan.some((line) => line.startsWith('USE TEMP B-TREE'))
  return plan.some(isUnbounded) && (sorts || !/\bLIMIT\b/.test(sql))
}

describe('what views read from a long history', () => {
  const folders: TempFolder[] = []
  const opened: { readonly db: ReadableDb; readonly reader: Reader; readonly longest: string }[] = []

  beforeAll(() => {
    for (const year of YEARS) {
      const folder = makeTempFolder()
      folders.push(folder)
      fillYear(folder.path, year)
      const db = openReader(`${folder.path}/lifestats.db`)
      const budget = createBudget(new Int32Array(1))
      const reader = createReader(db, budget)
      const longest = reader.get<{ id: string }>('SELECT id FROM sessions ORDER BY tool_calls DESC LIMIT 1')?.id ?? ''
      opened.push({ db, reader, longest })
    }
  }, 480_000)
  afterAll(() => {
    for (const { db } of opened) db.close()
    for (const folder of folders) folder.remove()
  })

  function ask(year: number, name: ReaderName, given: object): QueryCounts {
    const { reader, longest } = opened[year] ?? expect.fail('no such year')
    const named = Object.fromEntries(
      Object.entries(given).map(([field, value]) => [field, value === 'longest' ? longest : value]),
    )
    const handler = readerHandlers[name] as (reader: Reader, input: unknown) => unknown
    return countQueries(reader, (counting) => handler(counting, findOperation(name)?.input.parse(named)))
  }

  test.each(ROUTES)('%s: %s %j takes a bounded number of statements and rows', (_, name, given, statements, rows) => {
    const [short, long] = [ask(0, name, given), ask(1, name, given)]
    expect(long.statements).toBeLessThanOrEqual(statements)
    expect(long.rows).toBeLessThanOrEqual(rows ?? Infinity)
    // The number of statements must not grow with the history. tools.pace runs one per tool.
    expect(long.statements).toBe(name === 'tools.pace' ? long.statements : short.statements)
  })

  test.each(ROUTES)('%s: %s %j neither counts nor sorts the whole history', (_, name, given) => {
    const { db } = opened[1] ?? expect.fail('no such year')
    expect(ask(1, name, given).texts.filter((sql) => walksAll(db, sql))).toEqual([])
  })

  test('the pace of tools is read from a covering index', () => {
    const { db } = opened[1] ?? expect.fail('no such year')
    const plans = ask(1, 'tools.pace', {}).texts.map((sql) => planOf(db, sql).join())
    expect(plans).toContainEqual(expect.stringContaining('USING COVERING INDEX tool_results_by_tool'))
  })

  test('the recall index counts its texts without a scan', () => {
    const { reader } = opened[1] ?? expect.fail('no such year')
    const { texts } = ask(1, 'recall.search', { query: 'cache locale' })
    expect(texts.filter((sql) => /count\(\*\).* FROM (recall_docs|events)\b/.test(sql))).toEqual([])
    expect(countDocs(reader)).toBe(reader.get<{ n: number }>('SELECT count(*) AS n FROM recall_docs')?.n)
  })

  test.each([
    'SELECT r.call_id FROM tool_results r WHERE r.timestamp > ? ORDER BY r.output_json LIMIT 5',
    'SELECT count(*) FROM events',
    'SELECT sum(cost_usd) FROM api_usage u WHERE u.timestamp > ?',
  ])('the check detects a full scan: %s', (sql) => {
    const { db } = opened[0] ?? expect.fail('no such year')
    expect(walksAll(db, sql)).toBe(true)
  })
})
