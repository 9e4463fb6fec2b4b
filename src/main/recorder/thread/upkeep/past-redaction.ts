import { closeSync, openSync, readdirSync, readSync } from 'node:fs'
import { join } from 'node:path'
import type { PastProgress } from '../../../../shared/contract/redaction.ts'
import type { Redactor } from '../../../redaction/redactor.ts'
import { logFilesIn, removeTempFiles } from '../../../sinks/log-files.ts'
import { redactLogFile } from '../../../sinks/recorder/redact-session-logs.ts'
import type { SessionLog } from '../../../sinks/recorder/session-log.ts'
import type { PastRedaction } from '../../../store/redact/redact-past.ts'
import { archiveFolder } from '../../../store/archive/archive-file.ts'
import { keptCopies } from '../../../store/transfer/kept-copies.ts'
import type { Store } from '../../../store/store.ts'
import { examineCopies } from './kept-copies.ts'
import { whileOpen, type Steps } from './steps.ts'

/** A step may take at most 50 ms. This leaves room for a large event. */
const SLICE_MS = 20

/** The rules to apply, and the files to apply them to. */
export interface PastRules {
  readonly redactor: Redactor
  /** Identifies the current rules. A run that was begun under other rules starts over. */
  readonly rules: string
  readonly dataDir: string
  readonly databasePath: string
}

export interface PastRedactionOptions extends PastRules {
  /** Throws `store_unavailable`. */
  store(): Store
  /** Called when stored data changed: caches of it must be dropped. */
  forget(): void
  readonly sessionLog: Pick<SessionLog, 'release' | 'hold'> | null
  /** Removes the remains of replaced text from indexes, archives and the WAL. */
  clear(): Steps<void>
}

type FileProgress = Pick<
  PastProgress,
  'archives' | 'archives_done' | 'files' | 'files_done' | 'files_changed' | 'copies' | 'backups'
>
const NO_FILES: FileProgress = {
  archives: 0,
  archives_done: 0,
  files: 0,
  files_done: 0,
  files_changed: 0,
  copies: [],
  backups: [],
}

/** Returns the run that an earlier recorder left unfinished under the same rules; null if there is none. */
export function interruptedRun({ redactor, rules, store }: PastRedactionOptions): string | null {
  const state = store().maintenance.pastRedaction(redactor).state()
  return state?.rules === rules ? state.run : null
}

/**
 * Redacts everything already stored, behind live traffic. Progress is stored, so an interrupted run resumes. With `run`,
 * only that run resumes; if it no longer exists, it is done.
 */
export function* redactPast(options: PastRedactionOptions, run: string | null): Steps<PastProgress> {
  const { redactor, rules, dataDir, databasePath } = options
  const past = options.store().maintenance.pastRedaction(redactor)
  let files = NO_FILES
  if (run !== null && past.state()?.run !== run) return { ...progressOf(past, files), run, phase: 'done', done: true }
  past.begin(rules)
  const archives = archiveFolder(databasePath)
  yield* whileOpen(options.store, past.noteArchivedCalls(archives), () => ({ progress: progressOf(past, files) }))
  while (past.state()?.phase === 'events' || past.state()?.phase === 'tables') {
    options.store() // Throws if the store was closed meanwhile.
    if (past.slice(SLICE_MS)) options.forget()
    yield { progress: progressOf(past, files) }
  }
  yield* whileOpen(options.store, past.archives(archives), ({ done, all }) => {
    files = { ...files, archives: all, archives_done: done }
    return { progress: progressOf(past, files) }
  })

  const folder = join(dataDir, 'logs')
  const release = options.sessionLog === null ? null : yield* holdLogs(options.sessionLog)
  try {
    removeTempFiles(folder)
    const logs = logFilesIn(folder)
    files = { ...files, files: logs.length, backups: otherDatabases(dataDir, databasePath) }
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
  files = { ...files, copies: [...(yield* examineCopies(options))] }

  yield { progress: { ...progressOf(past, files), phase: 'clearing' } }
  yield* options.clear()
  const last = progressOf(past, files)
  past.finish()
  return { ...last, phase: 'done', done: true }
}

/** Waits until no log file is being rotated, compressed or removed. Returns the function that releases the hold. */
function* holdLogs(sessionLog: Pick<SessionLog, 'hold'>): Steps<() => void> {
  const hold: { release?: () => void } = {}
  void sessionLog.hold().then((release) => (hold.release = release))
  while (hold.release === undefined) yield { pauseMs: 5 }
  return hold.release
}

function progressOf(past: PastRedaction, files: FileProgress): PastProgress {
  const state = past.state()
  const { run = '', phase = 'files', events = 0, events_done = 0, events_changed = 0, rows_changed = 0 } = state ?? {}
  return { run, phase, events, events_done, events_changed, rows_changed, ...files, done: false }
}

/** Returns the other databases in the data folder: backups that the user made. */
function otherDatabases(dataDir: string, databasePath: string): string[] {
  const copies = keptCopies(databasePath).flatMap(({ files }) => files)
  return (
    readdirSync(dataDir, { withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name !== 'writer.lock')
      .map((entry) => join(dataDir, entry.name))
      // Never opens Aspy's own files: closing one would drop the locks that SQLite holds on it in this process.
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
