import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { Worker } from 'node:worker_threads'
import Database from 'better-sqlite3'
import { Importer } from '../../src/main/transcripts/host/importer.ts'
import type { ImportProgress } from '../../src/main/transcripts/protocol.ts'
import { configSchema } from '../../src/shared/config.ts'
import { pass, startRecorder } from '../support/recorder/harness.ts'
import { writeTranscripts } from '../support/store/generated-transcripts.ts'
import { multiplyTranscripts } from '../support/store/multiplied-transcripts.ts'
import { makeTempFolder } from '../support/runner/temp-folder.ts'
import { timeCcusage, timeUntilFigures } from './recent-figures.ts'

/**
 * Measures transcript import, with redaction and indexes, during live exchanges: MB/s, processor time, memory of the importer thread and
 * of the process, and the delay from the end of a live exchange to its commit. Then measures importing the same files again, scanning
 * many unchanged files, following them while idle, and the size of the store by table. `ASPY_BENCH_MB` sets the amount (1000),
 * `ASPY_BENCH_FILES` the number of files (10,000); `ASPY_BENCH_LIVE=0` skips the live exchanges. The bench `ccusage` compares totals.
 *
 * `--transcripts FOLDER` imports real transcripts instead, `--copies N` times with ids of their own, and measures when the figures of
 * the last 30 days can be read. `--ccusage` then times ccusage on the same files.
 */
const { values: given } = parseArgs({
  options: {
    transcripts: { type: 'string' },
    copies: { type: 'string', default: '1' },
    ccusage: { type: 'boolean', default: false },
  },
})
const megabytes = Number(process.env['ASPY_BENCH_MB'] ?? 1000)
const MANY_FILES = Number(process.env['ASPY_BENCH_FILES'] ?? 10_000)
const LIVE_EVERY_MS = 250
const IDLE_MS = 20_000
/** Time for the first scan of all files. */
const SETTLE_MS = 8000
const WATCH_EVERY_MS = 100

/** Running threads by name. */
const threads = new Map<string, Worker>()
process.on('worker', (worker) => {
  const name = worker.threadName ?? ''
  threads.set(name, worker)
  worker.on('exit', () => {
    if (threads.get(name) === worker) threads.delete(name)
  })
})

/** Returns a thread's processor time so far in ms. */
async function cpuOf(name: string): Promise<number> {
  const used = await threads.get(name)?.cpuUsage()
  return used ? (used.user + used.system) / 1000 : 0
}

/** Peak memory of the importer thread (heap and external, bytes) and its processor time in ms. */
async function watchImporter(signal: AbortSignal): Promise<{ readonly bytes: number; readonly cpuMs: number }> {
  let [bytes, cpuMs] = [0, 0]
  while (!signal.aborted) {
    try {
      const heap = await threads.get('importer')?.getHeapStatistics()
      if (heap) bytes = Math.max(bytes, heap.total_heap_size + heap.external_memory + heap.malloced_memory)
      cpuMs = Math.max(cpuMs, await cpuOf('importer'))
    } catch {
      // The thread is starting or has ended: keep the last figures.
      await pause(WATCH_EVERY_MS)
    }
    await pause(WATCH_EVERY_MS)
  }
  return { bytes, cpuMs }
}

using folder = makeTempFolder('aspy-bench-')
const transcripts = join(folder.path, 'projects')
mkdirSync(transcripts)
const multiplied =
  given.transcripts === undefined ? null : multiplyTranscripts(given.transcripts, transcripts, Number(given.copies))
const made =
  multiplied ?? writeTranscripts(transcripts, { seed: 'import', bytes: megabytes * 1e6, bytesPerFile: 2_500_000 })
const dataDir = join(folder.path, 'data')
const under = await startRecorder(dataDir)
const importer = new Importer({
  dataDir,
  config: configSchema.parse({ transcripts: { follow: false } }),
  homes: {},
  recorder: under.recorder,
  logger: { warn: console.warn, error: console.error },
})

const withLive = process.env['ASPY_BENCH_LIVE'] !== '0'
const over = new AbortController()
const lagsMs: number[] = []
let exchanges = 0
async function passLive(): Promise<void> {
  while (!over.signal.aborted) {
    const start = performance.now()
    await pass(under.tap, { session: 'live', prompt: `question ${exchanges}` })
    while (under.tap.stats().queue_bytes > 0) await pause(1)
    lagsMs.push(performance.now() - start)
    exchanges += 1
    await pause(LIVE_EVERY_MS)
  }
}

/** The first pass, which reads only figures. */
let begun: { readonly at: number; readonly importer: number } | null = null
let preview = { ms: Number.NaN, cpuMs: { importer: Number.NaN, recorder: Number.NaN } }
const recorderBefore = await cpuOf('recorder')

async function run(
  paths: readonly string[],
): Promise<{ readonly ms: number; readonly last: ImportProgress; readonly rss: number }> {
  let last: ImportProgress | null = null
  let rss = 0
  const start = performance.now()
  for await (const progress of importer.import(paths)) {
    // The thread has started by now, and has read nothing.
    begun ??= { at: performance.now(), importer: await cpuOf('importer') }
    if (last?.previewing === true && !progress.previewing) {
      const recorder = (await cpuOf('recorder')) - recorderBefore
      const cpuMs = { importer: (await cpuOf('importer')) - begun.importer, recorder }
      preview = { ms: performance.now() - begun.at, cpuMs }
    }
    last = progress
    rss = Math.max(rss, process.memoryUsage.rss())
  }
  if (last === null) throw new Error('the import ended without a result')
  return { ms: performance.now() - start, last, rss }
}

