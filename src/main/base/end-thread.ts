import type { Worker } from 'node:worker_threads'

/** Time in ms that a thread has to exit. On a busy machine it may still have to load its modules first. */
export const LOADING_MS = 30_000

/**
 * Waits until a thread that was asked to stop has exited, and terminates it after a deadline. Terminating it at once is
 * not safe: if better-sqlite3 is still initializing (about one in a thousand), Node-API refuses its calls and
 * `napi_fatal_error` aborts the whole process. The thread's own error listeners report its errors.
 */
export async function endThread(worker: Worker, deadlineMs: number = LOADING_MS): Promise<void> {
  // It has already exited.
  if (worker.threadId === -1) return
  worker.ref()
  const deadline = setTimeout(() => void worker.terminate(), deadlineMs)
  await new Promise<void>((resolve) => worker.once('exit', () => resolve()))
  clearTimeout(deadline)
}
