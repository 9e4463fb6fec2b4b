import { closeSync, openSync, readdirSync, readSync } from 'node:fs'
import { join } from 'node:path'
import type { PastProgress } from '../../../../shared/contract/redaction.ts'
import type { Redactor } from '../../../redaction/redactor.ts'
import { logFilesIn, removeTempFiles } from '../../../sinks/log-files.ts'
import { redactLogFile } from '../../../sinks/recorder/redact-session-logs.ts'
import type { SessionLog } from '../../../sinks/recorder/session-log.ts'
import type { PastRedaction } from '../../../store/redact/redact-past.ts'
import { archiveFolder } from '../../../store/archive/archive-file.ts'
import { keptCopies } from '../../../store/delete/scrub.ts'
import type { Store } from '../../../store/store.ts'
import type { Steps } from './slow-lane.ts'

/** A step may take 50 ms at most, and a single event may be large. */
const SLICE_MS = 20

/** What the past is redacted by, and where it lies. */
export interface PastRules {
  readonly redactor: Redactor
  /** Stands for the rules in force: what was begun under others begins anew. */
  readonly rules: string
  readonly dataDir: string
  readonly databasePath: string
}

interface PastRedactionOptions extends PastRules {
  /** Throws `store_unavailable`. */
  store(): Store
  /** Something stored is another now: what was remembered of it must be forgotten. */
  forget(): void
  readonly sessionLog: Pick<SessionLog, 'release' | 'hold'> | null
  /** Takes what was replaced out of every byte. */
  clear(): Steps<void>
}

type OfFiles = Pick<
  PastProgress,
  'archives' | 'archives_done' | 'files' | 'files_done' | 'files_changed' | 'copies_removed' | 'backups'
>
const NO_FILES: OfFiles = {
  archives: 0,
  archives_done: 0,
  files: 0,
  files_done: 0,
  files_changed: 0,
  copies_removed: [],
  backups: [],
}

/** The run that an earlier recorder left, begun under the same rules; null: there is none. */
export function interruptedRun({ redactor, rules, store }: PastRedactionOptions): string | null {
  const state = store().pastRedaction(redactor).state()
  return state?.rules === rules ? state.run : null
}

/**
 * Redacts what was stored before, behind live traffic; what is done is kept, so that it goes on after an end. With `run`
 * only that one goes on: it is done, where it is not there any more.
 */
export function* redactPast(options: PastRedactionOptions, run: string | null): Steps<PastProgress> {
  const { redactor, rules, dataDir, databasePath } = options
  const past = options.store().pastRedaction(redactor)
  let files = NO_FILES
  if (run !== null && past.state()?.run !== run) return { ...progressOf(past, files), run, phase: 'done', done: true }
  past.begin(rules)
  const archives = archiveFolder(databasePath)
  yield* whileOpen(options, past.noteArchivedCalls(archives), () => progressOf(past, files))
  while (past.state()?.phase === 'events' || past.state()?.phase === 'tables') {
    // Closed in between, it must not be written to any more.
    options.store()
    if (past.slice(SLICE_MS)) options.forget()
    yield { progress: progressOf(past, files) }
  }
  yield* whileOpen(options, past.archives(archives), ({ done, all }) => {
    files = { ...files, archives: all, archives_done: done }
    return progressOf(past, files)
  })

  const folder = join(dataDir, 'logs')
  const copies = keptCopies(databasePath)
  const release = options.sessionLog === null ? null : yield* held(options.sessionLog)
  try {
    removeTempFiles(folder)
    const logs = logFilesIn(folder)
    files = {
      ...files,
      files: logs.length,
      copies_removed: copies,
      backups: otherDatabases(dataDir, databasePath, copies),
    }
    for (const log of logs) {
      const parts = redactLogFile(folder, log, redactor, () => options.sessionLog?.release(log.file))
      let part = parts.next()
      for (; !part.done; part = parts.next()) yield { progress: progressOf(past, files), pauseMs: part.value }
      files = { ...files, files_done: files.files_done + 1, files_changed: files.files_changed + Number(part.value) }
      yield { progress: progressOf(past, files) }
    }
  } finally {
    release?.()
  }

  yield { progress: { ...progressOf(past, files), phase: 'clearing' } }
  yield* options.clear()
  const last = progressOf(past, files)
  past.finish()
  return { ...last, phase: 'done', done: true }
}

/** The steps of a work on files of the store, as long as that is open. */
function* whileOpen<Told>(
  { store }: PastRedactionOptions,
  steps: Generator<Told, void, void>,
  tell: (told: Told) => PastProgress,
): Steps<void> {
  try {
    for (;;) {
      store()
      const step = steps.next()
      if (step.done) return
      yield { progress: tell(step.value) }
    }
  } finally {
    steps.return()
  }
}

/** Waits until no file of a log is put aside, compressed or removed any more. */
function* held(sessionLog: Pick<SessionLog, 'hold'>): Steps<() => void> {
  const hold: { release?: () => void } = {}
  void sessionLog.hold().then((release) => (hold.release = release))
  while (hold.release === undefined) yield { pauseMs: 5 }
  return hold.release
}

function progressOf(past: PastRedaction, files: OfFiles): PastProgress {
  const state = past.state()
  const { run = '', phase = 'files', up_to = 0, after = 0, events_changed = 0, rows_changed = 0 } = state ?? {}
  const events_done = phase === 'events' ? after : up_to
  return { run, phase, events: up_to, events_done, events_changed, rows_changed, ...files, done: false }
}

/** Other databases in the data folder: somebody's backups. */
function otherDatabases(dataDir: string, databasePath: string, copies: readonly string[]): string[] {
  return (
    readdirSync(dataDir, { withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name !== 'writer.lock')
      .map((entry) => join(dataDir, entry.name))
      // Never our own files: to open and close one would drop the locks that SQLite holds on it in this process.
      .filter((path) => path !== databasePath && !path.startsWith(`${databasePath}-`) && !copies.includes(path))
      .filter(isDatabase)
  )
}

const MAGIC = 'SQLite format 3\0'

function isDatabase(path: string): boolean {
  const file = openSync(path, 'r')
  try {
    const start = Buffer.alloc(MAGIC.length)
    return readSync(file, start, 0, start.length, 0) === start.length && start.toString('latin1') === MAGIC
  } finally {
    closeSync(file)
  }
}
