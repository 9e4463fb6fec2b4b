import { cpSync } from 'node:fs'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { loadHashKey } from '../../src/main/base/hash-key.ts'
import { generateHistory } from '../support/demo/generate-history.ts'
import { replaySlice } from '../../src/main/recorder/thread/write/replay-spool.ts'
import { createRedactor } from '../../src/main/redaction/create-redactor.ts'
import { openStore } from '../../src/main/store/open-store.ts'
import { createSpool } from '../../src/main/store/transfer/spool.ts'
import { configSchema } from '../../src/shared/config.ts'
import type { AnyEvent } from '../../src/shared/event.ts'
import { makeTempFolder } from '../support/runner/temp-folder.ts'
import { promptFact } from '../support/store/history.ts'
import { filledStore, LARGE_SESSION } from './filled-store.ts'
import { importBeside } from './import-beside.ts'
import { figuresOf, timed, type Span } from './spans.ts'

/**
 * Measures how long live commits wait for a step of long work on the store: import, restoring a spool, redaction of the
 * past, deletion of a session with its scrub, rebuild (which also repairs full text), archiving, and deleting what is too
 * old. One small live commit follows each step, as in the recorder's slow lane. Reports steps and commits, in milliseconds
 * by the clock and of the thread's processor time. Names of phases select some. `ASPY_BENCH_EVENTS` sets the size of the
 * store (200,000), which is kept in `out/bench`; a million events take 2 GB, a copy of which is changed.
 */
const EVENTS = Number(process.env['ASPY_BENCH_EVENTS'] ?? 200_000)
/** Drafts in the spool. */
const SPOOLED = Math.round(EVENTS / 10)
const IMPORTED = Math.min(100_000, Math.round(EVENTS / 4))
const BEHIND_MS = 10
const REDACTION_SLICE_MS = 20
const RETENTION = { retention_days: 60, archive_days: 0, delete_days: 0 }
/** With `archive_days`, archives without additions for so long are removed. */
const DELETED_AFTER_DAYS = 110
const DAY_MS = 86_400_000

const limits = configSchema.parse({}).lifestats
const kept = filledStore(EVENTS)
using folder = makeTempFolder('aspy-bench-')
const dataDir = join(folder.path, 'data')
cpSync(kept, dataDir, { recursive: true })
const asked = process.argv.slice(2)
const middling = middlingSession()
const [opening, store] = timed(() => openStore({ dataDir, hashKey: loadHashKey(dataDir), limits }))
console.log(JSON.stringify({ events: EVENTS, phase: 'opening', load: load(), steps: figuresOf([opening]) }))
try {
  if (isAsked('import')) await measureImport()
  await measure('spool', () => restoreSpool())
  await measure('redaction', () => redactPast())
  await measure('deletion', () => store.removal.deleteInSteps(middling))
  await measure('large', () => store.removal.deleteInSteps(LARGE_SESSION))
  await measure('scrub', () => store.maintenance.scrub(true))
  await measure('rebuild', () => store.maintenance.rebuild())
  await measure('archiving', () => store.maintenance.archive(RETENTION))
  await measure('old', () => deleteOld())
} finally {
  store.close()
}

function isAsked(phase: string): boolean {
  return asked.length === 0 || asked.includes(phase)
}

function load(): number {
  return Math.round((loadavg()[0] ?? 0) * 10) / 10
}

/** Fills a spool, and returns how it is restored to the store, in the slices of the recorder. */
function restoreSpool(): Generator<void, void, void> {
  const contents = { unsaved: () => null, put: () => undefined }
  const onAwaited = () => undefined
  const options = { path: join(dataDir, 'spool.jsonl'), hash: (text: string) => text, limits, contents, onAwaited }
  const spool = createSpool(options)
  const history = generateHistory({ seed: 'spool', sessions: 20, events: SPOOLED, days: 1, until: Date.now() })
  for (const drafts of history) spool.write(drafts)
  const ignored = { accept: (event: AnyEvent) => event, onStored: () => undefined, onLost: () => undefined }
  return (function* slices() {
    while (!replaySlice(spool, store.ingest, ignored)) yield
  })()
}

/** Redacts with rules that find nothing, as most stored text has nothing to find. */
function* redactPast(): Generator<void, void, void> {
  const redactor = createRedactor({ hashKey: loadHashKey(dataDir), enabled: true })
  const past = store.maintenance.pastRedaction(redactor)
  past.begin('bench')
  yield
  for (let phase = past.state()?.phase; phase === 'events' || phase === 'tables'; phase = past.state()?.phase) {
    past.slice(REDACTION_SLICE_MS)
    yield
  }
  past.finish()
}

/** Deletes sessions that were silent for long, as retention does. */
function* deleteOld(): Generator<void, void, void> {
  const before = new Date(Date.now() - DELETED_AFTER_DAYS * DAY_MS).toISOString()
  for (const id of store.maintenance.silentSessions(before, 50)) yield* store.removal.deleteInSteps(id)
}

/** Returns the largest of the usual sessions. */
function middlingSession(): string {
  const db = new Database(join(dataDir, 'lifestats.db'), { readonly: true })
  try {
    const sql = `SELECT session_id FROM events GROUP BY session_id HAVING session_id NOT GLOB '${LARGE_SESSION}*'
      ORDER BY count(*) DESC LIMIT 1`
    return String(db.prepare(sql).pluck().get())
  } finally {
    db.close()
  }
}

function commitLive(phase: string, at: number): Span {
  const facts = promptFact(`live-${phase}`, `${phase}-${at}`, `question ${at} of ${phase}`, at * 1000)
  return timed(() => store.ingest.append(facts.reports))[0]
}

async function measureImport(): Promise<void> {
  const begun = performance.now()
  const commits: Span[] = []
  const steps = await importBeside(store, IMPORTED, () => {
    commits.push(commitLive('import', commits.length))
  })
  report('import', begun, { ...steps, commits })
}

/** Runs work step by step, with a live commit after each, and waits where it asks to or for a promise. */
async function measure(phase: string, begin: () => Generator<unknown, unknown, void> | null): Promise<void> {
  if (!isAsked(phase)) return
  const steps: Span[] = []
  const commits: Span[] = []
  const begun = performance.now()
  const work = begin()
  for (let at = 0; ; at += 1) {
    const [step, result] = timed(() => work?.next())
    steps.push(step)
    // As the slow lane does: a commit would have to move a long WAL itself.
    while (store.maintenance.isDiskBehind()) await pause(BEHIND_MS)
    commits.push(commitLive(phase, at))
    if (result?.done !== false) break
    const { value } = result
    if (typeof value === 'number' && value > 0) await pause(value)
    else await turn()
    if (typeof value === 'object' && value !== null && 'until' in value) await value.until
  }
  report(phase, begun, { steps, commits })
}

function report(phase: string, begun: number, parts: { readonly [part: string]: readonly Span[] }): void {
  const seconds = Math.round((performance.now() - begun) / 100) / 10
  const figures = Object.entries(parts).map(([part, spans]) => [part, figuresOf(spans)])
  console.log(JSON.stringify({ events: EVENTS, phase, load: load(), seconds, ...Object.fromEntries(figures) }))
}
