import { FOLLOWED_FOLDER, type ImportCheckpoint } from '../../store/log/import-checkpoint.ts'
import type { Redactor } from '../../redaction/redactor.ts'
import { RecentlyUsed } from '../../base/recently-used.ts'
import type { KnownTranscripts } from '../../store/read/transcript-files.ts'
import type { BatchSender } from '../batch-sender.ts'
import { createBatcher, type Batcher } from './batcher.ts'
import { isUnchanged, type FileState } from './file-identity.ts'
import { PossibleOriginals } from './copied-lines.ts'
import { createBeginnings } from './file-beginning.ts'
import { findTranscripts, lookAt, type TranscriptFile } from './find-files.ts'
import { createTranscriptReader, type TranscriptReader } from './transcript-reader.ts'
import { isFileError, NotATranscript } from './file-error.ts'
import { isCompressedPath, plainPath } from './transcript-names.ts'
import { watchFolders, type FolderWatch } from './watch-folders.ts'

/** Changes are collected for this long: the client writes several lines at once. */
const GATHER_MS = 100
/** Files whose decoder is kept, since the parent of a new line may be in an earlier one. */
const READERS_KEPT = 64
/** Time in ms after which data that could not be stored is read again. */
const RETRY_MS = 5000
const LOOK_EVERY_MS = 30_000
/** Comparing all files takes at most this share of the time. */
const LOOK_SHARE = 1 / 400

export interface FollowOptions {
  /** Folders of transcripts that were imported whole. */
  readonly folders: readonly string[]
  /** Our own data folder: changes in it are ignored. */
  readonly except: string
  readonly redactor: Redactor
  readonly sender: BatchSender
  timeouts(): { readonly [pattern: string]: number }
  /** Opens the database's knowledge of transcripts. Throws if it cannot be read now. */
  openKnown(): KnownTranscripts
  /** Called if something could not be read or stored; it is tried again. */
  onTrouble(error: unknown): void
}

/** Returns the folders that were imported whole and so may be followed. */
export const importedFolders = (folders: readonly string[], known: ReadonlyMap<string, ImportCheckpoint>): string[] =>
  folders.filter((folder) => known.get(folder)?.identity === FOLLOWED_FOLDER)

/**
 * Reads lines as they are appended to transcripts. Starts with changes since the files were last read, then waits for
 * notifications of the file system. Compares sizes and times at intervals, in case a notification was missed. Reads
 * nothing while nothing changes.
 */
export class Follower {
  /** Folders that are followed. */
  readonly folders: readonly string[]
  readonly #options: FollowOptions
  readonly #readers = new RecentlyUsed<string, TranscriptReader>(READERS_KEPT)
  /** The state of each file when this run last read it. */
  readonly #seen = new Map<string, FileState>()
  readonly #changed = new Set<string>()
  readonly #watching: FolderWatch
  #batcher: Batcher
  #timer: NodeJS.Timeout | null = null
  #lookTimer: NodeJS.Timeout | null = null
  #isStopped = false
  #isBusy = false

  constructor(options: FollowOptions) {
    this.#options = options
    this.folders = options.folders
    this.#batcher = this.#newBatcher()
    this.#watching = watchFolders({
      folders: options.folders,
      except: options.except,
      onFile: (path) => this.#wake(path),
      onFolder: (folder) => {
        for (const { path } of findTranscripts([folder], options.except).files) this.#wake(path)
      },
    })
    this.#look(true)
  }

  stop(): void {
    this.#isStopped = true
    this.#watching.close()
    if (this.#timer !== null) clearTimeout(this.#timer)
    if (this.#lookTimer !== null) clearTimeout(this.#lookTimer)
  }

  #newBatcher(): Batcher {
    const { sender, redactor, timeouts } = this.#options
    return createBatcher({ sender, redactor, timeouts, onWritten: () => undefined })
  }

  #wake(path: string): void {
    this.#changed.add(path)
    if (!this.#isBusy && !this.#isStopped) this.#timer ??= setTimeout(() => void this.#readChanged(true), GATHER_MS)
  }

  async #readChanged(isLive: boolean): Promise<void> {
    this.#timer = null
    this.#isBusy = true
    const paths = [...this.#changed]
    this.#changed.clear()
    try {
      for (const path of paths) if (!this.#isStopped) await this.#readFile(path)
      await this.#batcher.send(isLive)
      await this.#batcher.settled()
    } catch (error) {
      this.#retry(paths, error)
    }
    this.#isBusy = false
    const [next] = this.#changed
    if (next !== undefined) this.#wake(next)
  }

  async #readFile(path: string): Promise<void> {
    const file = lookAt(path)
    if (file === null) {
      this.#readers.delete(path)
      this.#seen.delete(path)
      return
    }
    if (isSameState(file, this.#seen.get(path))) return
    const batcher = this.#batcher
    try {
      const isCancelled = () => this.#isStopped
      const reader = await this.#readerOf(file)
      await reader.read({ batcher, isCancelled, onRead: () => undefined })
      this.#seen.set(path, file)
    } catch (error) {
      // Another program's file is looked at again when it changes.
      if (error instanceof NotATranscript) this.#seen.set(path, file)
      else if (!isFileError(error)) throw error
      // Deleted or locked at the moment: the next change or comparison finds it.
      this.#readers.delete(path)
    }
    if (batcher.isFull()) await batcher.send()
  }

  async #readerOf({ path, isAgent }: TranscriptFile): Promise<TranscriptReader> {
    const kept = this.#readers.get(path)
    if (kept) return kept
    const known = this.#options.openKnown()
    try {
      const { hash } = this.#options.redactor
      const knownPlain = isCompressedPath(path) ? known.find(plainPath(path)) : undefined
      const originals = isAgent ? [] : await new PossibleOriginals(createBeginnings()).of(path, known)
      const reader = createTranscriptReader({ path, hash, known: known.find(path), knownPlain, originals })
      this.#readers.set(path, reader)
      return reader
    } finally {
      known.close()
    }
  }

  /** Data that was not stored is read again, from the position in the database. */
  #retry(paths: readonly string[], error: unknown): void {
    this.#options.onTrouble(error)
    this.#batcher = this.#newBatcher()
    this.#readers.clear()
    this.#seen.clear()
    if (this.#isStopped) return
    setTimeout(() => paths.forEach((path) => this.#wake(path)), RETRY_MS).unref()
  }

  /** Finds changed files by size and time alone. */
  #look(isFirst: boolean): void {
    const start = performance.now()
    try {
      this.#noteChanges(isFirst ? this.#checkpoints() : undefined)
    } catch (error) {
      this.#options.onTrouble(error)
    }
    if (this.#changed.size > 0 && !this.#isBusy) void this.#readChanged(false)
    const tookMs = performance.now() - start
    this.#lookTimer = setTimeout(() => this.#look(false), Math.max(LOOK_EVERY_MS, tookMs / LOOK_SHARE))
  }

  #checkpoints(): ReadonlyMap<string, ImportCheckpoint> {
    const known = this.#options.openKnown()
    try {
      return known.all()
    } finally {
      known.close()
    }
  }

  #noteChanges(read: ReadonlyMap<string, ImportCheckpoint> | undefined): void {
    for (const file of findTranscripts(this.folders, this.#options.except).files) {
      if (isUnchanged(file, read?.get(file.path))) this.#seen.set(file.path, file)
      else if (!isSameState(file, this.#seen.get(file.path))) this.#changed.add(file.path)
    }
  }
}

function isSameState(file: FileState, before: FileState | undefined): boolean {
  return before?.size === file.size && before.mtimeMs === file.mtimeMs && before.ino === file.ino
}
