import { cpSync, existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { loadHashKey } from '../../src/main/base/hash-key.ts'
import { generateHistory } from '../../src/main/demo/generate-history.ts'
import { replaySlice } from '../../src/main/recorder/thread/write/replay-spool.ts'
import { openStore } from '../../src/main/store/open-store.ts'
import type { Store } from '../../src/main/store/store.ts'
import { createSpool } from '../../src/main/store/transfer/spool.ts'
import { configSchema } from '../../src/shared/config.ts'
import type { AnyEvent } from '../../src/shared/event.ts'
import { makeTempFolder } from '../support/runner/temp-folder.ts'
import { promptFact } from '../support/store/history.ts'

/**
 * Measures how long live commits wait for a step of long work on the store: deletion of a session with its scrub, rebuild (which
 * also repairs full text), archiving, and restoring a spool. One small live commit follows each step, as in the recorder's slow lane. Reports steps and commits, in milliseconds by
 * the clock and of the thread's processor time. Names of phases select some. The filled store is kept in `out/bench`;
 * `ASPY_BENCH_EVENTS` sets its size (200,000).
 */
const EVENTS = Number(process.env['ASPY_BENCH_EVENTS'] ?? 200_000)
const DAYS = 120
/** Drafts in the spool. */
const SPOOLED = Math.round(EVENTS / 10)
const BEHIND_MS = 10
const RETENTION = { retention_days: 60, archive_days: 0, delete_days: 0 }

const limits = configSchema.parse({}).lifestats
const kept = join(import.meta.dirname, `../../out/bench/pauses-${EVENTS}`)
if (!existsSync(kept)) fill()
using folder = makeTempFolder('aspy-bench-')
const dataDir = join(folder.path, 'data')
cpSync(kept, dataDir, { recursive: true })
const largest = largestSession()
const store = openStore({ dataDir, hashKey: loadHashKey(dataDir), limits })
const asked = process.argv.slice(2)
try {
  await measure('deletion', () => store.removal.deleteInSteps(largest))
  await measure('scrub', () => store.maintenance.scrub(true))
  await measure('rebuild', () => store.maintenance.rebuild())
  await measure('archiving', () => store.maintenance.archive(RETENTION))
  await measure('spool', () => restoreSpool())
} finally {
  store.close()
}

function fill(): void {
  mkdirSync(kept, { recursive: true, mode: 0o700 })
  const filled: Store = openStore({ dataDir: kept, hashKey: loadHashKey(kept), limits })
  const sessions = Math.max(10, Math.round(EVENTS / 500))
  for (const drafts of generateHistory({ seed: 'lag', sessions, events: EVENTS, days: DAYS, until: Date.now() }))
    filled.ingest.append(drafts)
  filled.maintenance.checkpoint()
  filled.close()
}

/** Fills a spool, and returns how it is restored to the store, in the slices of the recorder. */
function restoreSpool(): Generator<void, void, void> {
  const contents = { unsaved: () => null, put: () => undefined }
  const options = { path: join(dataDir, 'spool.jsonl'), hash: (text: string) => text, limits, contents }
  const spool = createSpool(options)
  const history = generateHistory({ seed: 'spool', sessions: 20, events: SPOOLED, days: 1, until: Date.now() })
  for (const drafts of history) spool.write(drafts)
  const ignored = { accept: (event: AnyEvent) => event, onStored: () => undefined, onLost: () => undefined }
  return (function* slices() {
    while (!replaySlice(spool, store.ingest, ignored)) yield
  })()
}

function largestSession(): string {
  const db = new Database(join(dataDir, 'lifestats.db'), { readonly: true })
  try {
    const sql = 'SELECT session_id FROM events GROUP BY session_id ORDER BY count(*) DESC LIMIT 1'
    return String(db.prepare(sql).pluck().get())
  } finally {
    db.close()
  }
}

/** Runs work step by step, with a live commit after each, and waits where it asks to or for a promise. */
async function measure(phase: string, begin: () => Generator<unknown, unknown, void> | null): Promise<void> {
  if (asked.length > 0 && !asked.includes(phase)) return
  const steps: Span[] = []
  const commits: Span[] = []
  const begun = performance.now()
  const work = begin()
  for (let at = 0; ; at += 1) {
    const [step, result] = timed(() => work?.next())
    steps.push(step)
    // As the slow lane does: a commit would have to move a long WAL itself.
    while (store.maintenance.isDiskBehind()) await pause(BEHIND_MS)
    const facts = promptFact(`live-${phase}`, `${phase}-${at}`, `question ${at} of ${phase}`, at * 1000)
    const [commit] = timed(() => store.ingest.append(facts.reports))
    commits.push(commit)
    if (result?.done !== false) break
    const { value } = result
    if (typeof value === 'number' && value > 0) await pause(value)
    else await turn()
    if (typeof value === 'object' && value !== null && 'until' in value) await value.until
  }
  const seconds = Math.round((performance.now() - begun) / 100) / 10
  console.log(JSON.stringify({ events: EVENTS, phase, seconds, steps: figuresOf(steps), commits: figuresOf(commits) }))
}

interface Span {
  readonly ms: number
  readonly cpuMs: number
}

function timed<Result>(work: () => Result): [Span, Result] {
  const [begun, cpu] = [performance.now(), process.threadCpuUsage()]
  const result = work()
  const { user, system } = process.threadCpuUsage(cpu)
  return [{ ms: performance.now() - begun, cpuMs: (user + system) / 1000 }, result]
}

function figuresOf(spans: readonly Span[]) {
  const at = (values: readonly number[], share: number) => {
    const sorted = values.toSorted((one, other) => one - other)
    return Math.round((sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN) * 10) / 10
  }
  const [wall, cpu] = [spans.map(({ ms }) => ms), spans.map(({ cpuMs }) => cpuMs)]
  const shares = (values: readonly number[]) => ({
    p50: at(values, 0.5),
    p99: at(values, 0.99),
    longest: at(values, 1),
  })
  return { count: spans.length, ms: shares(wall), cpu_ms: shares(cpu) }
}
