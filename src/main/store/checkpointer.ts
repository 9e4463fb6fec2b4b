import { Worker } from 'node:worker_threads'
import { threadEntry } from '../thread-entry.ts'
import type { WritableDb } from './connection.ts'

/** Pages of 4 KB in the WAL from which on they are moved into the file. */
const START_PAGES = 4096
/** So many, and whoever can wait does, until they are. */
const MOST_PAGES = 24_576
const LOOK_MS = 50

/**
 * Has a thread of its own move the WAL into the file: that waits for the disk, a commit that had to do it would take up to
 * seconds. The thread begins when there is something to move for the first time.
 */
export interface Checkpointer {
  /** After a commit. */
  look(): void
  /** The disk does not keep up: import, rebuild and archiving wait, live traffic does not. */
  isBehind(): boolean
  stop(): void
}

export function createCheckpointer(db: WritableDb, path: string): Checkpointer {
  let worker: Worker | null = null
  let isRunning = false
  let lookedAt = -Infinity
  let waiting = 0

  /** Pages that are only in the WAL. */
  function measure(): number {
    const now = performance.now()
    // Within a transaction SQLite does not say.
    if (now - lookedAt < LOOK_MS || db.inTransaction) return waiting
    lookedAt = now
    try {
      const [state] = db.pragma('wal_checkpoint(NOOP)') as { log: number; checkpointed: number }[]
      // The WAL begins anew once all of it is moved; until then its whole length counts.
      waiting = state === undefined || state.log === state.checkpointed ? 0 : state.log
    } catch {
      // Locked by someone else: the next write meets that itself.
      return waiting
    }
    return waiting
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
    const ended = () => {
      isRunning = false
      lookedAt = -Infinity
    }
    next.on('message', ended)
    // What it leaves undone, a commit does in the end (`wal_autocheckpoint`).
    next.on('error', ended)
    next.on('exit', () => {
      ended()
      if (worker === next) worker = null
    })
    return next
  }

  function look(): void {
    if (!isRunning && measure() >= START_PAGES) begin()
  }

  return {
    look,
    isBehind() {
      look()
      return measure() >= MOST_PAGES
    },
    stop() {
      // Its own end is waited for: whoever stops now, ends.
      worker?.ref()
      worker?.postMessage('end')
      worker = null
    },
  }
}
