import type { Checkpointer } from '../database/checkpointer.ts'
import type { WritableDb } from '../database/connection.ts'

/** Bounds the attempts to empty the WAL, which fail while somebody reads an older state. */
const TRIES = 200
const PAUSE_MS = 10
/** Up to this many pages of 4 KB are moved on the writer's thread: each costs it up to 0.2 ms by the clock. */
const FEW_PAGES = 128

/**
 * Moves the WAL into the file and truncates it, so that no frame is left. With `checkpointer`, another thread waits for
 * the disk. Yields pauses in milliseconds. Returns false if somebody reads an older state all the time.
 */
export function* emptyWal(db: WritableDb, checkpointer: Checkpointer | null): Generator<number, boolean, void> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    while (checkpointer?.isMoving()) yield PAUSE_MS
    // Under constant traffic the other thread never moves all of it: then the rest is moved here.
    const most = checkpointer === null || tries >= TRIES / 2 ? Infinity : FEW_PAGES
    if (unmovedPages(db) > most) checkpointer?.move()
    else if (!checkpoint(db, 'TRUNCATE').isBusy) return true
    yield PAUSE_MS
  }
  return false
}

function unmovedPages(db: WritableDb): number {
  const { frames, moved } = checkpoint(db, 'NOOP')
  return frames - moved
}

/** Never waits for a reader: live traffic would wait too. */
function checkpoint(db: WritableDb, mode: 'NOOP' | 'TRUNCATE') {
  const timeout = Number(db.pragma('busy_timeout', { simple: true }))
  db.pragma('busy_timeout = 0')
  try {
    const [state] = db.pragma(`wal_checkpoint(${mode})`) as { busy: number; log: number; checkpointed: number }[]
    return { isBusy: state?.busy !== 0, frames: state?.log ?? 0, moved: state?.checkpointed ?? 0 }
  } finally {
    db.pragma(`busy_timeout = ${timeout}`)
  }
}