const rssBefore = process.memoryUsage.rss()
const cpuBefore = process.cpuUsage()
const live = withLive ? passLive() : Promise.resolve()
const watched = watchImporter(over.signal)
const databasePath = join(dataDir, 'lifestats.db')
const recent = multiplied === null ? null : timeUntilFigures(databasePath, multiplied.recent, over.signal)
const first = await run([transcripts])
over.abort()
const recentMs = await recent
await live
const importerUsed = await watched
const recorderMs = (await cpuOf('recorder')) - recorderBefore
const cpu = process.cpuUsage(cpuBefore)
const storage = measureStorage(databasePath, first.last.events_added)
const again = await run([transcripts])
const ccusage = given.ccusage ? await timeCcusage(folder.path, made.bytes) : null

const many = join(folder.path, 'many')
for (let file = 0; file < MANY_FILES; file += 1) {
  const project = join(many, `project-${file % 50}`)
  if (file < 50) mkdirSync(project, { recursive: true })
  writeFileSync(join(project, `${file}.jsonl`), `{"type":"mode","mode":"normal","sessionId":"many-${file}"}\n`)
}
const manyFirst = await run([many])
const manyAgain = await run([many])
await importer.stop()
const idle = await measureIdle()
await under.stop()

/** Measures following files while idle, for the whole process. */
async function measureIdle() {
  const following = new Importer({
    dataDir,
    config: configSchema.parse({ transcripts: { folders: [many] } }),
    homes: {},
    recorder: under.recorder,
    logger: { warn: console.warn, error: console.error },
  })
  following.follow()
  await pause(SETTLE_MS)
  const [readBefore, cpuAtStart] = [bytesRead(), process.cpuUsage()]
  await pause(IDLE_MS)
  const { user, system } = process.cpuUsage(cpuAtStart)
  const read = bytesRead() - readBefore
  await following.stop()
  return {
    seconds: IDLE_MS / 1000,
    files: MANY_FILES,
    cpu_percent: Math.round(((user + system) / 1000 / IDLE_MS) * 10_000) / 100,
    bytes_read: read,
  }
}

/** Compares the size of the database, without free pages, to the transcripts, and lists bytes per event of the largest tables. */
function measureStorage(path: string, events: number) {
  const db = new Database(path, { readonly: true })
  const tables = db
    .prepare<[], { name: string; bytes: number }>(
      'SELECT name, sum(pgsize) AS bytes FROM dbstat GROUP BY name ORDER BY bytes DESC',
    )
    .all()
  db.close()
  const size = tables.reduce((sum, { bytes }) => sum + bytes, 0)
  return {
    database_mb: Math.round(size / 1e6),
    share_of_transcripts: Math.round((size / made.bytes) * 100) / 100,
    bytes_per_event: Math.round(size / events),
    by_table: Object.fromEntries(tables.slice(0, 20).map(({ name, bytes }) => [name, Math.round(bytes / events)])),
  }
}

/** Returns the bytes a process has read from any source. Linux only. */
function bytesRead(): number {
  try {
    return Number(/rchar: (\d+)/.exec(readFileSync('/proc/self/io', 'utf8'))?.[1])
  } catch {
    return Number.NaN
  }
}

const mb = (bytes: number) => Math.round(bytes / 1e6)
const round = (value: number) => Math.round(value * 10) / 10
console.log(
  JSON.stringify(
    {
      transcripts: { ...made, mb: mb(made.bytes) },
      figures: {
        mb_per_s: round(made.bytes / 1e3 / preview.ms),
        seconds: Math.round(preview.ms / 100) / 10,
        last_30_days_seconds: recentMs === null ? null : Math.round(recentMs / 100) / 10,
        cpu_ms_per_mb: {
          importer: round(preview.cpuMs.importer / (made.bytes / 1e6)),
          recorder: round(preview.cpuMs.recorder / (made.bytes / 1e6)),
        },
      },
      import: {
        mb_per_s: Math.round((made.bytes / 1e6 / first.ms) * 10_000) / 10,
        seconds: Math.round(first.ms / 100) / 10,
        cpu_seconds: Math.round((cpu.user + cpu.system) / 1e5) / 10,
        events: first.last.events_added,
        cpu_ms_per_mb: {
          importer: round(importerUsed.cpuMs / (made.bytes / 1e6)),
          recorder: round(recorderMs / (made.bytes / 1e6)),
        },
        importer_mb: mb(importerUsed.bytes),
        rss_before_mb: mb(rssBefore),
        rss_mb: mb(first.rss),
        live_exchanges: exchanges,
        live_commit_ms: {
          p50: Math.round(lagsMs.toSorted((a, b) => a - b)[Math.floor(lagsMs.length / 2)] ?? Number.NaN),
          longest: Math.round(Math.max(...lagsMs)),
        },
      },
      ccusage,
      unchanged: { files: again.last.files, unchanged: again.last.files_unchanged, ms: Math.round(again.ms) },
      many: {
        files: manyFirst.last.files,
        first_ms: Math.round(manyFirst.ms),
        unchanged: manyAgain.last.files_unchanged,
        again_ms: Math.round(manyAgain.ms),
      },
      idle,
      storage,
    },
    null,
    2,
  ),
)
