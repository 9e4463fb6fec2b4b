import { closeSync, fsyncSync, openSync } from 'node:fs'
import { open } from 'node:fs/promises'

/** A file's bytes on their way to the disk. */
export interface Syncing {
  /** Settles when that is over, whatever came of it. */
  readonly over: Promise<void>
  /** When it returns they are there: what is not over yet is waited for. Throws where they could not be brought there. */
  finish(): void
}

/** Brings what was written to a file to the disk for good, in a thread of Node's own: on a busy disk that takes long. */
export function beginSync(path: string): Syncing {
  let outcome: { readonly error: unknown } | 'synced' | null = null
  const over = syncAside(path).then(
    () => void (outcome = 'synced'),
    (error: unknown) => void (outcome = { error }),
  )
  return {
    over,
    finish() {
      if (outcome === null) syncFile(path)
      else if (outcome !== 'synced') throw outcome.error
    },
  }
}

async function syncAside(path: string): Promise<void> {
  const file = await open(path, 'r+')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Brings what was written to a file to the disk for good, and waits for it. Throws where that cannot be done. */
export function syncFile(path: string): void {
  const file = openSync(path, 'r+')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
