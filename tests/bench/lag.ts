import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Worker } from 'node:worker_threads'
import Database from 'better-sqlite3'
import { generateHistory } from '../support/demo/generate-history.ts'
import { loadHashKey } from '../../src/main/base/hash-key.ts'
import { openStore } from '../../src/main/store/open-store.ts'
import { Importer } from '../../src/main/transcripts/host/importer.ts'
import { configSchema } from '../../src/shared/config.ts'
import { pass, startRecorder } from '../support/recorder/harness.ts'
import { writeTranscripts } from '../support/store/generated-transcripts.ts'
import { makeTempFolder } from '../support/runner/temp-folder.ts'
import { until } from '../support/runner/until.ts'

/**
 * Measures the commit delay of live traffic during long work of the recorder. Exchanges arrive at a steady rate: idle, and during an
 * import, a rebuild, archiving, the deletion of a session, and the repair of a damaged full-text index. For each phase, in
 * milliseconds: the time from the end of an exchange to its acknowledgement, and the recorder thread's processor time. The tap batches
 * for up to 20 ms and the recorder for up to 40 ms by design. `ASPY_BENCH_EVENTS` sets the size of the store (100,000),
 * `ASPY_BENCH_MB` the size of the import (50), `ASPY_BENCH_EVERY` the milliseconds between exchanges (50).
 */
const EVENTS = Number(process.env['ASPY_BENCH_EVENTS'] ?? 100_000)
const MEGABYTES = Number(process.env['ASPY_BENCH_MB'] ?? 50)
const EVERY_MS = Number(process.env['ASPY_BENCH_EVERY'] ?? 50)
const REST_MS = 5000
const MIN_EXCHANGES = 20
/** Half of the history is older than this. */
const DAYS = 120
const RETENTION_DAYS = 60

using folder = makeTempFolder('aspy-bench-')
const transcripts = join(folder.path, 'projects')
mkdirSync(transcripts)
writeTranscripts(transcripts, { seed: 'lag', bytes: MEGABYTES * 1e6, bytesPerFile: 2_500_000 })
const dataDir = join(folder.path, 'data')
mkdirSync(dataDir, { mode: 0o700 })
const deleted = fill()

const config = { lifestats: { retention_days: RETENTION_DAYS }, transcripts: { follow: false } }
let recorder: Worker | null = null
process.on('worker', (worker) => {
  if (worker.threadName === 'recorder') recorder = worker
})
/** Returns the recorder thread's processor time in ms, which other load on the machine affects less than elapsed time. */
async function cpuNow(): Promise<number> {
  const used = await recorder?.cpuUsage()
  return used ? (used.user + used.system) / 1000 : Number.NaN
}

interface Lag {
  readonly ms: number
  readonly cpuMs: Promise<number>
}
const waiting = new Map<string, Lag>()
let lags: Lag[] = []
const under = await startRecorder(dataDir, {
  config,
  onAcknowledge(exchange) {
    const ended = waiting.get(exchange)
    waiting.delete(exchange)
    if (ended === undefined) return
    const cpuMs = Promise.all([ended.cpuMs, cpuNow()]).then(([before, after]) => after - before)
    lags.push({ ms: performance.now() - ended.ms, cpuMs })
  },
})
const importer = new Importer({
  dataDir,
  config: configSchema.parse(config),
  homes: {},
  recorder: under.recorder,
  logger: { warn: console.warn, error: console.error },
})

const phases: Record<string, unknown> = {}
await measure('rest', () => pause(REST_MS))
await measure('import', async () => {
  for await (const _ of importer.import([transcripts]));
})
await importer.stop()
await measure('rebuild', () => under.recorder.call('store.rebuild', {}))
await measure('archiving', () => under.recorder.call('store.archive', {}))
await measure('deletion', () => under.recorder.call('sessions.delete', { session_id: deleted }))
await measure('full_text_repair', repairFullText)
await under.stop()
console.log(JSON.stringify({ events: EVENTS, imported_mb: MEGABYTES, every_ms: EVERY_MS, phases }, null, 2))

/** Fills the store and returns one of its sessions. */
function fill(): string {
  const store = openStore({ dataDir, hashKey: loadHashKey(dataDir), limits: configSchema.parse({}).lifestats })
  const sessions = Math.max(10, Math.round(EVENTS / 500))
  let session = ''
  for (const drafts of generateHistory({ seed: 'lag', sessions, events: EVENTS, days: DAYS, until: Date.now() })) {
    store.ingest.append(drafts)
    session = drafts[0]?.session_id ?? session
  }
  store.maintenance.checkpoint()
  store.close()
  return session
}

/** Sends exchanges at a steady rate during the work, without waiting for earlier ones to be acknowledged. */
async function measure(phase: string, work: () => Promise<unknown>): Promise<void> {
  lags = []
  const begun = performance.now()
  const over = new AbortController()
  const working = work().finally(() => over.abort())
  for (let at = 1; !over.signal.aborted || at <= MIN_EXCHANGES; at += 1) {
    const exchange = await pass(under.tap, { session: `live-${phase}`, prompt: `${phase}, question ${at}` })
    waiting.set(exchange, { ms: performance.now(), cpuMs: cpuNow() })
    await pause(Math.max(0, begun + at * EVERY_MS - performance.now()))
  }
  await working
  const seconds = (performance.now() - begun) / 1000
  await until('all is safe', async () => waiting.size === 0)
  phases[phase] = {
    seconds: Math.round(seconds * 10) / 10,
    exchanges: lags.length,
    lag_ms: figuresOf(lags.map(({ ms }) => ms)),
    recorder_cpu_ms: figuresOf(await Promise.all(lags.map(({ cpuMs }) => cpuMs))),
  }
}

function figuresOf(times: readonly number[]) {
  const sorted = times.toSorted((one, other) => one - other)
  const at = (share: number) => Math.round(sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN)
  return { p50: at(0.5), p99: at(0.99), longest: at(1) }
}

/** Damages the full-text index of prompts and waits until the recorder has repaired it. */
async function repairFullText(): Promise<void> {
  const db = new Database(join(dataDir, 'lifestats.db'))
  db.unsafeMode(true)
  db.exec("UPDATE prompts_fts_data SET block = x'00000000ffffffffffffffffffffff' WHERE id = 10")
  db.close()
  await until('the damage is met', async () => under.health().state === 'spooling')
  await until('it is mended', async () => under.health().state === 'running' && under.health().spooled === 0)
}
