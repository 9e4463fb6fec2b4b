import { join } from 'node:path'
import { parseArgs } from 'node:util'
import Database from 'better-sqlite3'
import { generateHistory } from '../support/demo/generate-history.ts'
import { readerHandlers } from '../../src/main/operations/reader/reader-handlers.ts'
import { openReader } from '../../src/main/store/database/connection.ts'
import { openStore } from '../../src/main/store/open-store.ts'
import { fillCarryWeeks } from '../../src/main/store/projections/carry-weeks.ts'
import { createBudget } from '../../src/main/store/read/budget.ts'
import { createReader, type Reader } from '../../src/main/store/read/reader.ts'
import { tableNames } from '../../src/main/store/tables.ts'
import { configSchema } from '../../src/shared/config.ts'
import { findOperation } from '../../src/shared/contract/index.ts'
import { makeTempFolder } from '../support/runner/temp-folder.ts'
import { mean, quantiles, timed } from './timed.ts'

/**
 * Measures the ledger's answers over a year: `node tests/bench/ledger.ts [--sizes 100000,1000000] [--samples 30]`. A generated
 * history is recorded once, then its rows are copied by SQL, each copy with sessions of its own: the answers depend on the
 * number of rows, not on their texts. Only payloads that the answers read are copied.
 */
const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: process.env['ASPY_BENCH_SIZES'] ?? '100000,1000000' },
    samples: { type: 'string', default: '30' },
  },
})
const SIZES = values.sizes
  .split(',')
  .map(Number)
  .toSorted((a, b) => a - b)
const SAMPLES = Number(values.samples)
const RECORDED_EVENTS = 20_000
const DAYS = 365

/** Sessions come first: others refer to them. */
const TABLES = [
  'sessions',
  'agents',
  'events',
  'api_usage',
  'tool_call_rows',
  'tool_result_rows',
  'cache_calls',
  'carry_lines',
  'carry_calls',
  'carried',
  'carry_groups',
] as const
const READ_PAYLOADS = "'rate_limit', 'api_usage', 'tool_call', 'tool_result', 'state_change', 'assistant_text'"

const QUESTIONS: Readonly<Record<string, readonly [name: keyof typeof readerHandlers, input: object]>> = {
  'cache summary, a year': ['cache.summary', {}],
  'cache summary, 30 days': ['cache.summary', { since: '30d' }],
  'newest misses of a cause': ['cache.list', { cause: 'tools_changed' }],
  'carry by tool, a year': ['carry.list', { by: 'tool' }],
  'carry by tool, 30 days': ['carry.list', { by: 'tool', since: '30d' }],
  'carry by file, a year': ['carry.list', { by: 'file' }],
  limits: ['limits.now', {}],
  advice: ['advice.list', {}],
  'advice, a session changed': ['advice.list', {}],
}

