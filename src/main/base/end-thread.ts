import type { Worker } from 'node:worker_threads'

/** Milliseconds for a thread to end by itself; one that still loads its modules, on a busy machine, ends when it has. */
export const LOADING_MS = 30_000

/**
 * Waits until a thread that was asked to end has ended, and ends it past a deadline. To end it at once is not safe: where
 * it is stopped while better-sqlite3 sets itself up (one in some thousand), Node-API refuses what that asks for, and
 * `napi_fatal_error` aborts the whole process.
 * An error that it ends with is told by whoever listens for the errors of that thread.
 */
export async function endThread(worker: Worker, deadlineMs: number = LOADING_MS): Promise<void> {
  // Has ended already.
  if (worker.threadId === -1) return
  worker.ref()
  const deadline = setTimeout(() => void worker.terminate(), deadlineMs)
  await new Promise<void>((resolve) => worker.once('exit', () => resolve()))
  clearTimeout(deadline)
}
