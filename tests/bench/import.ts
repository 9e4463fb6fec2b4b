import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { createImporter } from '../../src/main/transcripts/importer.ts'
import type { ImportProgress } from '../../src/main/transcripts/protocol.ts'
import { configSchema } from '../../src/shared/config.ts'
import { pass, startRecorder } from '../integration/recorder-harness.ts'
import { writeTranscripts } from '../support/generated-transcripts.ts'
import { makeTempFolder } from '../support/temp-folder.ts'

/**
 * How fast transcripts are imported, redaction and indexes included, while live exchanges pass: MB/s, memory of the whole
 * process, the longest time from the end of a live exchange to its commit; then the same again, unchanged, and what it
 * takes to look at many files that did not change. `ASPY_BENCH_MB` says how much (100).
 */
const megabytes = Number(process.env['ASPY_BENCH_MB'] ?? 100)
const MANY_FILES = Number(process.env['ASPY_BENCH_FILES'] ?? 10_000)
const LIVE_EVERY_MS = 250

using folder = makeTempFolder('aspy-bench-')
const transcripts = join(folder.path, 'projects')
mkdirSync(transcripts)
const made = writeTranscripts(transcripts, { seed: 'import', bytes: megabytes * 1e6, bytesPerFile: 2_500_000 })
const dataDir = join(folder.path, 'data')
const under = await startRecorder(dataDir)
const importer = createImporter({
  dataDir,
  config: configSchema.parse({ transcripts: { follow: false } }),
  claudeFolders: [],
  recorder: under.recorder,
  logger: { warn: console.warn, error: console.error },
})

const withLive = process.env['ASPY_BENCH_LIVE'] !== '0'
const over = new AbortController()
let longestLagMs = 0
let exchanges = 0
async function passLive(): Promise<void> {
  while (!over.signal.aborted) {
    const start = performance.now()
    await pass(under.tap, { session: 'live', prompt: `question ${exchanges}` })
    while (under.tap.stats().queue_bytes > 0) await pause(1)
    longestLagMs = Math.max(longestLagMs, performance.now() - start)
    exchanges += 1
    await pause(LIVE_EVERY_MS)
  }
}

async function run(
  paths: readonly string[],
): Promise<{ readonly ms: number; readonly last: ImportProgress; readonly rss: number }> {
  let last: ImportProgress | null = null
  let rss = 0
  const start = performance.now()
  for await (const progress of importer.import(paths)) {
    last = progress
    rss = Math.max(rss, process.memoryUsage.rss())
  }
  if (last === null) throw new Error('an import says how it ended')
  return { ms: performance.now() - start, last, rss }
}

const rssBefore = process.memoryUsage.rss()
const cpuBefore = process.cpuUsage()
const live = withLive ? passLive() : Promise.resolve()
const first = await run([transcripts])
over.abort()
await live
const cpu = process.cpuUsage(cpuBefore)
const again = await run([transcripts])

const many = join(folder.path, 'many')
for (let file = 0; file < MANY_FILES; file += 1) {
  const project = join(many, `project-${file % 50}`)
  if (file < 50) mkdirSync(project, { recursive: true })
  writeFileSync(join(project, `${file}.jsonl`), `{"type":"mode","mode":"normal","sessionId":"many-${file}"}\n`)
}
const manyFirst = await run([many])
const manyAgain = await run([many])

const mb = (bytes: number) => Math.round(bytes / 1e6)
console.log(
  JSON.stringify(
    {
      transcripts: { ...made, mb: mb(made.bytes) },
      import: {
        mb_per_s: Math.round((made.bytes / 1e6 / first.ms) * 10_000) / 10,
        seconds: Math.round(first.ms / 100) / 10,
        cpu_seconds: Math.round((cpu.user + cpu.system) / 1e5) / 10,
        events: first.last.events_added,
        rss_before_mb: mb(rssBefore),
        rss_mb: mb(first.rss),
        database_mb: mb(statSync(join(dataDir, 'lifestats.db')).size),
        live_exchanges: exchanges,
        longest_live_commit_ms: Math.round(longestLagMs),
      },
      unchanged: { files: again.last.files, unchanged: again.last.files_unchanged, ms: Math.round(again.ms) },
      many: {
        files: manyFirst.last.files,
        first_ms: Math.round(manyFirst.ms),
        unchanged: manyAgain.last.files_unchanged,
        again_ms: Math.round(manyAgain.ms),
      },
    },
    null,
    2,
  ),
)
await importer.stop()
await under.stop()
