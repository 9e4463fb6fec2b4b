import { Worker } from 'node:worker_threads'
import { threadEntry } from '../../base/thread-entry.ts'
import type { WritableDb } from './connection.ts'
import { isSpaceLow } from './free-space.ts'

/** Starts a checkpoint at this many pages of 4 KB that are only in the WAL. */
const START_PAGES = 4096
/**
 * A WAL of this length should restart. SQLite does that only if all of it was moved and nothing arrived meanwhile. If
 * traffic leaves no such gap, the few new pages are moved again after a while: each attempt waits for the disk.
 */
const LONG_PAGES = 8192
const TRY_AGAIN_MS = 500
/** At this length, all work that can wait does so until the WAL restarts. */
const MAX_PAGES = 24_576
const LOOK_MS = 50

/** The thread's answer: the reason why the WAL could not be moved; null on success. */
export interface CheckpointEnded {
  readonly failure: string | null
}

/**
 * Moves the WAL into the file on a separate thread, because that waits for the disk: a commit that had to do it would take
 * up to seconds. The thread starts on first use.
 */
export type Checkpointer = ReturnType<typeof createCheckpointer>

/** `isLow`: see `isSpaceLow`. */
export function createCheckpointer(db: WritableDb, path: string, isLow = () => isSpaceLow(path)) {
  let worker: Worker | null = null
  let isRunning = false
  let hasFailed = false
  let lookedAt = -Infinity
  let endedAt = -Infinity
  /** Pages in the WAL, and how many of them are not in the file yet. */
  let wal = { pages: 0, unmoved: 0 }

  function measure(): typeof wal {
    const now = performance.now()
    // SQLite does not report it within a transaction.
    if (now - lookedAt < LOOK_MS || db.inTransaction) return wal
    lookedAt = now
    try {
      const [state] = db.pragma('wal_checkpoint(NOOP)') as { log: number; checkpointed: number }[]
      const { log, checkpointed } = state ?? { log: 0, checkpointed: 0 }
      wal = { pages: log, unmoved: log - checkpointed }
    } catch {
      // Locked by another process: the next write meets the same error.
      return wal
    }
    return wal
  }

  /** Once all pages are moved, the next write restarts the WAL. */
  const isTooLong = ({ pages, unmoved }: typeof wal) => pages >= MAX_PAGES && unmoved > 0

  function isDue(): boolean {
    const { pages, unmoved } = measure()
    if (unmoved >= START_PAGES) return true
    if (unmoved === 0 || (pages < LONG_PAGES && !isLow())) return false
    return isTooLong(wal) || performance.now() - endedAt >= TRY_AGAIN_MS
  }

  function begin(): void {
    worker ??= start()
    isRunning = true
    worker.postMessage('checkpoint')
  }

  function start(): Worker {
    const next = new Worker(threadEntry('checkpoint-thread'), {
      name: 'checkpoint',
      workerData: { path },
      execArgv: [],
    })
    next.unref()
    const ended = (failure: unknown) => {
      hasFailed = failure !== null
      isRunning = false
      lookedAt = -Infinity
      endedAt = performance.now()
    }
    next.on('message', (message: CheckpointEnded) => ended(message.failure))
    // A commit eventually moves the pages that the thread leaves (`wal_autocheckpoint`).
    next.on('error', ended)
    next.on('exit', (code) => {
      ended(code)
      if (worker === next) worker = null
    })
    return next
  }

  /** Called after a commit. */
  function look(): void {
    if (!isRunning && isDue()) begin()
  }

  return {
    /** Called after a commit. */
    look,
    /** True if the disk does not keep up: import, rebuild and archiving wait, live traffic does not. False if the thread failed. */
    isBehind() {
      look()
      return isTooLong(measure()) && !hasFailed
    },
    /** Moves the WAL's current content, however little. */
    move() {
      if (!isRunning) begin()
    },
    isMoving: () => isRunning,
    stop() {
      // Keeps the process alive until the thread has ended.
      worker?.ref()
      worker?.postMessage('end')
      worker = null
    },
  }
}
