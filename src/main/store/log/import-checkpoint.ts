/**
 * The position up to which a transcript file was read; with the identity `FOLLOWED_FOLDER`, a folder that was imported
 * whole.
 */
export interface ImportCheckpoint {
  readonly path: string
  /** Distinguishes files with the same name: see transcripts/thread/file-identity.ts. */
  readonly identity: string
  /** Bytes up to the end of the last complete line that was read. */
  readonly offset: number
  /** The file's size in bytes once all of it was read; while reading, no more than `offset`. */
  readonly size: number
  readonly mtime_ms: number
  /** All of the file was read. Not stored. */
  readonly isEnd?: true
}

/** Identity of a folder that was imported whole, and so may be followed. */
export const FOLLOWED_FOLDER = 'folder'
