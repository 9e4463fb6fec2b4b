import { closeSync, fsyncSync, openSync } from 'node:fs'
import { open } from 'node:fs/promises'

/** Syncs a file's data to disk in a thread of Node's pool: on a busy disk that takes long. */
export function beginSync(path: string) {
  let outcome: { readonly error: unknown } | 'synced' | null = null
  const over = syncInBackground(path).then(
    () => void (outcome = 'synced'),
    (error: unknown) => void (outcome = { error }),
  )
  return {
    /** Settles when the sync is over, successful or not. */
    over,
    /** Returns once the data is on disk, waiting if necessary. Throws if the sync failed. */
    finish() {
      if (outcome === null) syncFile(path)
      else if (outcome !== 'synced') throw outcome.error
    },
  }
}

async function syncInBackground(path: string): Promise<void> {
  const file = await open(path, 'r+')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Syncs a file's data to disk and waits for it. Throws if the sync fails. */
export function syncFile(path: string): void {
  const file = openSync(path, 'r+')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
