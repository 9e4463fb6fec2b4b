import { Worker } from 'node:worker_threads'
import { threadEntry } from '../../base/thread-entry.ts'
import type { WritableDb } from './connection.ts'

/** Pages of 4 KB that are only in the WAL, from which on they are moved into the file. */
const START_PAGES = 4096
/**
 * A WAL so long should begin anew, which takes that all of it is moved and nothing came meanwhile. Where traffic leaves no
 * such gap, moving the little that came is tried again after a while: each time the disk is waited for.
 */
const LONG_PAGES = 8192
const TRY_AGAIN_MS = 500
/** A WAL so long, and whoever can wait does, until that gap is there. */
const MOST_PAGES = 24_576
const LOOK_MS = 50

/**
 * Has a thread of its own move the WAL into the file: that waits for the disk, a commit that had to do it would take up to
 * seconds. The thread begins when there is something to move for the first time.
 */
export interface Checkpointer {
  /** After a commit. */
  look(): void
  /** The disk does not keep up: import, rebuild and archiving wait, live traffic does not. Never where the thread failed. */
  isBehind(): boolean
  stop(): void
}

/** What the thread answers: why the WAL could not be moved, null where it could. */
export interface CheckpointEnded {
  readonly failure: string | null
}

export function createCheckpointer(db: WritableDb, path: string): Checkpointer {
  let worker: Worker | null = null
  let isRunning = false
  let hasFailed = false
  let lookedAt = -Infinity
  let endedAt = -Infinity
  /** Pages in the WAL, and of these those that are nowhere else. */
  let wal = { pages: 0, unmoved: 0 }

  function measure(): typeof wal {
    const now = performance.now()
    // Within a transaction SQLite does not say.
    if (now - lookedAt < LOOK_MS || db.inTransaction) return wal
    lookedAt = now
    try {
      const [state] = db.pragma('wal_checkpoint(NOOP)') as { log: number; checkpointed: number }[]
      const { log, checkpointed } = state ?? { log: 0, checkpointed: 0 }
      wal = { pages: log, unmoved: log - checkpointed }
    } catch {
      // Locked by someone else: the next write meets that itself.
      return wal
    }
    return wal
  }

  /** Once all is moved, the next write begins the WAL anew. */
  const isTooLong = ({ pages, unmoved }: typeof wal) => pages >= MOST_PAGES && unmoved > 0

  function isDue(): boolean {
    const { pages, unmoved } = measure()
    if (unmoved >= START_PAGES) return true
    if (pages < LONG_PAGES || unmoved === 0) return false
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
    // What it leaves undone, a commit does in the end (`wal_autocheckpoint`).
    next.on('error', ended)
    next.on('exit', (code) => {
      ended(code)
      if (worker === next) worker = null
    })
    return next
  }

  function look(): void {
    if (!isRunning && isDue()) begin()
  }

  return {
    look,
    isBehind() {
      look()
      return isTooLong(measure()) && !hasFailed
    },
    stop() {
      // Its own end is waited for: whoever stops now, ends.
      worker?.ref()
      worker?.postMessage('end')
      worker = null
    },
  }
}