function copyRows(path: string, size: number): number {
  const db = new Database(path)
  try {
    for (const pragma of ['foreign_keys = OFF', 'journal_mode = WAL', 'synchronous = OFF', 'cache_size = -262144'])
      db.pragma(pragma)
    const recorded = Number(db.prepare('SELECT count(*) FROM events WHERE id <= ?').pluck().get(lastRecorded(db)))
    const present = Number(db.prepare('SELECT count(*) FROM events').pluck().get())
    const [from, to] = [Math.round(present / recorded), Math.round(size / recorded) - 1]
    if (to < from) return present
    for (const name of db.prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'trigger'").pluck().all())
      db.exec(`DROP TRIGGER ${name}`)
    db.transaction(() => {
      for (const table of TABLES) copyTable(db, table, from, to)
      db.exec('DELETE FROM carry_weeks; DELETE FROM carry_week_files; DELETE FROM carry_active')
      db.exec(fillCarryWeeks(tableNames()))
    })()
    db.exec('ANALYZE')
    db.pragma('wal_checkpoint(TRUNCATE)')
    return Number(db.prepare('SELECT count(*) FROM events').pluck().get())
  } finally {
    db.close()
  }
}

let last = 0
function lastRecorded(db: Database.Database): number {
  last ||= Number(db.prepare('SELECT max(id) FROM events').pluck().get())
  return last
}

/** Adds copies number `from` to `to` of the recorded rows. */
function copyTable(db: Database.Database, table: (typeof TABLES)[number], from: number, to: number): void {
  const columns = db.pragma(`table_info(${table})`) as { name: string; type: string }[]
  const shift = lastRecorded(db)
  const copied = ({ name, type }: (typeof columns)[number]): string => {
    if (type === 'INTEGER' && /^(?:id|\w*_id)$/.test(name) && name !== 'turn_id') return `t.${name} + n * ${shift}`
    if (name.endsWith('uuid') || ['session_id', 'call_id', 'id'].includes(name)) return `t.${name} || '-' || n`
    if (table === 'events' && name === 'payload')
      return `CASE WHEN t.kind IN (${READ_PAYLOADS}) THEN t.payload ELSE '{}' END`
    return `t.${name}`
  }
  db.exec(`CREATE TEMP TABLE originals AS SELECT * FROM main.${table} t WHERE ${ownRows(table)}`)
  db.prepare(
    `INSERT INTO main.${table} (${columns.map(({ name }) => name).join(', ')})
     WITH RECURSIVE copies (n) AS (SELECT ? UNION ALL SELECT n + 1 FROM copies WHERE n < ?)
     SELECT ${columns.map(copied).join(', ')} FROM copies CROSS JOIN originals t`,
  ).run(from, to)
  db.exec('DROP TABLE originals')
}

function ownRows(table: (typeof TABLES)[number]): string {
  if (table === 'sessions') return "t.id NOT GLOB '*-[0-9]' AND t.id NOT GLOB '*-[0-9][0-9]'"
  if (table === 'agents') return "t.session_id NOT GLOB '*-[0-9]' AND t.session_id NOT GLOB '*-[0-9][0-9]'"
  const id =
    table === 'carry_lines' ? 'line_id' : ['events', 'api_usage', 'cache_calls'].includes(table) ? 'id' : 'event_id'
  return `t.${id} <= ${last}`
}

/** Marks the newest session as changed, for what is kept by session. */
function touchSession(path: string): void {
  const db = new Database(path)
  db.exec(`INSERT INTO changes (kind, name) SELECT 'session', id FROM sessions ORDER BY last_event_at DESC LIMIT 1`)
  db.close()
}

function measure(path: string): Record<string, object> {
  const db = openReader(path)
  const budget = createBudget(new Int32Array(1))
  const reader = createReader(db, budget)
  const read = ([name, input]: readonly [keyof typeof readerHandlers, object]) => {
    // Includes parsing the input, as in dispatch, and serialising the result, as on a reader thread.
    const parsed = findOperation(name)?.input.parse(input)
    const handler = readerHandlers[name] as unknown as (of: Reader, asked: unknown) => object
    budget.begin(1, 60_000)
    return timed(() => JSON.stringify(handler(reader, parsed)).length)
  }
  try {
    return Object.fromEntries(
      Object.entries(QUESTIONS).map(([name, asked]) => {
        const first = read(asked).ms
        const took = Array.from({ length: SAMPLES }, () => {
          if (name.endsWith('a session changed')) touchSession(path)
          return read(asked)
        })
        const figures = { first, ...quantiles(took.map(({ ms }) => ms)), cpu: mean(took.map(({ cpuMs }) => cpuMs)) }
        console.error(
          `  ${name.padEnd(28)} first ${first.toFixed(1).padStart(8)}  p50 ${figures.p50.toFixed(1).padStart(8)}  p95 ${figures.p95.toFixed(1).padStart(8)}  cpu ${figures.cpu.toFixed(1).padStart(8)} ms  ${took[0]?.result} bytes`,
        )
        return [name, figures]
      }),
    )
  } finally {
    db.close()
  }
}

using folder = makeTempFolder('aspy-bench-ledger-')
const path = join(folder.path, 'lifestats.db')
const store = openStore({
  dataDir: folder.path,
  hashKey: Buffer.alloc(32, 7),
  limits: configSchema.parse({}).lifestats,
})
const sessions = Math.round(RECORDED_EVENTS / 100)
for (const drafts of generateHistory({ seed: 'ledger', sessions, events: RECORDED_EVENTS, days: DAYS }))
  store.ingest.append(drafts, undefined, { staysOpen: true, isUnseen: true })
store.ingest.settle()
store.close()
const found: object[] = []
for (const size of SIZES) {
  const begun = performance.now()
  const events = copyRows(path, size)
  console.error(`${events} events after ${Math.round((performance.now() - begun) / 1000)} s`)
  found.push({ events, readings: measure(path) })
}
console.log(JSON.stringify({ sizes: found }, null, 2))
