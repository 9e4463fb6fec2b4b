import { statSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { generateHistory } from '../support/demo/generate-history.ts'
import { readerHandlers } from '../../src/main/operations/reader/reader-handlers.ts'
import { openReader } from '../../src/main/store/database/connection.ts'
import { openStore } from '../../src/main/store/open-store.ts'
import { createBudget } from '../../src/main/store/read/budget.ts'
import { createReader } from '../../src/main/store/read/reader.ts'
import { configSchema } from '../../src/shared/config.ts'
import { makeTempFolder } from '../support/runner/temp-folder.ts'
import { BUSY_HOURS, busyDay, deepChain, hourOfBusyDay as hour } from './measured-sessions.ts'
import { mean, quantiles, timed } from './timed.ts'

/**
 * Measures the store at a million events (`ASPY_BENCH_EVENTS`): appending, one turn per transaction; interactive reads; and bytes per
 * event on disk, by table. Times are milliseconds, p50 and p95 of 200 samples. `cpu` is the mean processor time, which other load
 * on the machine affects less.
 */
const EVENTS = Number(process.env['ASPY_BENCH_EVENTS'] ?? 1_000_000)
const SAMPLES = 200

using folder = makeTempFolder('aspy-bench-store-')
const store = openStore({
  dataDir: folder.path,
  hashKey: Buffer.alloc(32, 7),
  limits: configSchema.parse({}).lifestats,
})
const sessions = Math.max(20, Math.round(EVENTS / 2500))
const history = generateHistory({ seed: 'store', sessions, events: EVENTS, days: 365 })
const measured = EVENTS - Math.min(20_000, EVENTS / 10)

let written = 0
let jsonBytes = 0
const fillStart = performance.now()
const perEvent: number[] = []
const cpuPerEvent: number[] = []
for (const turn of history) {
  jsonBytes += JSON.stringify(turn).length
  if (written < measured) {
    store.ingest.append(turn, undefined, { staysOpen: true, isUnseen: true })
    if (Math.floor(written / 1000) !== Math.floor((written + turn.length) / 1000)) store.ingest.settle()
  } else {
    if (perEvent.length === 0) store.ingest.settle()
    const took = timed(() => store.ingest.append(turn))
    perEvent.push(took.ms / turn.length)
    cpuPerEvent.push(took.cpuMs / turn.length)
  }
  written += turn.length
  // The checkpoint thread reports when the WAL is in the file.
  if (written % 5000 < turn.length) await new Promise<void>((resolve) => setImmediate(resolve))
}
const fillSeconds = (performance.now() - fillStart) / 1000
store.ingest.append(deepChain())
store.ingest.append(busyDay())
store.maintenance.checkpoint()
store.close()

const path = join(folder.path, 'lifestats.db')
const db = openReader(path)
const budget = createBudget(new Int32Array(1))
const reader = createReader(db, budget)
const sessionIds = db.prepare<[], string>('SELECT id FROM sessions ORDER BY started_at').pluck().all()
const at = (sample: number) => sessionIds[Math.floor((sample / SAMPLES) * sessionIds.length)] ?? ''
const deepest = db.prepare<[], string>("SELECT uuid FROM events WHERE session_id = 'chain' ORDER BY id DESC LIMIT 1")
const deepestUuid = deepest.pluck().get() ?? ''

function readings(name: string, read: (sample: number) => { readonly items: readonly unknown[] }) {
  const times: number[] = []
  const cpuTimes: number[] = []
  let items = 0
  for (let sample = 0; sample < SAMPLES; sample += 1) {
    budget.begin(1, 10_000)
    const { result, ms, cpuMs } = timed(() => read(sample))
    items += result.items.length
    times.push(ms)
    cpuTimes.push(cpuMs)
  }
  return [name, { ...quantiles(times), cpu: mean(cpuTimes), items: Math.round(items / SAMPLES) }] as const
}

const page = readerHandlers['events.list']
const figures = Object.fromEntries([
  readings('chain_of_100', () => readerHandlers['events.chain'](reader, { uuid: deepestUuid })),
  readings('last_50', (sample) =>
    readerHandlers['sessions.events'](reader, { session_id: at(sample), limit: 50, detail: 'summary' } as never),
  ),
  readings('timeline_of_an_hour', (sample) =>
    readerHandlers['sessions.timeline'](reader, {
      session_id: 'busy',
      start: hour(sample % BUSY_HOURS),
      end: hour((sample % BUSY_HOURS) + 1),
      limit: 5000,
      as_text: false,
    }),
  ),
  readings('timeline_of_a_day', () =>
    readerHandlers['sessions.timeline'](reader, { session_id: 'busy', limit: 5000, as_text: false }),
  ),
  readings('page_of_200', (sample) => page(reader, { session_id: at(sample), limit: 200 })),
])
db.close()

console.log(
  JSON.stringify(
    {
      events: written,
      seconds_to_fill: Math.round(fillSeconds),
      append_ms_per_event: { ...quantiles(perEvent), cpu: mean(cpuPerEvent) },
      ...figures,
      draft_json_bytes_per_event: Math.round(jsonBytes / written),
      ...sizes(),
    },
    null,
    2,
  ),
)

/** Returns bytes per event by purpose, and the largest tables and indexes. */
function sizes() {
  const file = new Database(path, { readonly: true })
  const events = file.prepare<[], number>('SELECT count(*) FROM events').pluck().get() ?? 1
  const tables = file
    .prepare<[], { name: string; bytes: number }>(
      'SELECT name, sum(pgsize) AS bytes FROM dbstat GROUP BY name ORDER BY bytes DESC',
    )
    .all()
  // Contents used only by requests: their blocks, tools and system prompts.
  const contents = tables.find(({ name }) => name === 'contents')?.bytes ?? 0
  const total = tables.reduce((sum, { bytes }) => sum + bytes, 0)
  file.close()
  return {
    bytes_per_event: Math.round(total / events),
    bytes_per_event_without_contents: Math.round((total - contents) / events),
    file_mb: Math.round(statSync(path).size / 1e6),
    by_table: Object.fromEntries(tables.slice(0, 24).map(({ name, bytes }) => [name, Math.round(bytes / events)])),
  }
}
