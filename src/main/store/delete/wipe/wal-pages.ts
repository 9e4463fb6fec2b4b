import { closeSync, openSync, readSync } from 'node:fs'

const HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 24
const SALT_OFFSET = 16
const SALT_BYTES = 8

/** Follows which pages of the database are written to its WAL. The format: https://sqlite.org/fileformat2.html#walformat */
export class WalPages {
  readonly #path: string
  readonly #frameBytes: number
  #salt = Buffer.alloc(SALT_BYTES)
  #seen = 0

  constructor(databasePath: string, pageBytes: number) {
    this.#path = `${databasePath}-wal`
    this.#frameBytes = FRAME_HEADER_BYTES + pageBytes
  }

  /**
   * Adds the pages written since the last call to `pages`; the first call adds all pages in the WAL. `frames` is how many
   * frames are committed: those after them may be overwritten. Nothing is missed unless the WAL restarted after frames
   * that no call saw.
   */
  addTo(pages: Set<number>, frames: number): void {
    if (frames === 0) return
    // SQLite locks only the database and its -shm file: closing this one drops no locks.
    const file = openSync(this.#path, 'r')
    try {
      const salt = Buffer.alloc(SALT_BYTES)
      readSync(file, salt, 0, SALT_BYTES, SALT_OFFSET)
      // A WAL that restarted has a new salt and begins with its first frame.
      if (!salt.equals(this.#salt)) this.#seen = 0
      this.#salt = salt
      const page = Buffer.alloc(4)
      for (; this.#seen < frames; this.#seen += 1) {
        readSync(file, page, 0, page.length, HEADER_BYTES + this.#seen * this.#frameBytes)
        pages.add(page.readUInt32BE(0))
      }
    } finally {
      closeSync(file)
    }
  }
}
