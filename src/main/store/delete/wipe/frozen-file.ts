import Database from 'better-sqlite3'
import type { Checkpointer } from '../../database/checkpointer.ts'
import type { WritableDb } from '../../database/connection.ts'
import { openRawFile } from './raw-file.ts'
import { WalPages } from './wal-pages.ts'

/** Bounds the attempts to move the whole WAL, which fail while somebody reads it. */
const TRIES = 200
const PAUSE_MS = 10
/** Up to this many pages of 4 KB are moved on the writer's thread: each costs it up to 0.2 ms by the clock. */
const FEW_PAGES = 128
/** The file is released at this many pages of 4 KB that wait in the WAL because of it. */
const MOST_WAITING_PAGES = 4096

type CheckpointMode = 'NOOP' | 'PASSIVE' | 'TRUNCATE'

/**
 * Keeps a database file unchanged while its writer continues. A transaction that began to read when the whole WAL had
 * been moved into the file reads the file itself, so SQLite moves nothing more into it until that transaction ends.
 * Remembers which pages the writer changed from the first `freeze` on, whether frozen or not.
 */
export class FrozenFile {
  readonly #db: WritableDb
  readonly #path: string
  readonly #checkpointer: Checkpointer | null
  readonly #reader: Database.Database
  readonly #wal: WalPages
  #changed = new Set<number>()
  #isFrozen = false
  #wasFrozen = false

  /** `checkpointer` moves the WAL on another thread; null to move it on this one. */
  constructor(db: WritableDb, path: string, pageBytes: number, checkpointer: Checkpointer | null) {
    this.#db = db
    this.#path = path
    this.#checkpointer = checkpointer
    this.#wal = new WalPages(path, pageBytes)
    this.#reader = new Database(path, { readonly: true, fileMustExist: true, timeout: 0 })
    checkpointer?.onBehind(() => this.#letGo())
  }

  /**
   * Freezes the file as the writer sees it, with an empty WAL if the mode is TRUNCATE. Yields pauses in milliseconds.
   * Returns false if somebody reads the WAL all the time. When it returns true, nothing was written since the file froze.
   */
  *freeze(mode: 'PASSIVE' | 'TRUNCATE'): Generator<number, boolean, void> {
    let syncing: { isOver(): boolean } | null = null
    const mustSync = this.#checkpointer !== null && this.#wasFrozen
    for (let tries = 0; tries < TRIES; tries += 1) {
      // If traffic or the disk never lets the other threads finish, the rest is done here in the end.
      const isLate = tries >= TRIES / 2
      if (this.#isMoved(isLate ? Infinity : FEW_PAGES)) {
        // SQLite syncs the file once the whole WAL is moved: that would include all that was wiped.
        if (mustSync && syncing === null) syncing = openRawFile(this.#path).beginSync()
        else if ((isLate || (syncing?.isOver() ?? true)) && this.#tryFreeze(mode)) return true
      }
      yield PAUSE_MS
    }
    return false
  }

  /**
   * False once the file may change, or should: the checkpointer had it released, or much waits in the WAL because of it.
   * To be asked after each pause; what was read of the file before is not valid any more then.
   */
  isFrozen(): boolean {
    if (!this.#isFrozen) return false
    const { frames, moved } = this.#checkpoint('NOOP')
    return frames - moved <= MOST_WAITING_PAGES
  }

  /** Returns the pages changed since the last call. */
  takeChanged(): Set<number> {
    this.#see()
    const changed = this.#changed
    this.#changed = new Set()
    return changed
  }

  /** Notes pages that are to be taken again. */
  addChanged(pages: readonly number[]): void {
    for (const page of pages) this.#changed.add(page)
  }

  close(): void {
    this.#checkpointer?.onBehind(null)
    this.#reader.close()
  }

  /** True if the file lacks at most that many pages of the WAL. Otherwise the checkpointer moves them. */
  #isMoved(mostPages: number): boolean {
    if (this.#checkpointer === null) return true
    if (this.#checkpointer.isMoving()) return false
    this.#letGo()
    const { frames, moved } = this.#checkpoint('NOOP')
    if (frames - moved <= mostPages) return true
    this.#checkpointer.move()
    return false
  }

  #tryFreeze(mode: 'PASSIVE' | 'TRUNCATE'): boolean {
    this.#see()
    this.#release()
    const wasMoved = !this.#checkpoint(mode).isBusy
    this.#hold()
    const { frames, moved } = this.#checkpoint('NOOP')
    this.#isFrozen = wasMoved && frames === moved
    this.#wasFrozen ||= this.#isFrozen
    return this.#isFrozen
  }

  /**
   * Lets SQLite move what the WAL has by now, but not restart it: the pages of frames that were not seen yet would be
   * forgotten.
   */
  #letGo(): void {
    if (this.#db.inTransaction) return
    this.#isFrozen = false
    this.#see()
    this.#release()
    this.#hold()
  }

  #see(): void {
    this.#wal.addTo(this.#changed, this.#checkpoint('NOOP').frames)
  }

  #hold(): void {
    this.#reader.exec('BEGIN')
    this.#reader.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get()
  }

  #release(): void {
    if (this.#reader.inTransaction) this.#reader.exec('COMMIT')
  }

  /** Never waits for a reader: live traffic would wait too. */
  #checkpoint(mode: CheckpointMode) {
    const timeout = Number(this.#db.pragma('busy_timeout', { simple: true }))
    this.#db.pragma('busy_timeout = 0')
    try {
      const [state] = this.#db.pragma(`wal_checkpoint(${mode})`) as {
        busy: number
        log: number
        checkpointed: number
      }[]
      return { isBusy: state?.busy !== 0, frames: state?.log ?? 0, moved: state?.checkpointed ?? 0 }
    } finally {
      this.#db.pragma(`busy_timeout = ${timeout}`)
    }
  }
}
