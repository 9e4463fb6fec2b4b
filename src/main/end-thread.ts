import { once } from 'node:events'
import type { Worker } from 'node:worker_threads'

/** Milliseconds for a thread to end by itself; one that still loads its modules ends when it has. */
const DEADLINE_MS = 5000

/**
 * Waits until a thread that was asked to end has ended, and ends it past a deadline. To end it at once is not safe: a
 * thread that is stopped while it loads its modules, SQLite among them, has been seen to take the whole process with it.
 */
export async function endThread(worker: Worker, deadlineMs: number = DEADLINE_MS): Promise<void> {
  // Has ended already.
  if (worker.threadId === -1) return
  worker.ref()
  const deadline = setTimeout(() => void worker.terminate(), deadlineMs)
  await once(worker, 'exit')
  clearTimeout(deadline)
}
