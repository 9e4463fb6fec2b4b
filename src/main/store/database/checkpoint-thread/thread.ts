import { parentPort, workerData } from 'node:worker_threads'
import Database from 'better-sqlite3'
import type { CheckpointEnded } from '../checkpointer.ts'

/** Moves the WAL into the file while the writer's thread continues. Answers each `checkpoint` when it is done. */
const { path } = workerData as { readonly path: string }

parentPort?.on('message', (message: 'checkpoint' | 'end') => {
  if (message === 'end') process.exit(0)
  let failure: string | null = null
  try {
    // Reopened each time, since the file may have been set aside and replaced.
    const db = new Database(path, { fileMustExist: true, timeout: 0 })
    try {
      db.pragma('wal_autocheckpoint = 0')
      db.pragma('wal_checkpoint(PASSIVE)')
    } finally {
      db.close()
    }
  } catch (error) {
    failure = error instanceof Error ? error.message : String(error)
  }
  parentPort?.postMessage({ failure } satisfies CheckpointEnded)
})
